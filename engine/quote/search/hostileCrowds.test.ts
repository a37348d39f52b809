import { padHex, toHex } from 'viem';
import { expect, test } from 'vitest';
import {
  concentratedState,
  countEvaluations,
  pairState,
  poolOf,
  seededRandom,
  type TestToken,
  testTokens,
} from '../../../tests/support/engine/testMarket.ts';
import { toSearchQuery } from '../../../tests/support/engine/testQuery.ts';
import { toLowerAddress } from '../../lowerAddress.ts';
import type { Pool } from '../../venues/poolTypes.ts';
import { toSampledCurve } from '../../venues/sampledCurve.ts';
import { maxWork } from './network.ts';
import { searchPlan } from './searchPlan.ts';

const { LT, USDC, WETH, AERO, DAI } = testTokens;
type Pair = readonly [TestToken, TestToken];

const pairs: readonly Pair[] = [
  [LT, USDC],
  [LT, WETH],
  [WETH, USDC],
  [LT, AERO],
  [AERO, USDC],
  [WETH, AERO],
  [LT, DAI],
  [DAI, USDC],
];

/** As many routing tokens as a search uses, any two of which have pools: routes need all orders of tokens. */
const manyTokens = Array.from({ length: 16 }, (_, index): TestToken => {
  const address = toLowerAddress(padHex(toHex(0x1000 + index), { size: 20 }));
  return { address, usd: 10 ** ((index % 4) - 1), decimals: index % 3 === 0 ? 6 : 18 };
});
const connected = [LT, ...manyTokens, USDC];
const allPairs = connected.flatMap((a, at) => connected.slice(at + 1).map((b): Pair => [a, b]));

interface Crowd {
  pools: number;
  /** US dollars of each pool, least and most. */
  usd: readonly [number, number];
  /** Positions of a concentrated pool, at most. */
  positions: number;
  /** Part of the pools that are pairs. */
  pairPart: number;
  /** Liquidity also lies far from the price, so that a pool takes any order. */
  isWide: boolean;
  /** Any two of 18 tokens have pools. */
  isConnected?: boolean;
}

/** Pools within 20 bps of the market, each of which an order can use. */
function crowdedMarket({ pools, usd, positions, pairPart, isWide, isConnected }: Crowd, random: () => number): Pool[] {
  const between = (from: number, to: number) => from * (to / from) ** random();
  const usual = isConnected ? allPairs : pairs;
  return Array.from({ length: pools }, () => {
    const [a, b] = usual[Math.floor(random() * usual.length)] as Pair;
    const skewBps = (random() - 0.5) * 40;
    const size = between(...usd);
    if (random() < pairPart) return poolOf(pairState(a, b, size, skewBps, 500), a, b);
    const narrow = Array.from({ length: 1 + Math.floor(random() * positions) }, () => {
      const [middle, half] = [1 + (random() - 0.5) * 0.02, between(0.001, 0.05)];
      return { usd: size * between(0.1, 1), range: [middle / (1 + half), middle * (1 + half)] as const };
    });
    const all = isWide ? [{ usd: size, range: [0.2, 5] as const }, ...narrow] : narrow;
    return poolOf(concentratedState(a, b, skewBps, 500, 1, all), a, b);
  });
}

const mixed: Crowd = { pools: 60, usd: [2e4, 2e6], positions: 6, pairPart: 0.5, isWide: true };

test.each([
  { name: '60 pools', crowd: mixed },
  { name: '60 pools with many ticks', crowd: { ...mixed, positions: 40, pairPart: 0 } },
  {
    name: '120 pools near their capacity',
    crowd: { ...mixed, pools: 120, usd: [20, 2e4], pairPart: 0, isWide: false },
  },
  { name: '300 pools', crowd: { ...mixed, pools: 300 } },
  { name: '300 pools of 18 tokens', crowd: { ...mixed, pools: 300, isConnected: true } },
  { name: '600 thin pools of 18 tokens', crowd: { ...mixed, pools: 600, usd: [200, 2e4], isConnected: true } },
] as const)('a search and its depth stay within the bound of work in a market of $name', ({ crowd }) => {
  const { isConnected }: Crowd = crowd;
  const random = seededRandom(5);
  const evaluations = Array.from({ length: 12 }, () => {
    const pools = crowdedMarket(crowd, random);
    const usual = toSearchQuery(pools, LT, USDC, Math.round(2_000 * 250 ** random()));
    const query = isConnected ? { ...usual, routingTokens: manyTokens.map(({ address }) => address) } : usual;
    const counted = countEvaluations(pools);
    const { best, depthBelow } = searchPlan(query);
    if (best) depthBelow(best.amountOut);
    return counted.count;
  });
  // The order, the growth of its depth, and two or three searches of larger orders.
  expect(Math.max(...evaluations)).toBeLessThanOrEqual(4 * maxWork);
});

test('200 pools without maths add at most 40 executions, and their curves no work beyond the bound', () => {
  const random = seededRandom(7);
  for (let count = 0; count < 6; count++) {
    const computed = crowdedMarket(mixed, random);
    const opaque = crowdedMarket({ ...mixed, pools: 200, pairPart: 0 }, random).map(({ ref, state }) => {
      if (state.kind !== 'concentrated') throw new TypeError('A pool of another kind.');
      const { sqrtPriceX96, liquidity } = state;
      return { ref, state: { kind: 'opaque', reason: 'hook', sqrtPriceX96, liquidity } as const };
    });
    const query = toSearchQuery([...computed, ...opaque], LT, USDC, Math.round(2_000 * 250 ** random()));
    const found = searchPlan(query);
    expect(found.opaque.length + found.samples.length).toBeLessThanOrEqual(40);
    const samples = [1, 4, 16].map((part) => ({ amountIn: part * 1e20, amountOut: part ** 0.98 * 1e8 }));
    const curves = () => [toSampledCurve(samples), toSampledCurve(samples)] as const;
    const sampled = opaque.map(({ ref, state }) => ({ ref, state: { ...state, curves: curves() } }));
    const pools = [...computed, ...sampled];
    const counted = countEvaluations(pools);
    searchPlan({ ...query, pools });
    expect(counted.count).toBeLessThanOrEqual(2 * maxWork);
  }
});
