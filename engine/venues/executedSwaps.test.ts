import { describe, expect, test } from 'vitest';
import { recordedSwaps } from '../../tests/support/recordedSwaps.ts';
import type { WeightedState } from './balancerV2/weighted.ts';
import { midOf, swap } from './models.ts';
import type { PoolState } from './poolTypes.ts';
import type { StableState } from './solidly/stable.ts';
import type { PairState } from './uniswapV2/pair.ts';
import type { ConcentratedState } from './uniswapV3/concentrated.ts';

function changingPart(state: PoolState | undefined): string | undefined {
  if (state?.kind === 'concentrated') return `${state.sqrtPriceX96} ${state.tick} ${state.liquidity}`;
  if (state?.kind === 'weighted') return `${state.balance0} ${state.balance1}`;
  return state && 'reserve0' in state ? `${state.reserve0} ${state.reserve1}` : undefined;
}

test.each(recordedSwaps.map((one, index) => [`${index} on ${one.venue}`, one] as const))(
  'swap %s pays what the quoter or the execution paid and leaves the same state',
  (_, { state, zeroForOne, amountIn, amountOut, after }) => {
    const result = swap(state, zeroForOne, amountIn);
    expect(result?.amountOut).toBe(amountOut);
    if (after) expect(changingPart(result?.state)).toBe(after);
  },
);

const first = <T extends PoolState>(kind: T['kind'], rule: string): T =>
  recordedSwaps.find(({ state }) => state.kind === kind && 'rule' in state && state.rule === rule)?.state as T;
const pair = first<PairState>('pair', 'uniswap-v2');
const stable = first<StableState>('stable', 'solidly');
const range = first<ConcentratedState>('concentrated', 'uniswap-v3');

const weighted = recordedSwaps.find(({ state }) => state.kind === 'weighted')?.state as WeightedState;
test.each([
  ['nothing is sold', weighted, 0n],
  ['a negative amount is sold', weighted, -1n],
  ['it holds no token0', { ...weighted, balance0: 0n }, 10n ** 12n],
  ['it holds no token1', { ...weighted, balance1: 0n }, 10n ** 12n],
])('a weighted pool returns undefined if %s', (_, state, amountIn) => {
  expect(swap(state, true, amountIn)).toBeUndefined();
  expect(swap(state, false, amountIn)).toBeUndefined();
});

test('a weighted pool takes balances of up to 112 bits', () => {
  const amountIn = 10n ** 30n;
  const large = { ...weighted, scale0: 1n, scale1: 1n, balance0: (1n << 112n) - 1n - amountIn, balance1: 1n << 111n };
  expect(swap(large, true, amountIn)).toBeDefined();
  expect(swap(large, true, amountIn + 1n)).toBeUndefined();
});

describe.each([
  ['pair', pair],
  ['stable pair', stable],
])('a %s', (_, state) => {
  test.each([
    ['nothing is sold', state, 0n],
    ['a negative amount is sold', state, -1n],
    ['it holds no token0', { ...state, reserve0: 0n }, 10n ** 12n],
    ['it holds no token1', { ...state, reserve1: 0n }, 10n ** 12n],
  ])('returns undefined if %s', (_case, changed, amountIn) => {
    expect(swap(changed as PoolState, true, amountIn)).toBeUndefined();
    expect(swap(changed as PoolState, false, amountIn)).toBeUndefined();
  });
});

test('an amount whose products exceed 256 bits returns undefined', () => {
  const wide = { ...pair, rule: 'solidly', reserve0: 1n << 200n, reserve1: 1n << 100n } as const;
  // The pair multiplies the input by the other reserve before it deducts the fee.
  expect(swap(wide, true, 1n << 157n)).toBeUndefined();
  expect(swap(stable, true, 1n << 250n)).toBeUndefined();
});

test('a pool of an unknown curve returns undefined', () => {
  const opaque = { kind: 'opaque', reason: 'hook', sqrtPriceX96: 1n << 96n } as const;
  expect(swap(opaque, true, 1000n)).toBeUndefined();
  expect(midOf(opaque, true)).toBeUndefined();
});

test('a range without liquidity is crossed without a payment', () => {
  const [lower, upper] = [range.tick - 2 * range.tickSpacing, range.tick - range.tickSpacing].map(
    (tick) => tick - (((tick % range.tickSpacing) + range.tickSpacing) % range.tickSpacing),
  ) as [number, number];
  const ticks = [
    { index: lower - range.tickSpacing, liquidityNet: 10n ** 18n },
    { index: lower, liquidityNet: -(10n ** 18n) },
  ];
  const empty = { ...range, ticks, liquidity: 0n, knownFrom: -887_272, knownTo: 887_272 };
  const result = swap(empty, true, 10n ** 6n);
  expect(result?.ticksCrossed).toBe(1);
  expect(result?.state).toMatchObject({ liquidity: 10n ** 18n });
  expect(result && 'tick' in result.state && result.state.tick).toBeLessThan(upper);
});
