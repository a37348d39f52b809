import { describe, expect, test } from 'vitest';
import type { WeightedState } from './weighted.ts';
import { weightedModel } from './weightedModel.ts';

const { swap, depth } = weightedModel;
/** A pool without a fee, of tokens with 18 decimals and of weights 1:1. */
const even: WeightedState = {
  kind: 'weighted',
  hasFastPowers: true,
  balance0: 10n ** 24n,
  balance1: 4n * 10n ** 24n,
  weight0: 5n * 10n ** 17n,
  weight1: 5n * 10n ** 17n,
  scale0: 1n,
  scale1: 1n,
  swapFee: 0n,
  feePips: [0, 0],
};
const weights = {
  '1:1': even,
  '2:1': { ...even, weight0: 6n * 10n ** 17n, weight1: 3n * 10n ** 17n },
  '4:1': { ...even, weight0: 8n * 10n ** 17n, weight1: 2n * 10n ** 17n },
  '3:1': { ...even, weight0: 75n * 10n ** 16n, weight1: 25n * 10n ** 16n },
};

// Balances 10^24 and 4 · 10^24; 10^23 is sold: 4 · 10^24 · (1 − (1 / 1.1)^quotient), each power rounded up to 18 decimals.
test.each([
  ['1:1', 363_636_363_636_363_636_000_000n],
  ['2:1', 694_214_876_033_057_848_000_000n],
  ['4:1', 1_267_946_178_539_717_224_000_000n],
] as const)('later releases multiply for weights of %s, so they pay more than the first', (name, expected) => {
  const later = swap(weights[name], true, 10n ** 23n)?.amountOut ?? 0n;
  const first = swap({ ...weights[name], hasFastPowers: false }, true, 10n ** 23n)?.amountOut ?? 0n;
  expect(later).toBe(expected);
  expect(first).toBeLessThan(later);
  expect(Number(first) / Number(later)).toBeCloseTo(1, 12);
});

test('all releases compute a logarithm for other weights', () => {
  const [later, first] = [true, false].map((hasFastPowers) =>
    swap({ ...weights['3:1'], hasFastPowers }, true, 10n ** 23n),
  );
  expect(later?.amountOut).toBeGreaterThan(0n);
  expect(first?.amountOut).toBe(later?.amountOut);
});

describe.each(Object.entries(weights))('of the smallest amounts, weights of %s', (name, weighted) => {
  test('pay what the curve computes in later releases, and nothing where a logarithm is rounded', () => {
    const amountIn = 10n ** 9n;
    for (const hasFastPowers of [true, false]) {
      const state = { ...weighted, hasFastPowers };
      const exact = Number(swap(state, true, amountIn)?.amountOut ?? 0n);
      const curve = weightedModel.curve(state, true);
      if (hasFastPowers && name !== '3:1') expect((curve?.pay(1e9) ?? 0) / exact).toBeCloseTo(1, 2);
      else expect([exact, curve?.pay(1e9), curve?.reach(1e9)]).toEqual([0, 0, 0]);
    }
  });
});

test('an amount that pays less than one unit returns undefined', () => {
  for (const hasFastPowers of [true, false]) {
    const small = { ...even, hasFastPowers, balance1: 1000n };
    expect(swap(small, true, 10n ** 20n)).toBeUndefined();
    expect(swap({ ...even, hasFastPowers }, true, 1n)).toBeUndefined();
  }
});

test('takes exactly 30 % of its balance, not more', () => {
  expect(swap(even, true, 3n * 10n ** 23n)).toBeDefined();
  expect(swap(even, true, 3n * 10n ** 23n + 1n)).toBeUndefined();
  expect(swap(even, false, 12n * 10n ** 23n)).toBeDefined();
  expect(swap(even, false, 12n * 10n ** 23n + 1n)).toBeUndefined();
});

test('the curve ends just before 30 % of the balance; beyond, it reaches what the pool pays there', () => {
  const curve = weightedModel.curve(even, true);
  const paid = Number(swap(even, true, 3n * 10n ** 23n)?.amountOut);
  expect((curve?.pay(2.999_99e23) ?? 0) / paid).toBeCloseTo(1, 4);
  expect(curve?.pay(3e23)).toBe(Number.NEGATIVE_INFINITY);
  expect([curve?.slope(2.999_99e23) === 0, curve?.slope(3e23)]).toEqual([false, 0]);
  expect((curve?.reach(9e30) ?? 0) / paid).toBeCloseTo(1, 6);
  expect([curve?.crossed(1), curve?.crossed(9e30)]).toEqual([0, 0]);
});

test('rounds the fee up, and keeps it in the pool', () => {
  const state = { ...even, swapFee: 10n ** 15n };
  // 0.1 % of 10^20 + 1 is 10^17 and a thousandth of a unit.
  const result = swap(state, true, 10n ** 20n + 1n);
  expect(result?.amountOut).toBe(swap(even, true, 10n ** 20n - 10n ** 17n)?.amountOut);
  expect(result?.state).toMatchObject({ balance0: state.balance0 + 10n ** 20n + 1n });
});

describe('a pool that cannot trade', () => {
  test.each<[string, Partial<WeightedState>]>([
    ['no balance of token0', { balance0: 0n }],
    ['no balance of token1', { balance1: 0n }],
    ['no weight of token0', { weight0: 0n }],
    ['no weight of token1', { weight1: 0n }],
    ['a fee of 100 %', { swapFee: 10n ** 18n }],
  ])('with %s has no curve', (_, changes) => {
    expect(weightedModel.curve({ ...even, ...changes }, true)).toBeUndefined();
    expect(weightedModel.curve({ ...even, ...changes }, false)).toBeUndefined();
  });

  test.each<[string, Partial<WeightedState>]>([
    ['token0', { balance0: 0n }],
    ['token1', { balance1: 0n }],
  ])('without %s has no price and no depth, and takes no unit', (_, changes) => {
    const state = { ...even, swapFee: 10n ** 15n, ...changes };
    for (const zeroForOne of [true, false]) {
      expect(weightedModel.price(state, zeroForOne)).toBeUndefined();
      expect(depth(state, zeroForOne)).toBe(0n);
      for (const amountIn of [-1n, 0n, 1n, 10n ** 20n]) expect(swap(state, zeroForOne, amountIn)).toBeUndefined();
    }
  });
});
