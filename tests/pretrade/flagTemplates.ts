import type { Template } from './templateTypes.ts';

/** Templates of the flags' reasons. */
export const flagTemplates: Template[] = [
  [
    'Exit liquidity is (less than |more than )?([\\d.,]+) times the size( \\(lower bound\\))?\\.( Simulated (?:sales|purchases) are refused, .+\\.)?',
    ({ truth, answer }, bound, ratio, _lower, refused) => {
      const { value, severity } = answer.flags['F-LIQ'];
      const exact = (value ?? Number.NaN) / 1000;
      const right = bound ? exact < 0.01 || exact > 1000 : Math.abs(exact - Number(ratio)) < 0.006;
      const kind = refused?.includes('Simulated sales');
      if (refused === undefined)
        return right && (!truth.outcomes.includes('unknown') ? truth.canBuy && truth.canSell : true);
      return right && severity === 'high' && (kind ? !truth.canSellAfter60Blocks : !truth.canBuy);
    },
  ],
  [
    '(?:Some pools pay in assets without a known USD price\\. The others|Not every venue could be measured\\. The measured venues) pay less than the size\\.',
    ({ truth }) => truth.unmeasuredVenue !== undefined || truth.poolRefuses === true,
  ],
  [
    'The larger of purchase and sale tax, measured by simulated trades\\.',
    ({ answer }) => answer.flags['F-FOT'].value !== null,
  ],
  [
    'The largest tax of simulated (?:sales|purchases)\\. It depends on the (?:block|time)\\.',
    ({ answer }) => answer.flags['F-FOT'].severity !== 'none',
  ],
  [
    'The largest tax of simulated sales\\. It depends on the amount\\.',
    ({ truth, answer }) => truth.wholeSaleTax !== undefined && answer.flags['F-FOT'].value === truth.sellTax,
  ],
  [
    'The largest tax of simulated sales\\. It depends on the tip or gas limit\\.',
    ({ truth }) => truth.usualGasTax !== undefined,
  ],
  [
    'The largest tax of simulated sales\\. It depends on the time since the purchase\\.',
    ({ truth, answer }) =>
      truth.laterSalesTaxed || Math.abs((truth.sellTaxNextBlock ?? 0) - (answer.flags['F-FOT'].value ?? 1)) < 0.001,
  ],
  [
    'No simulated sale (?:by an ordinary wallet|at the usual tip) works\\.',
    ({ truth }) => !truth.canSellAfter60Blocks && !truth.canSellAfterOneDay,
  ],
  ['Transfer tax is unavailable: .+\\.', ({ answer }) => answer.risk_profile.transferability.sellTaxRaw === null],
  [
    'The ten largest holders have ([\\d.]+) % of the supply, excluding pools, burn addresses and the token itself\\.',
    ({ answer }, share) => Math.abs(Number(share) - (answer.flags['F-CONC'].value ?? Number.NaN)) < 0.006,
  ],
  [
    'The first transfer was (less than )?([\\d.]+) days before this block\\.',
    ({ answer }, isLess, days) => {
      const { value } = answer.flags['F-AGE'];
      if (value === null) return false;
      return isLess ? value < Number(days) : Math.abs(value - Number(days)) <= 0.05;
    },
  ],
  [
    'The mid of the deepest pool is ([\\d.]+) % (above|below) the price of the feed, which is \\d+ s old(, older than its heartbeat)?\\.',
    ({ answer }, percent, side) =>
      Math.abs(Number(percent) * (side === 'below' ? -100 : 100) - (answer.risk_profile.oracle.deviationBps ?? 1e9)) <
      1,
  ],
  ['No price feed is known for this token\\.', ({ answer }) => answer.risk_profile.oracle.source === null],
  ['(?:Age is unavailable|Holders are unavailable): no source is configured\\.', () => true],
];
