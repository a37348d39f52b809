import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fullRangeLiquidity, positionsOf, startPrice } from './concentratedMaths.ts';

const amount = fc.bigInt({ min: 1n, max: 2n ** 128n });

test('default: liquidity is the floored square root of the product', () => {
  fc.assert(
    fc.property(amount, amount, (amount0, amount1) => {
      const root = fullRangeLiquidity({ amount0, amount1 });
      expect(root * root <= amount0 * amount1 && (root + 1n) * (root + 1n) > amount0 * amount1).toBe(true);
    }),
  );
});

test('default: equal amounts give a start price of one', () => {
  expect(startPrice({ amount0: 7n, amount1: 7n })).toBe(2n ** 96n);
});

test('behavior: widens a range to the tick spacing, and the range contains the start price', () => {
  const steps = [{ usd: 50, range: [1.5, 2] }] as const;
  const seed = { amount0: 1000n, amount1: 2000n, usd: 100, range: [0.97, 1.03], steps } as const;
  const [main, step] = positionsOf(seed, 60);
  const ticks = [main?.lower, main?.upper, step?.lower, step?.upper].map((tick) => tick ?? Number.NaN);
  const [lower, upper, stepLower, stepUpper] = ticks as [number, number, number, number];
  const tick = Math.log(2) / Math.log(1.0001);
  expect(ticks.map((each) => Math.abs(each % 60))).toEqual([0, 0, 0, 0]);
  expect(lower < tick && tick < upper && upper < stepLower && stepLower < stepUpper).toBe(true);
  expect([main?.liquidity, step?.liquidity]).toEqual([1414n, 707n]);
  const whole = positionsOf({ amount0: 1n, amount1: 1n, usd: 1 }, 60);
  expect(whole).toEqual([{ lower: -887220, upper: 887220, liquidity: 1n }]);
});
