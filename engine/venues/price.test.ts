import { describe, expect, test } from 'vitest';
import { recordedSwaps } from '../../tests/support/recordedSwaps.ts';
import { depthWithinOnePercent, midOf, modelOf, swap } from './models.ts';
import type { PoolState } from './poolTypes.ts';
import type { StableState } from './solidly/stable.ts';
import type { ConcentratedState } from './uniswapV3/concentrated.ts';

const states = recordedSwaps.map(({ state }) => state).filter(({ kind }) => kind !== 'opaque');
const sides = states.flatMap((state, index) =>
  [true, false].map(
    (zeroForOne) => [`${index} (${state.kind}) ${zeroForOne ? '0→1' : '1→0'}`, state, zeroForOne] as const,
  ),
);
const feeOf = (state: PoolState, zeroForOne: boolean) =>
  state.kind === 'opaque' ? 0 : state.feePips[zeroForOne ? 0 : 1] / 1e6;

/** Output for the next unit of input, after the fee. In a gap without liquidity, the price beyond the gap. */
function marginalPrice(state: PoolState, zeroForOne: boolean): number | undefined {
  return modelOf(state).curve(state, zeroForOne)?.slope(0) || undefined;
}

/** Weighted pools round powers to 18 decimals, so that smaller parts of a balance are inexact. */
function leastOf(state: PoolState, zeroForOne: boolean): bigint {
  const least = 10n ** 7n;
  return state.kind === 'weighted' ? least + (zeroForOne ? state.balance1 : state.balance0) / 10n ** 8n : least;
}

/** The price of a swap far smaller than the pool; undefined if rounding would distort it. */
function paidForSmallSwap(state: PoolState, zeroForOne: boolean): number | undefined {
  const least = leastOf(state, zeroForOne);
  for (let exponent = 6n; exponent < 40n; exponent++) {
    const amountIn = 10n ** exponent;
    const paid = swap(state, zeroForOne, amountIn)?.amountOut;
    const twice = swap(state, zeroForOne, 2n * amountIn)?.amountOut;
    if (!paid || !twice || paid < least) continue;
    // Half the loss from one swap to the next corrects the price to that of the first unit.
    const [price, next] = [Number(paid) / Number(amountIn), Number(twice) / Number(2n * amountIn)];
    return next / price > 0.999 ? price + (price - next) : undefined;
  }
  return undefined;
}

test.each(sides)(
  'pool %s: a small swap pays out at the marginal price, which is the mid less the fee',
  (_, state, side) => {
    const paid = paidForSmallSwap(state, side);
    const marginal = marginalPrice(state, side);
    if (paid !== undefined) expect(Math.abs(paid / (marginal ?? 0) - 1)).toBeLessThan(1e-4);
    // An empty range has no mid.
    if (marginal === undefined || (state.kind === 'concentrated' && state.liquidity === 0n)) return;
    expect(marginal / ((midOf(state, side)?.mid ?? 0) * (1 - feeOf(state, side)))).toBeCloseTo(1, 9);
  },
);

test('the recorded swaps include over five pools and directions of each kind with a measurable price', () => {
  const measured = sides.filter(([, state, side]) => paidForSmallSwap(state, side) !== undefined);
  for (const kind of ['pair', 'stable', 'concentrated', 'weighted'])
    expect(measured.filter(([, state]) => state.kind === kind).length, kind).toBeGreaterThan(5);
});

/** The largest swap after which the marginal price is at least 99 % of the price before it, found by swaps alone. */
function fallByOnePercent(state: PoolState, zeroForOne: boolean): bigint | undefined {
  const now = marginalPrice(state, zeroForOne);
  if (now === undefined) return undefined;
  const swapWithin = (amountIn: bigint) => {
    const result = swap(state, zeroForOne, amountIn);
    const after = result && marginalPrice(result.state, zeroForOne);
    return after !== undefined && after >= now * 0.99 ? result : undefined;
  };
  let [low, high] = [0n, 1n << 110n];
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (swapWithin(middle) || middle < 10n ** 4n) low = middle;
    else high = middle;
  }
  const amountOut = swapWithin(low)?.amountOut;
  return amountOut !== undefined && amountOut > 10n ** 6n ? amountOut : undefined;
}

test('the depth up to a price fall of 1 % equals the one that a search by swaps finds', () => {
  const compared = { pair: 0, stable: 0, concentrated: 0, weighted: 0, opaque: 0 };
  for (const [name, state, side] of sides) {
    const found = fallByOnePercent(state, side);
    if (found === undefined) continue;
    // No other test has read the depth of a copy, so it is computed here.
    const depth = depthWithinOnePercent({ ...state }, side);
    // A gap in the liquidity, or ticks that were not read, end a range early: then the depth is a lower bound.
    if (state.kind === 'concentrated') {
      expect(Number(depth), name).toBeLessThanOrEqual(Number(found) * 1.01);
      if (Number(depth) < Number(found) * 0.99) continue;
    } else {
      // A fee that stays in the pool lowers the price, too.
      const tolerance = Math.max(0.005, 1.1 * feeOf(state, side));
      expect(Math.abs(Number(depth) / Number(found) - 1), name).toBeLessThan(tolerance);
    }
    compared[state.kind] += 1;
  }
  for (const kind of ['pair', 'stable', 'concentrated', 'weighted'] as const)
    expect(compared[kind], kind).toBeGreaterThan(20);
});

test('a depth is computed once for each state and direction', () => {
  for (const [, state, side] of sides.slice(0, 20)) {
    const copy = { ...state };
    const depth = depthWithinOnePercent(copy, side);
    expect(depth).toBe(depthWithinOnePercent(state, side));
    if ('reserve0' in copy) Object.assign(copy, { reserve0: 1n, reserve1: 1n });
    expect(depthWithinOnePercent(copy, side)).toBe(depth);
  }
});

test.each([1_000_000, 2_000_000, -1])('a fee of %i millionths leaves no curve', (fee) => {
  for (const kind of ['pair', 'stable', 'concentrated'] as const) {
    const state = { ...states.find((each) => each.kind === kind), feePips: [fee, fee] } as PoolState;
    expect(modelOf(state).curve(state, true), kind).toBeUndefined();
    expect(modelOf(state).curve(state, false), kind).toBeUndefined();
  }
});

describe('a pool without a price', () => {
  const range = states.find(({ kind }) => kind === 'concentrated') as ConcentratedState;
  test.each<[string, PoolState]>([
    ['opaque', { kind: 'opaque', reason: 'plugin', sqrtPriceX96: 1n << 96n, liquidity: 10n ** 18n }],
    ['not initialised', { ...range, sqrtPriceX96: 0n, liquidity: 0n, ticks: [] }],
    ['an empty pair', { kind: 'pair', rule: 'uniswap-v2', reserve0: 0n, reserve1: 0n, feePips: [3000, 3000] }],
    ['a pair of one side', { kind: 'pair', rule: 'uniswap-v2', reserve0: 10n ** 9n, reserve1: 0n, feePips: [0, 0] }],
    ['a stable pair of one side', { ...(states.find(({ kind }) => kind === 'stable') as StableState), reserve1: 0n }],
  ])('%s: no mid, no depth, no marginal price', (_, state) => {
    for (const side of [true, false]) {
      expect(midOf(state, side)).toBeUndefined();
      expect(modelOf(state).price(state, side)).toBeUndefined();
      expect(depthWithinOnePercent(state, side)).toBe(0n);
      expect(marginalPrice(state, side)).toBeUndefined();
    }
  });

  test('an empty range between two others has a price, and no mid', () => {
    const ticks = [
      { index: range.tick - 600, liquidityNet: 10n ** 18n },
      { index: range.tick - 300, liquidityNet: -(10n ** 18n) },
    ];
    const gap = { ...range, liquidity: 0n, ticks };
    expect(modelOf(gap).price(gap, true)).toBeGreaterThan(0);
    expect(midOf(gap, true)).toBeUndefined();
  });
});
