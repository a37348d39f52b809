import { expect, test } from 'vitest';
import { splitQuote } from '../../tests/support/splitQuote.ts';
import { ticks } from './axis.ts';
import { toDepthPoints } from './depthPoints.ts';

/** The average price of an order in a constant-product pool of 1,000 by 3,000,000 with a fee of 0.3 %. */
const fee = 0.997;
const poolPrice = (size: number) => (3_000_000 * fee) / (1_000 + size * fee);

/** The answer to a quote of that pool. */
function quoteOf(size: number) {
  const amountIn = BigInt(Math.round(size * 1e6)) * 10n ** 12n;
  const executablePrice = poolPrice(size);
  const second = 2 * poolPrice(2 * size) - executablePrice;
  return {
    ...splitQuote,
    amountIn: amountIn.toString(),
    executablePrice,
    spotPrice: 3_000,
    worstCaseSlippageBps: (1 - second / 3_000) * 10_000,
    // 1 % below the price of `size`.
    depthAtSize: ((3_000_000 * fee) / (executablePrice * 0.99) - 1_000) / fee,
  };
}

test.each([0.5, 10, 200])('default: the points lie on the curve of a constant-product pool (order of %d)', (size) => {
  const points = toDepthPoints(quoteOf(size));
  expect(points).toHaveLength(3);
  for (const point of points) expect(point.price / poolPrice(point.size)).toBeCloseTo(1, 9);
});

test('behavior: a quote without a route has no points; without a mid the second fill is unknown', () => {
  expect(toDepthPoints({ ...splitQuote, executablePrice: 0 })).toEqual([]);
  const points = toDepthPoints({ ...splitQuote, spotPrice: null, worstCaseSlippageBps: null });
  expect(points.map(({ label, kind }) => [label, kind])).toEqual([
    ['Your order', 'fill'],
    ['1 % below your price', 'bound'],
  ]);
});

test('behavior: a second order that cannot be filled is left out', () => {
  const points = toDepthPoints({ ...splitQuote, worstCaseSlippageBps: 10_000, depthAtSize: 100 });
  expect(points.map(({ size, price }) => [size, price])).toEqual([[100, 2990]]);
});

test.each([
  [0, 410, 4, [0, 100, 200, 300, 400]],
  [2957, 3003, 4, [2960, 2980, 3000]],
  [0.00031, 0.00034, 3, [0.00031, 0.00032, 0.00033, 0.00034]],
  [5, 5, 4, [5]],
])('default: ticks between %d and %d are round', (low, high, count, expected) => {
  expect(ticks(low, high, count)).toEqual(expected);
});
