import { expect, test } from 'vitest';
import type { PoolState } from '../../venues/poolTypes.ts';
import type { StableState } from '../../venues/solidly/stable.ts';
import { swap } from '../../venues/swap.ts';
import type { PairState } from '../../venues/uniswapV2/pair.ts';
import type { ConcentratedState } from '../../venues/uniswapV3/concentrated.ts';
import { toCurve } from './curve.ts';
import { concentratedState, pairState, seededRandom, testTokens } from './testMarket.ts';

const { LT, USDC, WETH } = testTokens;

/** Weighted pools compute with 18 decimals, so rounding dominates the output of smaller parts of a balance. */
function leastOf(state: PoolState, zeroForOne: boolean): bigint {
  if (state.kind !== 'weighted') return 10n ** 9n;
  return 10n ** 9n + (zeroForOne ? state.balance1 : state.balance0) / 10n ** 8n;
}

test('curves follow the exact swaps of every kind of pool', () => {
  const random = seededRandom(5);
  const positions = [0, 1, 2, 3].map((at) => ({ usd: 50_000, range: [0.5 + at / 9, 1 + at / 5] as const }));
  const stable: PoolState = {
    kind: 'stable',
    rule: 'solidly',
    reserve0: 2_000_000n * 10n ** 6n,
    reserve1: 1_300_000n * 10n ** 18n,
    unit0: 10n ** 6n,
    unit1: 10n ** 18n,
    feePips: [500, 500],
  };
  const weighted: PoolState = {
    kind: 'weighted',
    hasFastPowers: true,
    balance0: 800n * 10n ** 18n,
    balance1: 600_000n * 10n ** 6n,
    weight0: 8n * 10n ** 17n,
    weight1: 2n * 10n ** 17n,
    scale0: 1n,
    scale1: 10n ** 12n,
    swapFee: 3_141_592_653_589_793n,
    feePips: [3142, 3142],
  };
  const states = [
    weighted,
    { ...weighted, weight0: 3n * 10n ** 17n, weight1: 7n * 10n ** 17n, scale1: 1n, balance1: 10n ** 23n },
    pairState(LT, USDC, 300_000, 0, 3000),
    { ...pairState(WETH, USDC, 300_000, 0, 3000), rule: 'solidly' } as PoolState,
    concentratedState(LT, WETH, 3, 500, 10, positions),
    stable,
  ];
  for (const state of states) {
    for (const zeroForOne of [true, false]) {
      const curve = toCurve(state, zeroForOne);
      for (let round = 0; round < 200; round++) {
        const amountIn = BigInt(Math.floor(1e9 * 10 ** (random() * 17)));
        const exact = swap(state, zeroForOne, amountIn)?.amountOut;
        const paid = curve?.pay(Number(amountIn)) ?? 0;
        // Rounding to units dominates small amounts; a curve ends a thousandth before the pool is full.
        if (exact === undefined) expect(paid).toBeLessThan(1);
        else if (paid >= 0 && exact > leastOf(state, zeroForOne))
          expect(Math.abs(paid / Number(exact) - 1)).toBeLessThan(1e-8);
      }
    }
  }
});

const pair = pairState(LT, USDC, 300_000, 0, 3000) as PairState;
const wide = concentratedState(LT, USDC, 0, 3000, 60, [{ usd: 10_000, range: [0.5, 2] }]);
const even: StableState = {
  kind: 'stable',
  rule: 'solidly',
  reserve0: 10n ** 24n,
  reserve1: 10n ** 24n,
  unit0: 10n ** 18n,
  unit1: 10n ** 18n,
  feePips: [100, 100],
};

test.each<[string, PoolState]>([
  ['an unknown formula', { kind: 'opaque', reason: 'hook' }],
  ['a fee of 100 %', { ...pair, feePips: [1_000_000, 1_000_000] }],
  ['a negative fee', { ...pair, feePips: [-1, -1] }],
  ['a fee of NaN', { ...pair, feePips: [Number.NaN, Number.NaN] }],
  ['no reserve of the first token', { ...pair, reserve0: 0n }],
  ['no reserve of the second token', { ...pair, reserve1: 0n }],
  ['negative reserves', { ...pair, reserve0: -1n, reserve1: -1n }],
  ['no price', { ...wide, sqrtPriceX96: 0n }],
  ['negative liquidity', { ...wide, liquidity: -1n }],
  ['no liquidity', { ...wide, liquidity: 0n, ticks: [] }],
  ['an empty stable pool', { ...even, reserve0: 0n, reserve1: 0n }],
  ['one empty side of a stable pool', { ...even, reserve1: 0n }],
])('a pool with %s has no curve', (_, state) => {
  expect([toCurve(state, true), toCurve(state, false)]).toEqual([undefined, undefined]);
});

test('caches one curve for each direction of a pool', () => {
  const [down, up] = [toCurve(wide, true), toCurve(wide, false)];
  expect(toCurve(wide, true)).toBe(down);
  expect(toCurve(wide, false)).toBe(up);
  expect(down).not.toBe(up);
});

// The stable pool needs large amounts: with small ones, rounding errors exceed the measured difference.
test.each<[string, PoolState, number[]]>([
  ['pair', pair, [1e9, 1e18, 1e21]],
  ['concentrated pool', wide, [1e8, 1e9, 1e20]],
  ['stable pool', even, [1e18, 1e21, 1e23]],
])('the slope of a %s is the output of the next unit', (_, state, amounts) => {
  for (const zeroForOne of [true, false]) {
    const curve = toCurve(state, zeroForOne);
    for (const amountIn of amounts) {
      if (!curve || !(curve.pay(amountIn * 1.001) > 0)) continue;
      const measured = (curve.pay(amountIn * 1.0005) - curve.pay(amountIn * 0.9995)) / (amountIn * 0.001);
      expect(curve.slope(amountIn) / measured).toBeCloseTo(1, 3);
    }
  }
});

/** Positions at 10, 11, 12… ticks of the spacing above the price, so that a sale crosses two ticks for each. */
const rangesAbove = concentratedState(
  USDC,
  WETH,
  0,
  500,
  10,
  Array.from({ length: 8 }, (_, at) => ({ usd: 1000, range: [1.01 + at / 50, 1.015 + at / 50] as const })).concat({
    usd: 1000,
    range: [0.5, 2],
  }),
);

test('counts the same crossed ticks as the exact swap', () => {
  const curve = toCurve(rangesAbove, false);
  const counts = [1, 300, 1000, 3000, 6000].map((usd) => {
    const amountIn = BigInt(Math.floor((usd / WETH.usd) * 1e18));
    return [curve?.crossed(Number(amountIn)), swap(rangesAbove, false, amountIn)?.ticksCrossed];
  });
  for (const [estimated, exact] of counts) expect(estimated).toBe(exact);
  expect(new Set(counts.map(([estimated]) => estimated)).size).toBeGreaterThan(2);
});

test('reach returns the output of the part that a pool can take', () => {
  const narrow: ConcentratedState = { ...wide, ticks: [], knownFrom: wide.tick - 60, knownTo: wide.tick + 60 };
  for (const zeroForOne of [true, false]) {
    const curve = toCurve(narrow, zeroForOne);
    const enough = zeroForOne ? 1e30 : 1e18;
    expect(curve?.pay(enough)).toBe(Number.NEGATIVE_INFINITY);
    expect(curve?.slope(enough)).toBe(0);
    expect(curve?.crossed(enough)).toBe(0);
    const whole = toCurve(wide, zeroForOne);
    const reached = curve?.reach(enough) ?? 0;
    // 60 ticks move the price by 0.6 %, about that part of the output of a range from half to twice the price.
    expect(reached).toBeGreaterThan(0);
    expect(reached).toBeLessThan(0.02 * (whole?.reach(enough) ?? 0));
    expect(curve?.reach(1)).toBe(curve?.pay(1));
  }
});

test('ends at 256 ranges of liquidity', () => {
  const ticks = Array.from({ length: 400 }, (_, at) => ({
    index: wide.tick + 1 + at,
    liquidityNet: at % 2 ? -1_000_000n : 1_000_000n,
  }));
  const curve = toCurve({ ...wide, ticks, tickSpacing: 1, knownTo: wide.tick + 500 }, false);
  const most = curve?.reach(1e30) ?? 0;
  const ofRanges = toCurve({ ...wide, ticks: [], knownTo: wide.tick + 256 }, false)?.reach(1e30) ?? 0;
  expect(most / ofRanges).toBeGreaterThan(0.98);
  expect(most / ofRanges).toBeLessThan(1.02);
});
