import type { PretradeOutput } from '../../router/index.ts';
import { el } from './dom.ts';
import { shorten, toFigure, toMoney, toPercent } from './numbers.ts';

const verdictLabels: Record<string, string> = {
  avoid: 'Avoid: a trap is proven',
  clear: 'Clear: no listed trap is proven',
};

/** The view of a pretrade check: verdict, reasons, exit liquidity, holders and signals. */
export function checkView(check: PretradeOutput): HTMLElement {
  const { verdict, identity, risk_profile: risk, liquidityCoverage: coverage, flags } = check;
  const tone = verdict === 'avoid' ? 'avoid' : verdict === 'clear' ? 'clear' : 'unknown';
  const { transferability: transfer, liquidity, concentration, age } = risk;
  const figures: [string, string][] = [
    ['Exit liquidity', liquidity.exitLiquidityUsd === null ? 'not known' : toMoney(liquidity.exitLiquidityUsd)],
    ['Pools, venues', `${known(liquidity.poolCount)}, ${known(liquidity.venueCount)}`],
    ['Tax on a purchase', tax(transfer.buyTaxRaw)],
    ['Tax on a sale', tax(transfer.sellTaxRaw)],
    ['An ordinary wallet', transfer.outcome.replaceAll('-', ' ')],
    ['Age', age.ageDays === null ? 'not known' : `${toFigure(Math.round(age.ageDays * 10) / 10)} days`],
    ['Confidence', check.confidence],
    ['Block', known(coverage.asOfBlock)],
  ];
  return el(
    'div',
    { class: 'answer' },
    el('p', { class: `verdict ${tone}` }, verdictLabels[verdict] ?? `Verdict: ${verdict}`),
    el(
      'p',
      { class: 'under' },
      `${identity.symbol ?? 'A token without a symbol'} `,
      el('code', { class: 'addr', title: check.token }, shorten(check.token)),
      `, tested for ${toMoney(Number(check.sizeUSD))}`,
    ),
    el(
      'ul',
      { class: 'reasons' },
      ...check.triggers.map((trigger) => el('li', {}, el('strong', {}, trigger))),
      ...check.reasons.map((reason) => el('li', {}, reason)),
    ),
    el(
      'dl',
      { class: 'figures' },
      ...figures.map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value))),
    ),
    el('h3', {}, 'Token holders'),
    holders(concentration),
    el('h3', {}, 'Signals'),
    el(
      'ul',
      { class: 'flags' },
      ...Object.entries(flags).map(([name, signal]) =>
        el('li', { class: signal.severity }, el('strong', {}, `${name} ${signal.severity}`), ` ${signal.reason}`),
      ),
    ),
  );
}

const known = (value: number | null) => (value === null ? 'not known' : String(value));
const tax = (share: number | null) => (share === null ? 'not measured' : toPercent(share));

function holders({ top1SharePct, top10SharePct, note }: PretradeOutput['risk_profile']['concentration']): HTMLElement {
  if (top1SharePct === null || top10SharePct === null) return el('p', { class: 'under' }, `Not known. ${note}`);
  const parts = [
    { tone: 'a', name: 'largest holder', share: top1SharePct },
    { tone: 'b', name: 'next nine', share: Math.max(0, top10SharePct - top1SharePct) },
    { tone: 'c', name: 'everyone else', share: Math.max(0, 100 - top10SharePct) },
  ];
  const labels = parts.map(({ name, share }) => `${name} ${toFigure(Math.round(share * 100) / 100)} %`);
  const bar = el('div', { class: 'bar', role: 'img', 'aria-label': labels.join(', ') });
  for (const { tone, share } of parts) {
    const part = el('span', { class: tone });
    part.style.flexGrow = String(share);
    bar.append(part);
  }
  const legend = parts.map(({ tone }, index) => el('li', {}, el('span', { class: `dot ${tone}` }), labels[index]));
  return el('div', {}, bar, el('ul', { class: 'legend' }, ...legend), el('p', { class: 'under' }, note));
}
