import type { QuoteOutput } from '../../router/index.ts';
import { ticks } from './axis.ts';
import { type DepthPoint, toDepthPoints } from './depthPoints.ts';
import { el, svg } from './dom.ts';
import { toFigure } from './numbers.ts';
import { resizableFigure } from './resizableFigure.ts';

const height = 260;
const margin = { top: 24, bottom: 44, right: 14 };

/** The price by size: the points that the answer contains, with both axes and the mid. Null without a price. */
export function depthView(quote: QuoteOutput, nameOf: (address: string) => string): HTMLElement | null {
  const points = toDepthPoints(quote);
  if (points.length === 0) return null;
  const names = { in: nameOf(quote.tokenIn), out: nameOf(quote.tokenOut) };
  return el(
    'figure',
    { class: 'depth' },
    resizableFigure('chart-box', (width) => draw(points, quote.spotPrice, names, width)),
    el('ol', { class: 'fills' }, ...points.map((point) => el('li', {}, ...describe(point, names)))),
    el(
      'figcaption',
      { class: 'under' },
      'Average price of an order, fees included. A filled dot is a measured fill; the ring is a lower bound of the size. The dashes only connect them: sizes in between were not measured.',
    ),
  );
}

function describe({ label, size, price, kind }: DepthPoint, names: { in: string; out: string }) {
  const most = kind === 'bound' ? 'at least ' : '';
  return [el('strong', {}, label), ` ${most}${toFigure(size)} ${names.in} at ${toFigure(price)} ${names.out}`];
}

function draw(
  points: readonly DepthPoint[],
  mid: number | null,
  names: { in: string; out: string },
  width: number,
): SVGElement {
  const far = Math.max(...points.map(({ size }) => size));
  const prices = [...points.map(({ price }) => price), ...(mid === null ? [] : [mid])];
  const [least, most] = [Math.min(...prices), Math.max(...prices)];
  const pad = (most - least || most * 0.01) * 0.08;
  const [low, high] = [least - pad, most + pad];
  const yTicks = ticks(low, high, 4);
  const labels = yTicks.map((value) => axisFigure(value, high - low));
  const left = 12 + Math.max(...labels.map((label) => label.length)) * 7;
  const x = (size: number) => left + (size / far) * (width - left - margin.right);
  const y = (price: number) => margin.top + ((high - price) / (high - low)) * (height - margin.top - margin.bottom);
  const floor = height - margin.bottom;
  const described = points
    .map(
      ({ label, size, price, kind }) =>
        `${label}: ${toFigure(price)} at ${kind === 'bound' ? 'at least ' : ''}${toFigure(size)}`,
    )
    .join('; ');
  return svg(
    'svg',
    {
      class: 'chart',
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      role: 'img',
      'aria-label': `Price by size: ${names.out} for one ${names.in}. ${described}.`,
    },
    ...yTicks.flatMap((value, index) => [
      svg('line', { class: 'grid', x1: left, x2: width - margin.right, y1: y(value), y2: y(value) }),
      svg('text', { x: left - 8, y: y(value) + 4, 'text-anchor': 'end' }, labels[index]),
    ]),
    ...ticks(0, far, Math.max(2, Math.floor(width / 110))).map((value) =>
      svg('text', { x: x(value), y: floor + 18, 'text-anchor': value === 0 ? 'start' : 'middle' }, toFigure(value)),
    ),
    svg('line', { class: 'axis', x1: left, x2: width - margin.right, y1: floor, y2: floor }),
    svg('text', { x: width - margin.right, y: height - 6, 'text-anchor': 'end' }, `Size, ${names.in}`),
    mid !== null && svg('line', { class: 'mid', x1: left, x2: width - margin.right, y1: y(mid), y2: y(mid) }),
    mid !== null && svg('text', { x: width - margin.right, y: y(mid) + 15, 'text-anchor': 'end' }, 'mid, without fees'),
    svg('polyline', {
      class: 'connection',
      points: points.map(({ size, price }) => `${x(size).toFixed(1)},${y(price).toFixed(1)}`).join(' '),
    }),
    ...points.flatMap(({ size, price, kind }, index) => {
      const previous = points[index - 1];
      // Numbers of neighbouring dots stand on opposite sides of the line.
      const crowded = previous !== undefined && x(size) - x(previous.size) < 22;
      const label = { x: x(size) + (crowded ? 6 : 0), y: y(price) + (crowded ? 20 : -10) };
      return [
        svg('circle', { class: kind, cx: x(size), cy: y(price), r: 4.5 }),
        svg(
          'text',
          {
            class: 'number',
            x: label.x,
            y: label.y,
            'text-anchor': index === points.length - 1 && !crowded ? 'end' : 'middle',
          },
          index + 1,
        ),
      ];
    }),
  );
}

/** As many digits as distinguish the ticks; a power of ten where they would fill the chart. */
function axisFigure(value: number, span: number): string {
  if (span >= 1e12 || span < 1e-9) return toFigure(value);
  const digits = Math.max(0, Math.min(12, 2 - Math.floor(Math.log10(span))));
  return value.toLocaleString('en', { minimumFractionDigits: 0, maximumFractionDigits: digits });
}
