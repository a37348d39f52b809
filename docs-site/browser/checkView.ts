// Not from client/index.ts, which would add the payment code to the first page.
import { tradeWarning } from '../../client/tradeWarning/index.ts';
import type { PretradeOutput } from '../../router/index.ts';
import { el } from './dom.ts';
import { shorten, toMoney, toPercent, toRounded, toTime } from './numbers.ts';
import { tokenIcon } from './tokenIcon.ts';
import { type Names, nameKey } from './tokens.ts';

const verdictLabels: Record<string, string> = {
  avoid: 'Avoid: a trap is proven',
  clear: 'Clear: no listed trap is proven',
};

const outcomeLabels: Record<string, string> = {
  'purchase-blocked': 'No: a purchase is refused',
  'sale-blocked': 'No: sales are refused',
  'sale-blocked-for-a-time': 'Not in the next block; later yes',
  'size-limited': 'Yes, but not the whole size at once',
  'sale-blocked-same-block-only': 'Yes, from the next block on',
  'contract-wallets-only-blocked': 'Yes; contract wallets cannot',
  tradable: 'Yes',
};

const signalNames: Record<keyof PretradeOutput['flags'], string> = {
  'F-LIQ': 'Exit liquidity',
  'F-CONC': 'Ten largest wallets',
  'F-AGE': 'Age',
  'F-FOT': 'Transfer tax',
  'O-SANITY': 'Pool price against feed',
};

/** The chain of every check. */
const chain = 'base';

type Signal = PretradeOutput['flags']['F-LIQ'];

/** The view of a pretrade check: headline, reasons, exit liquidity, holders and signals. */
export function checkView(check: PretradeOutput, names: Names): HTMLElement {
  const { identity, risk_profile: risk, liquidityCoverage: coverage, flags } = check;
  const { transferability: transfer, liquidity, concentration, age } = risk;
  const symbol = identity.symbol?.slice(0, 24) ?? 'A token without a symbol';
  const figures: [string, string][] = [
    ['Can an ordinary wallet sell it?', outcomeLabels[transfer.outcome] ?? 'not known'],
    ['Exit liquidity', liquidity.exitLiquidityUsd === null ? 'not known' : toMoney(liquidity.exitLiquidityUsd)],
    ['Tax on a purchase', tax(transfer.buyTaxRaw)],
    ['Tax on a sale', tax(transfer.sellTaxRaw)],
    ['Bought and sold at once', returned(transfer.roundTripPct)],
    ['Pools', poolsOf(liquidity)],
    ['Age', age.ageDays === null ? 'not known' : `${toRounded(age.ageDays)} days`],
    ['Confidence', check.confidence],
    ['Block', known(coverage.asOfBlock)],
  ];
  return el(
    'div',
    { class: 'answer' },
    ...headline(check),
    el(
      'p',
      { class: 'under subject' },
      tokenIcon(chain, check.token, identity.symbol ?? ''),
      `${symbol} `,
      el('code', { class: 'addr', title: check.token }, shorten(check.token)),
      `, tested for ${toMoney(Number(check.sizeUSD))}, ${toTime(check.ts)}`,
    ),
    sameSymbol(symbol, check.token, names),
    el(
      'ul',
      { class: 'reasons' },
      ...check.triggers.map((trigger) => el('li', {}, el('strong', {}, trigger))),
      ...check.reasons.map((reason) => el('li', {}, reason)),
    ),
    el(
      'div',
      { class: 'columns' },
      el(
        'div',
        {},
        el(
          'dl',
          { class: 'figures' },
          ...figures.map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value))),
        ),
        el('h3', {}, 'Token holders'),
        holders(concentration),
      ),
      el(
        'div',
        {},
        el('h3', {}, 'Signals'),
        el('p', { class: 'signal-names', 'aria-hidden': 'true' }, el('span', {}, 'Value'), el('span', {}, 'Severity')),
        el('ul', { class: 'signals' }, ...Object.entries(flags).map(signalView)),
      ),
    ),
  );
}

/** A note if another contract is the listed token with this symbol. */
function sameSymbol(symbol: string, token: string, names: Names): HTMLElement | null {
  if (names.has(nameKey(chain, token))) return null;
  const isSame = ([key, facts]: [string, { symbol: string }]) =>
    key.startsWith(`${chain}:`) && facts.symbol.toLowerCase() === symbol.trim().toLowerCase();
  const listed = [...names].find(isSame);
  const [, address = ''] = listed?.[0].split(':') ?? [];
  return listed
    ? el(
        'p',
        { class: 'notice bad' },
        `This is not the listed ${listed[1].symbol}, which is `,
        el('code', {}, address),
        '.',
      )
    : null;
}

/**
 * The verdict, and a warning if trades failed or lost most of the money. Beside `clear` the warning comes first: the list of
 * traps is closed, so a token that cannot be sold may be `clear`.
 */
function headline(check: PretradeOutput): HTMLElement[] {
  const label = verdictLabels[check.verdict] ?? `Verdict: ${check.verdict}`;
  const tone = Object.hasOwn(verdictLabels, check.verdict) ? check.verdict : 'unknown';
  const warning = tradeWarning(check);
  if (!warning) return [el('p', { class: `verdict ${tone}` }, label)];
  if (check.verdict === 'avoid')
    return [el('p', { class: 'verdict avoid' }, label), el('p', { class: 'under' }, warning.message)];
  return [
    el('p', { class: `verdict ${warning.severity === 'high' ? 'avoid' : 'unknown'}` }, warning.message),
    el('p', { class: 'under' }, label),
  ];
}

const known = (value: number | null) => (value === null ? 'not known' : String(value));
/** How many pools, and on how many venues. */
const poolsOf = ({ poolCount, venueCount }: PretradeOutput['risk_profile']['liquidity']) =>
  poolCount === null || venueCount === null
    ? 'not known'
    : `${poolCount} on ${venueCount} ${venueCount === 1 ? 'venue' : 'venues'}`;
const returned = (percent: number | null) => (percent === null ? 'not measured' : `returns ${toRounded(percent)} %`);
const tax = (share: number | null) => (share === null ? 'not measured' : toPercent(share));

function signalView([code, signal]: [string, Signal]): HTMLElement {
  const { severity, reason, cachedAgeSec } = signal;
  return el(
    'li',
    // A signal without a value has no colour: `none` in green would look like a good result.
    { class: signal.value === null ? 'unmeasured' : severity },
    el('span', {}, el('strong', {}, signalNames[code as keyof typeof signalNames] ?? code), ' ', el('code', {}, code)),
    el('b', { class: 'value' }, valueText(signal)),
    el('span', { class: 'severity' }, severity),
    el('small', {}, reason, cachedAgeSec === null ? '' : ` Measured ${cachedAgeSec} s ago.`),
  );
}

/** The measured value with its unit. */
function valueText({ value, unit }: Signal): string {
  if (value === null) return 'no value';
  switch (unit) {
    case 'usd':
      return toMoney(value);
    case 'percent':
      return `${toRounded(value)} %`;
    case 'fraction':
      return toPercent(value);
    default:
      return `${toRounded(value)} ${unit}`;
  }
}

/** The bar has no colours of good and bad: a large holder is often a pool, which the note names. */
function holders({ top1SharePct, top10SharePct, note }: PretradeOutput['risk_profile']['concentration']): HTMLElement {
  if (top1SharePct === null || top10SharePct === null) return el('p', { class: 'under' }, `Not known. ${note}`);
  const parts = [
    { tone: 'a', name: 'largest holder', share: top1SharePct },
    { tone: 'b', name: 'next nine', share: Math.max(0, top10SharePct - top1SharePct) },
    { tone: 'c', name: 'all others', share: Math.max(0, 100 - top10SharePct) },
  ];
  const labels = parts.map(({ name, share }) => `${name} ${toRounded(share)} %`);
  const bar = el('div', { class: 'bar', role: 'img', 'aria-label': labels.join(', ') });
  for (const { tone, share } of parts) {
    const part = el('span', { class: tone });
    part.style.flexGrow = String(share);
    bar.append(part);
  }
  const legend = parts.map(({ tone }, index) => el('li', {}, el('span', { class: `dot ${tone}` }), labels[index]));
  return el('div', {}, bar, el('ul', { class: 'legend' }, ...legend), el('p', { class: 'under' }, note));
}
