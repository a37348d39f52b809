import { describe, expect, test } from 'vitest';
import type { ConcentratedState, PoolState } from './poolTypes.ts';
import { depthWithinOnePercent, inputToPrice, marginalPrice, midOf } from './price.ts';
import { recordedSwaps } from './recordedSwaps.ts';
import { swap } from './swap.ts';

const states = recordedSwaps.map(({ state }) => state).filter(({ kind }) => kind !== 'opaque');
const sides = states.flatMap((state, index) =>
  [true, false].map(
    (zeroForOne) => [`${index} (${state.kind}) ${zeroForOne ? '0→1' : '1→0'}`, state, zeroForOne] as const,
  ),
);
const feeOf = (state: PoolState, zeroForOne: boolean) =>
  state.kind === 'opaque' ? 0 : state.feePips[zeroForOne ? 0 : 1] / 1e6;

/** What a swap far smaller than the pool pays for each unit; undefined where roundings would show. */
function paidForLittle(state: PoolState, zeroForOne: boolean): number | undefined {
  for (let exponent = 6n; exponent < 40n; exponent++) {
    const amountIn = 10n ** exponent;
    const paid = swap(state, zeroForOne, amountIn)?.amountOut;
    const twice = swap(state, zeroForOne, 2n * amountIn)?.amountOut;
    if (!paid || !twice || paid < 10n ** 7n) continue;
    // Half the loss from one swap to the next corrects the price to that of the first unit.
    const [price, next] = [Number(paid) / Number(amountIn), Number(twice) / Number(2n * amountIn)];
    return next / price > 0.999 ? price + (price - next) : undefined;
  }
  return undefined;
}

test.each(sides)(
  'pool %s: a little swap is paid the marginal price, which is the mid less the fee',
  (_, state, side) => {
    const paid = paidForLittle(state, side);
    const marginal = marginalPrice(state, side);
    if (paid !== undefined) expect(Math.abs(paid / (marginal ?? 0) - 1)).toBeLessThan(1e-4);
    const mid = midOf(state, side)?.mid;
    if (mid === undefined || marginal === undefined) return;
    if (state.kind !== 'concentrated' || state.liquidity > 0n)
      expect(marginal / (mid * (1 - feeOf(state, side)))).toBeCloseTo(1, 9);
  },
);

test('enough pools of each kind pay a little swap exactly', () => {
  const measured = sides.filter(([, state, side]) => paidForLittle(state, side) !== undefined);
  for (const kind of ['pair', 'stable', 'concentrated'])
    expect(measured.filter(([, state]) => state.kind === kind).length, kind).toBeGreaterThan(5);
});

test.each(sides)(
  'pool %s: no input is needed to reach its own price, a higher one, zero or a negative one',
  (_, state, side) => {
    const now = marginalPrice(state, side);
    if (now === undefined) return;
    for (const price of [now, now * 1.01, 0, -1]) expect(inputToPrice(state, side, price)).toBe(0n);
  },
);

test.each(sides)('pool %s: the depth is what a fall of the price by 1 %% pays', (_, state, side) => {
  const mid = midOf(state, side)?.mid;
  if (mid === undefined) {
    expect(depthWithinOnePercent(state, side)).toBe(0n);
    return;
  }
  const depth = depthWithinOnePercent(state, side);
  expect(depthWithinOnePercent(state, side)).toBe(depth);
  const input = inputToPrice(state, side, mid * 0.99 * (1 - feeOf(state, side)));
  const paid = swap(state, side, input)?.amountOut;
  if (paid !== undefined && paid > 10n ** 6n) expect(Number(depth) / Number(paid)).toBeCloseTo(1, 2);
});

describe('a pool without a price', () => {
  const range = states.find(({ kind }) => kind === 'concentrated') as ConcentratedState;
  test.each<[string, PoolState]>([
    ['opaque', { kind: 'opaque', reason: 'plugin', sqrtPriceX96: 1n << 96n, liquidity: 10n ** 18n }],
    ['not initialised', { ...range, sqrtPriceX96: 0n, liquidity: 0n, ticks: [] }],
    ['an empty pair', { kind: 'pair', rule: 'uniswap-v2', reserve0: 0n, reserve1: 0n, feePips: [3000, 3000] }],
    ['a pair of one side', { kind: 'pair', rule: 'uniswap-v2', reserve0: 10n ** 9n, reserve1: 0n, feePips: [0, 0] }],
  ])('%s: no mid, no depth, no size', (_, state) => {
    expect(midOf(state, true)).toBeUndefined();
    expect(depthWithinOnePercent(state, true)).toBe(0n);
    expect(inputToPrice(state, true, 1e-9)).toBe(0n);
    expect(marginalPrice(state, true)).toBeUndefined();
  });
});
