import type { QuoteOutput } from '../../router/index.ts';
import { el, svg } from './dom.ts';
import { shorten, toFigure, toWhole } from './numbers.ts';

/** Token names by lower-case address. */
export type Names = ReadonlyMap<string, string>;

/** The view of a quote: amount, price against the mid, route and depth. */
export function quoteView(quote: QuoteOutput, names: Names): HTMLElement {
  const nameOf = (address: string) => names.get(address.toLowerCase()) ?? shorten(address);
  const routed = quote.amountOut !== '0';
  const figures: [string, string][] = [
    ['Price you get', toFigure(quote.executablePrice)],
    ['Mid of the deepest pool', quote.spotPrice === null ? 'not available' : toFigure(quote.spotPrice)],
    ['Impact, fee included', inBps(quote.priceImpactBps)],
    ['If an identical order lands first', inBps(quote.worstCaseSlippageBps)],
    ['Confidence', quote.confidence],
    ['Block', quote.blockNumber],
  ];
  return el(
    'div',
    { class: 'answer' },
    el(
      'p',
      { class: 'headline' },
      routed
        ? `${toWhole(quote.amountOut, quote.decimals.out)} ${nameOf(quote.tokenOut)}`
        : (quote.flags.find(({ code }) => code === 'NO_ROUTE')?.message ?? 'No venue fills this size'),
    ),
    el(
      'p',
      { class: 'under' },
      `for ${toWhole(quote.amountIn, quote.decimals.in)} ${nameOf(quote.tokenIn)} on ${quote.chain}, to the last unit at block ${quote.blockNumber}`,
    ),
    el(
      'dl',
      { class: 'figures' },
      ...figures.map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value))),
    ),
    routed && el('h3', {}, 'Route'),
    routed && routeView(quote, nameOf),
    routed && quote.spotPrice !== null && el('h3', {}, 'How the price falls with size'),
    routed && depthCurve(quote, nameOf),
    quote.flags.length > 0 && el('h3', {}, 'Flags'),
    el(
      'ul',
      { class: 'flags' },
      ...quote.flags.map((flag) => el('li', { class: flag.severity }, el('strong', {}, flag.code), ` ${flag.message}`)),
    ),
  );
}

const inBps = (bps: number | null) => (bps === null ? 'not known' : `${toFigure(bps)} bps`);

function routeView({ route }: QuoteOutput, nameOf: (address: string) => string): HTMLElement {
  const stops = route.legs.map((leg) =>
    el(
      'li',
      {},
      el('strong', {}, nameOf(leg.tokenIn)),
      el(
        'div',
        { class: 'under' },
        `${leg.venue}, fee ${toFigure(leg.feePips / 10_000)} % `,
        el('code', { title: leg.pool }, shorten(leg.pool)),
      ),
    ),
  );
  const last = route.path.at(-1);
  return el('ol', { class: 'legs' }, ...stops, last ? el('li', {}, el('strong', {}, nameOf(last))) : null);
}

/** Measured points only: the mid, this fill, a second identical order, and the size with a price 1 % lower. */
function depthCurve(quote: QuoteOutput, nameOf: (address: string) => string): SVGElement | null {
  const { spotPrice, executablePrice, depthAtSize, worstCaseSlippageBps } = quote;
  if (spotPrice === null) return null;
  const size = Number(quote.amountIn) / 10 ** quote.decimals.in;
  const second =
    worstCaseSlippageBps === null || worstCaseSlippageBps >= 10_000
      ? null
      : spotPrice * (1 - worstCaseSlippageBps / 10_000);
  const points = [
    { size: 0, price: spotPrice, label: 'mid' },
    { size, price: executablePrice, label: 'your fill' },
    ...(second === null ? [] : [{ size: size * 2, price: (executablePrice + second) / 2, label: 'two such orders' }]),
    ...(depthAtSize > size ? [{ size: depthAtSize, price: executablePrice * 0.99, label: '1 % below your fill' }] : []),
  ].sort((a, b) => a.size - b.size);
  const far = points.at(-1)?.size ?? 0;
  const high = Math.max(...points.map(({ price }) => price));
  const low = Math.min(...points.map(({ price }) => price));
  const [width, height, left, top] = [520, 190, 12, 22];
  // Square root scale: the requested size is often a hundredth of the depth and must stay visible.
  const x = (value: number) => left + Math.sqrt(value / (far || 1)) * (width - 2 * left);
  const y = (value: number) => top + ((high - value) / (high - low || 1)) * (height - top - 40);
  const line = points
    .map(({ size: at, price }, index) => `${index === 0 ? 'M' : 'L'}${x(at).toFixed(1)} ${y(price).toFixed(1)}`)
    .join('');
  const description = points
    .map(({ label, size: at, price }) => `${label}: ${toFigure(price)} at ${toFigure(at)}`)
    .join('; ');
  return svg(
    'svg',
    {
      class: 'chart',
      viewBox: `0 0 ${width} ${height}`,
      role: 'img',
      'aria-label': `Price by size in ${nameOf(quote.tokenIn)}. ${description}.`,
    },
    svg('line', { x1: left, x2: width - left, y1: height - 24, y2: height - 24, stroke: 'var(--line)' }),
    svg('path', { d: line, fill: 'none', stroke: 'var(--fill)', 'stroke-width': 2 }),
    ...points.flatMap(({ size: at, price, label }, index) => [
      svg('circle', {
        cx: x(at).toFixed(1),
        cy: y(price).toFixed(1),
        r: 4,
        fill: label === 'your fill' ? 'var(--fill)' : 'var(--sheet)',
        stroke: 'var(--fill)',
        'stroke-width': 2,
      }),
      pointLabel(label, x(at), y(price), index, points.length),
    ]),
    svg('text', { x: left, y: height - 8 }, '0'),
    svg('text', { x: width - left, y: height - 8, 'text-anchor': 'end' }, `${toFigure(far)} ${nameOf(quote.tokenIn)}`),
  );
}

/** Labels alternate between the sides of the line; the last one stays inside the image. */
function pointLabel(label: string, x: number, y: number, index: number, count: number): SVGElement {
  const last = index === count - 1 && index > 0;
  const below = !last && index % 2 === 1;
  return svg(
    'text',
    {
      x: (last ? x : x + 6).toFixed(1),
      y: (last ? y + 18 : below ? y + 20 : y - 9).toFixed(1),
      'text-anchor': last ? 'end' : 'start',
    },
    label,
  );
}
