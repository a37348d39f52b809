import type { PretradeCheck } from '../toCheck.ts';
import { type TradeWarning, tradeWarning } from '../tradeWarning/index.ts';
import { sanitize } from './sanitize.ts';
import { type Paint, plain, type StyleName, severityStyle } from './style.ts';
import { answer, figure, table } from './tables.ts';

const verdictStyles: Record<PretradeCheck['verdict'], StyleName> = { avoid: 'red', clear: 'green', unknown: 'yellow' };
const warningStyles: Record<TradeWarning['severity'], StyleName> = { high: 'red', medium: 'yellow' };

/** Formats a pretrade check for the terminal: trade warning, verdict, reasons and rounded measurements. */
export function showCheck(check: PretradeCheck, paint: Paint = plain): string {
  const { risk_profile: risk, identity, ownership, liquidityCoverage } = check;
  const { age, concentration, liquidity, oracle, transferability } = risk;
  const triggers = check.triggers.length > 0 ? `  (${check.triggers.join(', ')})` : '';
  const warning = tradeWarning(check);
  // Beside a warning, `clear` in green would look like a good result.
  const verdictStyle = warning && check.verdict === 'clear' ? 'yellow' : verdictStyles[check.verdict];
  const headline = [
    paint(verdictStyle, paint('bold', sanitize(`${check.verdict.toUpperCase()}${triggers}`))) +
      sanitize(`  confidence ${check.confidence}, at ${check.sizeUSD} USD`),
  ];
  if (warning) headline.push(paint(warningStyles[warning.severity], paint('bold', sanitize(warning.message))));
  // The list of traps is closed, so a token that cannot be sold may be `clear`: then the warning comes first.
  if (check.verdict !== 'avoid') headline.reverse();
  return [
    ...headline,
    `${sanitize(identity.symbol ?? 'no symbol', 32)}  ${sanitize(identity.name ?? 'no name', 64)}  ${sanitize(check.token)}`,
    '',
    ...check.reasons.map((reason) => `  - ${sanitize(reason)}`),
    '',
    table(
      [
        ['exit liquidity', figure(liquidity.exitLiquidityUsd, ' USD')],
        ['pools', pools(liquidity)],
        ['conclusive', answer(liquidityCoverage.conclusive)],
        ['sell tax', percent(transferability.sellTaxRaw)],
        ['buy tax', percent(transferability.buyTaxRaw)],
        ['round trip', figure(transferability.roundTripPct, ' % returned')],
        ['simulated', transferability.outcome],
        ['patterns', transferability.fingerprints],
        ['age', figure(age.ageDays, ' days')],
        ['top 10 hold', figure(concentration.top10SharePct, ' %')],
        ['oracle', deviation(oracle)],
        ['renounced', answer(ownership.ownerRenounced)],
        ['mintable', answer(ownership.isMintable)],
        ['block', figure(liquidityCoverage.asOfBlock)],
      ],
      paint,
    ),
    '',
    table(
      Object.entries(check.flags).map(
        ([name, { severity, reason }]) => [name, `${severity.padEnd(8)}${reason}`] as const,
      ),
      paint,
      (value) => severityStyle(value.split(' ')[0] ?? ''),
    ),
    '',
    sanitize(check.disclaimer),
  ].join('\n');
}

function percent(fraction: number | null): string {
  return fraction === null ? 'not measured' : figure(fraction * 100, ' %');
}

function pools({ poolCount, venueCount }: PretradeCheck['risk_profile']['liquidity']): string {
  return poolCount === null || venueCount === null
    ? figure(poolCount)
    : `${figure(poolCount)} on ${figure(venueCount)} venues`;
}

function deviation({ deviationBps, source }: PretradeCheck['risk_profile']['oracle']): string {
  if (source === null) return 'no feed';
  return deviationBps === null ? `not measured (feed ${source})` : `${figure(deviationBps, ' bps')} from ${source}`;
}
