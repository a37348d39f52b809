import type { QuoteOutput } from '../../router/index.ts';
import { depthView } from './depthView.ts';
import { el } from './dom.ts';
import { shorten, toFigure, toRounded, toTime, toWhole } from './numbers.ts';
import { routeView } from './routeView.ts';
import { tokenIcon } from './tokenIcon.ts';
import type { Names } from './tokens.ts';

/** The view of a quote: amount, price against the mid, route and depth. */
export function quoteView(quote: QuoteOutput, names: Names): HTMLElement {
  const factsOf = (address: string) => names.get(address.toLowerCase()) ?? { symbol: shorten(address) };
  const nameOf = (address: string) => factsOf(address).symbol;
  const routed = quote.amountOut !== '0';
  const figures: [string, string][] = [
    ['Price you get', toFigure(quote.executablePrice)],
    ['Mid of the deepest pool', quote.spotPrice === null ? 'not available' : toFigure(quote.spotPrice)],
    ['Impact, fee included', inBps(quote.priceImpactBps)],
    ['If an identical order executes first', inBps(quote.worstCaseSlippageBps)],
    ['Confidence', quote.confidence],
    ['1 % lower at', quote.depthAtSize > 0 ? `${toFigure(quote.depthAtSize)} ${nameOf(quote.tokenIn)}` : 'not known'],
  ];
  const flags = el(
    'ul',
    { class: 'flags' },
    // Some flags repeat for every leg; the JSON has their facts.
    ...uniqueBy(quote.flags, ({ code, message }) => code + message).map((flag) =>
      el('li', { class: flag.severity }, el('strong', {}, flag.code), ` ${flag.message}`),
    ),
  );
  return el(
    'div',
    { class: 'answer' },
    el(
      'div',
      { class: 'result' },
      routed && tokenIcon(nameOf(quote.tokenOut), quote.tokenOut, 30),
      el(
        'p',
        { class: 'headline' },
        routed
          ? `${toWhole(quote.amountOut, quote.decimals.out)} ${nameOf(quote.tokenOut)}`
          : (quote.flags.find(({ code }) => code === 'NO_ROUTE')?.message ?? 'No venue fills this size'),
      ),
    ),
    el(
      'p',
      { class: 'under' },
      `for ${toWhole(quote.amountIn, quote.decimals.in)} ${nameOf(quote.tokenIn)} on ${quote.chain}, to the last unit at block ${quote.blockNumber}, ${toTime(quote.ts)}`,
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
        quote.flags.length > 0 && el('h3', {}, 'Flags'),
        flags,
      ),
      routed && el('div', {}, el('h3', {}, 'Route'), routeView(quote, factsOf)),
      routed && el('div', {}, el('h3', {}, 'Price by size'), depthView(quote, nameOf)),
    ),
  );
}

const inBps = (bps: number | null) => (bps === null ? 'not known' : `${toRounded(bps)} bps`);

function uniqueBy<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()];
}
