import { expect, test } from 'vitest';
import type { Pool } from '../../venues/poolTypes.ts';
import { maxWork } from './network.ts';
import { searchPlan } from './searchPlan.ts';
import { concentratedState, countEvaluations, pairState, poolOf, seededRandom, testTokens } from './testMarket.ts';
import { toSearchQuery } from './testQuery.ts';

const { LT, USDC, WETH, AERO, DAI } = testTokens;
const pairs = [
  [LT, USDC],
  [LT, WETH],
  [WETH, USDC],
  [LT, AERO],
  [AERO, USDC],
  [WETH, AERO],
  [LT, DAI],
  [DAI, USDC],
] as const;

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
}

/** Pools within 20 bps of the market, each of which an order can use. */
function crowdedMarket({ pools, usd, positions, pairPart, isWide }: Crowd, random: () => number): Pool[] {
  const between = (from: number, to: number) => from * (to / from) ** random();
  return Array.from({ length: pools }, () => {
    const [a, b] = pairs[Math.floor(random() * pairs.length)] ?? pairs[0];
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
] as const)('a search and its depth stay within the bound of work in a market of $name', ({ crowd }) => {
  const random = seededRandom(5);
  const evaluations = Array.from({ length: 12 }, () => {
    const pools = crowdedMarket(crowd, random);
    const query = toSearchQuery(pools, LT, USDC, Math.round(2_000 * 250 ** random()));
    const counted = countEvaluations(pools);
    const { best, depthBelow } = searchPlan(query);
    if (best) depthBelow(best.amountOut);
    return counted.count;
  });
  // The order, the growth of its depth, and two or three searches of larger orders.
  expect(Math.max(...evaluations)).toBeLessThanOrEqual(4 * maxWork);
});
