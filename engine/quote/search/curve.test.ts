import { expect, test } from 'vitest';
import { concentratedState, pairState, seededRandom, testTokens } from '../../../tests/support/engine/testMarket.ts';
import type { WeightedState } from '../../venues/balancerV2/weighted.ts';
import { swap } from '../../venues/models.ts';
import type { PoolState } from '../../venues/poolTypes.ts';
import type { StableState } from '../../venues/solidly/stable.ts';
import type { PairState } from '../../venues/uniswapV2/pair.ts';
import type { ConcentratedState } from '../../venues/uniswapV3/concentrated.ts';
import { toCurve } from './curve.ts';

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
    // Powers with a logarithm round up, those with a quotient of 4 in later releases do not.
    { ...weighted, hasFastPowers: false },
    { ...weighted, weight0: 3n * 10n ** 17n, weight1: 7n * 10n ** 17n, scale1: 1n, balance1: 10n ** 23n },
    pairState(LT, USDC, 300_000, 0, 3000),
    pairState(LT, USDC, 300_000, 0, 0),
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
        // Rounding to units dominates small amounts.
        if (exact === undefined) expect(paid).toBeLessThan(1);
        else if (paid < 0) expect(isAlmostFull(state, zeroForOne, amountIn)).toBe(true);
        else if (exact > leastOf(state, zeroForOne)) expect(Math.abs(paid / Number(exact) - 1)).toBeLessThan(1e-8);
      }
    }
  }
});

/** Whether the pool takes less than a thousandth more, or pays all but a thousandth of a reserve: its curve ends before. */
function isAlmostFull(state: PoolState, zeroForOne: boolean, amountIn: bigint): boolean {
  const paid = swap(state, zeroForOne, amountIn)?.amountOut ?? 0n;
  if (state.kind === 'stable') return paid * 1000n > (zeroForOne ? state.reserve1 : state.reserve0) * 999n;
  return swap(state, zeroForOne, (amountIn * 1001n) / 1000n) === undefined;
}

const pair = pairState(LT, USDC, 300_000, 0, 3000) as PairState;
const wide = concentratedState(LT, USDC, 0, 3000, 60, [{ usd: 10_000, range: [0.5, 2] }]);
const weighted: WeightedState = {
  kind: 'weighted',
  hasFastPowers: false,
  balance0: 10n ** 24n,
  balance1: 4n * 10n ** 12n,
  weight0: 2n * 10n ** 17n,
  weight1: 8n * 10n ** 17n,
  scale0: 1n,
  scale1: 10n ** 12n,
  swapFee: 3n * 10n ** 15n,
  feePips: [3000, 3000],
};
const even: StableState = {
  kind: 'stable',
  rule: 'solidly',
  reserve0: 10n ** 24n,
  reserve1: 10n ** 24n,
  unit0: 10n ** 18n,
  unit1: 10n ** 18n,
  feePips: [100, 100],
};

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

const mixed: StableState = { ...even, unit0: 10n ** 6n, reserve0: 10n ** 12n, feePips: [5000, 5000] };
const sixDecimals: StableState = { ...mixed, unit1: 10n ** 6n, reserve1: 10n ** 12n };

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
  ['no balance of the first token of a weighted pool', { ...weighted, balance0: 0n }],
  ['no balance of the second token of a weighted pool', { ...weighted, balance1: 0n }],
  ['no weight of the first token', { ...weighted, weight0: 0n }],
  ['no weight of the second token', { ...weighted, weight1: 0n }],
  ['a fee of 100 % of a weighted pool', { ...weighted, swapFee: 10n ** 18n }],
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
  ['stable pool of tokens with 6 decimals', sixDecimals, [1e9, 2e11, 9e11]],
  ['weighted pool', weighted, [1e10, 1e11, 1e12, 1e21, 1e23]],
  ['pool of several ranges', rangesAbove, [3e16, 3e17, 9e17, 1.8e18, 1e9, 1e10]],
])('the slope of a %s is the output of the next unit', (_, state, amounts) => {
  let compared = 0;
  for (const zeroForOne of [true, false]) {
    const curve = toCurve(state, zeroForOne);
    for (const amountIn of amounts) {
      if (!curve || !(curve.pay(amountIn * 1.001) > 0)) continue;
      compared += 1;
      const measured = (curve.pay(amountIn * 1.0005) - curve.pay(amountIn * 0.9995)) / (amountIn * 0.001);
      expect(curve.slope(amountIn) / measured).toBeCloseTo(1, 3);
    }
  }
  expect(compared).toBeGreaterThan(amounts.length);
});

/** Amounts on both sides of each of the first crossings of ticks. */
function aroundCrossings(state: ConcentratedState, zeroForOne: boolean): bigint[] {
  return [1, 2, 3, 4].flatMap((count) => {
    let [low, high] = [1n, 1n << 90n];
    while (high - low > 1n) {
      const middle = (low + high) / 2n;
      if ((swap(state, zeroForOne, middle)?.ticksCrossed ?? count) >= count) high = middle;
      else low = middle;
    }
    return [high - high / 100_000n, high + high / 100_000n];
  });
}

test('follows the exact swap across ticks, whatever the order of the amounts', () => {
  const amounts = aroundCrossings(rangesAbove, false);
  const [first, last] = [amounts[0] as bigint, amounts.at(-1) as bigint];
  const curve = toCurve({ ...rangesAbove }, false);
  const expectExact = (amountIn: bigint) => {
    const exact = swap(rangesAbove, false, amountIn);
    expect((curve?.pay(Number(amountIn)) ?? 0) / Number(exact?.amountOut)).toBeCloseTo(1, 7);
    expect(curve?.crossed(Number(amountIn))).toBe(exact?.ticksCrossed);
  };
  for (const amountIn of [...amounts, ...amounts.toReversed(), last, first, last]) expectExact(amountIn);
  expect(new Set(amounts.map((amountIn) => swap(rangesAbove, false, amountIn)?.ticksCrossed)).size).toBe(5);
});

test.each([true, false])('a stable pool never pays its last ten-thousandth (zeroForOne: %s)', (zeroForOne) => {
  const curve = toCurve(mixed, zeroForOne);
  const [unitIn, most] = zeroForOne ? [1e6, 1e24] : [1e18, 1e12];
  expect((curve?.pay(1e7 * unitIn) ?? 0) / most).toBeGreaterThan(0.99);
  expect(curve?.pay(1e12 * unitIn)).toBe(Number.NEGATIVE_INFINITY);
  expect(curve?.reach(1e12 * unitIn)).toBe(Number.NEGATIVE_INFINITY);
});

test('nothing sold pays nothing', () => {
  for (const state of [pair, wide, even, weighted]) {
    const curve = toCurve({ ...state }, true);
    expect([curve?.pay(0), curve?.reach(0), curve?.crossed(0), curve?.crossed(1)]).toEqual([0, 0, 0, 0]);
  }
});

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

test.each([true, false])(
  'a weighted pool takes up to 30 %% of its balance, after the fee (zeroForOne: %s)',
  (zeroForOne) => {
    const curve = toCurve(weighted, zeroForOne);
    const most = (0.3 * Number(zeroForOne ? weighted.balance0 : weighted.balance1)) / 0.997;
    const [inside, outside] = [most * (1 - 1e-6), most * (1 + 1e-6)];
    expect(curve?.pay(inside)).toBeGreaterThan(0);
    expect(curve?.slope(inside)).toBeGreaterThan(0);
    expect(curve?.reach(inside)).toBe(curve?.pay(inside));
    expect(swap(weighted, zeroForOne, BigInt(Math.floor(inside)))).toBeDefined();
    expect(curve?.pay(outside)).toBe(Number.NEGATIVE_INFINITY);
    expect(curve?.slope(outside)).toBe(0);
    expect((curve?.reach(outside) ?? 0) / (curve?.pay(inside) ?? 0)).toBeCloseTo(1, 5);
    expect(swap(weighted, zeroForOne, BigInt(Math.floor(outside)))).toBeUndefined();
    expect([curve?.crossed(inside), curve?.crossed(outside)]).toEqual([0, 0]);
  },
);

test('the smallest amounts, whose power a weighted pool rounds up to its balance, pay nothing', () => {
  const curve = toCurve(weighted, true);
  expect(curve?.pay(1)).toBe(0);
  expect(curve?.reach(1)).toBe(0);
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
