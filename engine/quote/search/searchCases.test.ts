import { describe, expect, test } from 'vitest';
import {
  concentratedState,
  countEvaluations,
  pairState,
  poolOf,
  randomMarket,
  seededRandom,
  testTokens,
} from '../../../tests/support/engine/testMarket.ts';
import { toSearchQuery, unitsOf } from '../../../tests/support/engine/testQuery.ts';
import { swap } from '../../venues/models.ts';
import type { OpaqueState } from '../../venues/opaque.ts';
import type { Pool, PoolState } from '../../venues/poolTypes.ts';
import { midAlong } from './midAlong.ts';
import type { FilledPlan } from './planTypes.ts';
import { type SearchQuery, searchPlan } from './searchPlan.ts';

const { LT, USDC, WETH } = testTokens;

test('splits over three pools within 0.001 % of the best split in steps of 1 %', () => {
  const pools = [
    poolOf(pairState(LT, USDC, 400_000, 0, 3000), LT, USDC),
    poolOf(pairState(LT, USDC, 150_000, 20, 2500), LT, USDC),
    poolOf(concentratedState(LT, USDC, -10, 3000, 60, [{ usd: 90_000, range: [0.93, 1.06] }]), LT, USDC),
  ];
  const query = { ...toSearchQuery(pools, LT, USDC, 40_000), gasPrice: undefined };
  const parts = pools.map(({ ref, state }) =>
    Array.from({ length: 101 }, (_, part) => {
      const amountIn = (query.amountIn * BigInt(part)) / 100n;
      return part === 0 ? 0n : swap(state, ref.token0 === query.tokenIn, amountIn)?.amountOut;
    }),
  );
  let most = 0n;
  for (let first = 0; first <= 100; first++) {
    for (let second = 0; second <= 100 - first; second++) {
      const paid = [parts[0]?.[first], parts[1]?.[second], parts[2]?.[100 - first - second]];
      if (paid.every((amount) => amount !== undefined))
        most = max(
          most,
          paid.reduce((sum, amount) => sum + amount, 0n),
        );
    }
  }
  const found = searchPlan(query).best?.amountOut ?? 0n;
  expect(found * 100_000n).toBeGreaterThan(most * 99_999n);
});

const max = (a: bigint, b: bigint) => (a > b ? a : b);

test('splits a hop over several pools against one routing asset', () => {
  const pools = [
    poolOf(pairState(LT, WETH, 100_000, 0, 3000), LT, WETH),
    poolOf(pairState(LT, WETH, 120_000, 0, 3000), LT, WETH),
    poolOf(pairState(LT, WETH, 80_000, 0, 2500), LT, WETH),
    poolOf(pairState(WETH, USDC, 5_000_000, 0, 500), WETH, USDC),
  ];
  const { best, single } = searchPlan(toSearchQuery(pools, LT, USDC, 10_000));
  expect(single?.legs).toHaveLength(2);
  expect(best?.legs.map(({ tokenIn }) => tokenIn)).toEqual([LT, LT, LT, WETH].map(({ address }) => address));
});

test('keeps the single route if splitting costs more gas than it gains', () => {
  const pools = [300_000, 300_000].map((usd) => poolOf(pairState(LT, USDC, usd, 0, 3000), LT, USDC));
  const query = toSearchQuery(pools, LT, USDC, 1000);
  expect(searchPlan({ ...query, gasPrice: undefined }).best?.legs).toHaveLength(2);
  // Here a second leg gains 1.6 dollars and costs 85,000 gas.
  expect(searchPlan({ ...query, gasPrice: 2e6 / 85_000 }).best?.legs).toHaveLength(1);
  expect(searchPlan({ ...query, gasPrice: 1e6 / 85_000 }).best?.legs).toHaveLength(2);
});

test('without a price of gas keeps the single route if splitting gains 5 bps or less', () => {
  const pools = [300_000, 300_000].map((usd) => poolOf(pairState(LT, USDC, usd, 0, 3000), LT, USDC));
  const query = toSearchQuery(pools, LT, USDC, 290);
  const { best, single } = searchPlan({ ...query, gasPrice: undefined });
  expect(best).toBe(single);
  expect(searchPlan({ ...query, gasPrice: 0 }).best?.legs).toHaveLength(2);
});

test('compares exact outputs of small amounts, which differ between pools only by rounding', () => {
  const pools = [30, 25, 20, 15, 10, 5, 0].map((skew) =>
    poolOf(concentratedState(USDC, WETH, skew, 500, 10, [{ usd: 1e6, range: [0.5, 2] }]), USDC, WETH),
  );
  pools.push(poolOf(pairState(USDC, WETH, 1e6, 0, 0), USDC, WETH));
  const query = { ...toSearchQuery(pools, USDC, WETH, 1), amountIn: 10n };
  const paid = pools.map(({ ref, state }) => swap(state, ref.token0 === USDC.address, 10n)?.amountOut ?? 0n);
  expect(searchPlan(query).single?.amountOut).toBe(paid.reduce(max));
});

test('splits an order that no single route can take', () => {
  const range = [0.9, 1.1] as const;
  const pools = [1, 2, 3].map(() =>
    poolOf(concentratedState(LT, USDC, 0, 3000, 60, [{ usd: 10_000, range }]), LT, USDC),
  );
  const { best, single } = searchPlan(toSearchQuery(pools, LT, USDC, 12_000));
  expect(single).toBeUndefined();
  expect(best?.legs).toHaveLength(3);
});

const midOfBest = (query: SearchQuery) => midAlong(searchPlan(query).single?.legs ?? [], query.pools);

test('uses the mid of the deepest pool, and no mid of pools without liquidity at the price', () => {
  const deep = poolOf(pairState(LT, USDC, 1_000_000, 50, 3000), LT, USDC);
  const thin = poolOf(pairState(LT, USDC, 1000, 900, 3000), LT, USDC);
  const mid = midOfBest(toSearchQuery([thin, deep], LT, USDC, 10_000));
  expect(mid).toBeCloseTo(((LT.usd * 1.005) / USDC.usd) * 10 ** (USDC.decimals - LT.decimals), 16);
  const gap = concentratedState(LT, USDC, 0, 3000, 60, [
    { usd: 10_000, range: [0.5, 0.9] },
    { usd: 1, range: [1.1, 2] },
  ]);
  expect(midOfBest(toSearchQuery([poolOf(gap, LT, USDC)], LT, USDC, 100))).toBeUndefined();
});

test('returns at most 8 routes over opaque pools, the highest estimate first, and none over an empty pool', () => {
  const opaque = (usd: number, skew: number): Pool => {
    const { sqrtPriceX96, liquidity } = concentratedState(LT, USDC, skew, 0, 60, [{ usd, range: [0.1, 10] }]);
    const state: OpaqueState = {
      kind: 'opaque',
      reason: 'hook',
      sqrtPriceX96,
      liquidity,
      balance0: unitsOf(usd, LT),
      balance1: unitsOf(usd, USDC),
    };
    return poolOf(state, LT, USDC);
  };
  const better = opaque(500_000, 100);
  const worse = opaque(500_000, -100);
  const empty = opaque(10, 5000);
  const many = Array.from({ length: 50 }, () => opaque(400_000, -500));
  const pools = [poolOf(pairState(LT, USDC, 500_000, 0, 3000), LT, USDC), empty, ...many, worse, better];
  const { opaque: routes, best } = searchPlan(toSearchQuery(pools, LT, USDC, 1000));
  expect(best?.legs).toHaveLength(1);
  expect(routes[0]?.legs[0]?.pool).toBe(better.ref);
  expect(routes[1]?.legs[0]?.pool).toBe(worse.ref);
  expect(routes.length).toBeLessThanOrEqual(8);
  expect(routes.flatMap(({ legs }) => legs).some(({ pool }) => pool === empty.ref)).toBe(false);
});

describe('with hostile pools', () => {
  const honest = randomMarket(seededRandom(3));
  const query = toSearchQuery(honest, LT, USDC, 40_000);
  const huge = 2n ** 255n;
  const sane = concentratedState(LT, USDC, 0, 3000, 60, [{ usd: 1000, range: [0.5, 2] }]);
  const manyTicks = Array.from({ length: 10_000 }, (_, at) => ({ index: at - 5000, liquidityNet: at % 2 ? -1n : 1n }));
  const hostile: PoolState[] = [
    { kind: 'pair', rule: 'uniswap-v2', reserve0: 0n, reserve1: huge, feePips: [3000, 3000] },
    { kind: 'pair', rule: 'uniswap-v2', reserve0: 1n, reserve1: 1n, feePips: [3000, 3000] },
    { kind: 'pair', rule: 'camelot', reserve0: 10n ** 18n, reserve1: 10n ** 18n, feePips: [1_000_000, 2_000_000] },
    { kind: 'pair', rule: 'solidly', reserve0: -5n, reserve1: 10n, feePips: [Number.NaN, -4] },
    { kind: 'stable', rule: 'solidly', reserve0: huge, reserve1: 1n, unit0: 0n, unit1: huge, feePips: [1, 1] },
    { kind: 'stable', rule: 'solidly', reserve0: 1n, reserve1: huge, unit0: 1n, unit1: 1n, feePips: [1, 1] },
    { ...sane, sqrtPriceX96: 0n },
    { ...sane, sqrtPriceX96: huge },
    { ...sane, liquidity: -1n },
    { ...sane, liquidity: huge, ticks: [] },
    { ...sane, tick: 2 ** 31, knownFrom: 5, knownTo: -5 },
    { ...sane, ticks: [...sane.ticks].reverse() },
    { ...sane, ticks: manyTicks },
    { ...sane, ticks: sane.ticks.map(({ index }) => ({ index, liquidityNet: -huge })) },
  ];

  test('returns at least the output without them', () => {
    const before = searchPlan(query);
    for (const state of hostile) {
      const { best } = searchPlan({ ...query, pools: [poolOf(state, LT, USDC), ...honest] });
      expect(best?.amountOut).toBeGreaterThanOrEqual(before.best?.amountOut ?? 0n);
    }
  });

  test('evaluates pools at most 2,000 times with 300 dust pools at a better price', () => {
    const dust = Array.from({ length: 300 }, (_, at) => {
      const ranges = Array.from({ length: 60 }, (_, step) => ({
        usd: 0.03,
        range: [1 - step / 500, 1.0001 - step / 500] as const,
      }));
      return poolOf(concentratedState(LT, USDC, 2000 + at, 100, 1, ranges), LT, USDC);
    });
    const [before, after] = [[], dust].map((extra) => {
      const pools = [...extra, ...randomMarket(seededRandom(3))];
      const evaluations = countEvaluations(pools);
      return { amountOut: searchPlan({ ...query, pools }).best?.amountOut ?? 0n, evaluations: evaluations.count };
    }) as [SearchedMarket, SearchedMarket];
    expect(after.amountOut * 100_000n).toBeGreaterThanOrEqual(before.amountOut * 99_999n);
    expect(after.evaluations).toBeLessThanOrEqual(2_000);
  });
});

interface SearchedMarket {
  amountOut: bigint;
  evaluations: number;
}

test.each([0.01, 1])(
  'loses at most 0.0002 % of the output to dust pools of %f USD per position at the best price',
  (usdOfPosition) => {
    const pools = [
      poolOf(pairState(WETH, USDC, 9_000_000, 0, 500), WETH, USDC),
      poolOf(pairState(WETH, USDC, 6_000_000, 5, 3000), WETH, USDC),
      poolOf(concentratedState(WETH, USDC, 8, 500, 10, [{ usd: 4_000_000, range: [0.5, 2] }]), WETH, USDC),
    ];
    const ranges = Array.from({ length: 60 }, (_, at) => ({
      usd: usdOfPosition,
      range: [0.9998 + at / 500, 1.0002 + at / 500] as const,
    }));
    const dust = Array.from({ length: 10 }, (_, at) =>
      poolOf(concentratedState(WETH, USDC, -2000 - at, 100, 1, ranges), WETH, USDC),
    );
    for (const usd of [300, 40_000, 300_000]) {
      const clean = searchPlan(toSearchQuery(pools, WETH, USDC, usd)).best as FilledPlan;
      const dusty = searchPlan(toSearchQuery([...pools, ...dust], WETH, USDC, usd)).best as FilledPlan;
      expect(Number(dusty.amountOut)).toBeGreaterThan(Number(clean.amountOut) * (1 - 2e-6));
    }
  },
);
