import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fullRangeLiquidity, seedTicks, startPrice } from './concentratedMaths.ts';

const amount = fc.bigInt({ min: 1n, max: 2n ** 128n });

test('default: liquidity is the whole root of the product', () => {
  fc.assert(
    fc.property(amount, amount, (amount0, amount1) => {
      const root = fullRangeLiquidity({ amount0, amount1 });
      expect(root * root <= amount0 * amount1 && (root + 1n) * (root + 1n) > amount0 * amount1).toBe(true);
    }),
  );
});

test('default: equal amounts start at price one', () => {
  expect(startPrice({ amount0: 7n, amount1: 7n })).toBe(2n ** 96n);
});

test('behavior: a range is widened to the spacing and holds its start price', () => {
  const seed = { amount0: 1000n, amount1: 2000n, range: [0.97, 1.03] as const };
  const [lower, upper] = seedTicks(seed, 60);
  const tick = Math.log(2) / Math.log(1.0001);
  expect([Math.abs(lower % 60), Math.abs(upper % 60)]).toEqual([0, 0]);
  expect(lower < tick && tick < upper).toBe(true);
  expect(seedTicks({ amount0: 1n, amount1: 1n }, 60)).toEqual([-887220, 887220]);
});
