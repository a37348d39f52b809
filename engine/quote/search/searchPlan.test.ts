import { describe, expect, test } from 'vitest';
import { countEvaluations, randomMarket, seededRandom, testTokens } from '../../../tests/support/engine/testMarket.ts';
import { findOptimum } from '../../../tests/support/engine/testOptimum.ts';
import { toSearchQuery } from '../../../tests/support/engine/testQuery.ts';
import { maxPlanGas } from './fillPlan.ts';
import type { FilledPlan } from './planTypes.ts';
import { type SearchQuery, searchPlan } from './searchPlan.ts';

const sizes = [500, 3000, 5000, 40_000, 50_000, 500_000];
const pairs = [
  ['LT', 'USDC'],
  ['USDC', 'LT'],
  ['LT', 'WETH'],
  ['WETH', 'USDC'],
] as const;
const { LT, USDC } = testTokens;

interface Case {
  usd: number;
  query: SearchQuery;
}

function generate(seed: number, markets: number): Case[] {
  const random = seededRandom(seed);
  return Array.from({ length: markets }, () => {
    const pools = randomMarket(random);
    return sizes.map((usd) => {
      const [from, to] = pairs[Math.floor(random() * pairs.length)] ?? pairs[0];
      return { usd, query: toSearchQuery(pools, testTokens[from], testTokens[to], usd) };
    });
  }).flat();
}

const netOf = ({ amountOut, gas }: FilledPlan, gasPrice: number) => Number(amountOut) - Number(gas) * gasPrice;
const quantile = (values: readonly number[], part: number) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] as number;

/** No plan pays more. */
const upperBound = (query: SearchQuery) => findOptimum(query).bound;

describe('in generated markets', () => {
  const cases = generate(20_261_122, 25);

  test('stays within 3 bps (p90) and 20 bps (max) of the optimum net of gas', () => {
    const rows = new Map<number, { below: number; single: number }[]>();
    for (const { usd, query } of cases) {
      const { best, single } = searchPlan(query);
      const bound = upperBound(query);
      if (!best || !single) {
        // The bound includes partial fills: if the market cannot fill the order, doubling it must not increase the bound.
        const larger = upperBound({ ...query, amountIn: query.amountIn * 2n });
        expect(larger).toBeLessThan(bound * 1.001);
        continue;
      }
      const gasPrice = query.gasPrice as number;
      const optimum = bound - 85_000 * gasPrice;
      const bps = (plan: FilledPlan) => (1 - netOf(plan, gasPrice) / optimum) * 10_000;
      rows.set(usd, [...(rows.get(usd) ?? []), { below: bps(best), single: bps(single) }]);
    }
    const table = [...rows].map(([usd, found]) => {
      const [below, single] = [found.map((row) => row.below), found.map((row) => row.single)];
      const figures = (list: number[]) => [0.5, 0.9, 1].map((part) => Number(quantile(list, part).toFixed(2)));
      return { usd, queries: found.length, plan: figures(below), single: figures(single) };
    });
    console.table(table.map((row) => ({ ...row, plan: row.plan.join(' / '), single: row.single.join(' / ') })));
    const all = [...rows.values()].flat().map(({ below }) => below);
    expect(all.length).toBeGreaterThan(96);
    expect(quantile(all, 0.9)).toBeLessThanOrEqual(3);
    expect(Math.max(...all)).toBeLessThanOrEqual(20);
    // A negative distance would mean that the bound is wrong.
    expect(Math.min(...all)).toBeGreaterThan(-0.01);
  });

  test('returns plans with unique pools, in an executable order, with shares that sum to 100 %', () => {
    for (const { query } of cases) {
      const { best, single, runnerUp } = searchPlan(query);
      for (const filled of [best, single, runnerUp]) if (filled) expectPlan(filled, query);
      if (!best || !single) continue;
      expect(best.amountOut).toBeGreaterThanOrEqual(single.amountOut);
      if (best !== single) expect(best.amountOut * 10_000n).toBeGreaterThan(single.amountOut * 10_001n);
      const pools = new Set(single.legs.map(({ pool }) => pool.id));
      for (const { pool } of runnerUp?.legs ?? []) expect(pools.has(pool.id)).toBe(false);
      if (runnerUp) expect(runnerUp.amountOut).toBeLessThanOrEqual(single.amountOut);
    }
  });

  test('reports a depth that the market fills, close to the largest one', () => {
    /** For the first 40 depths, 1 if the depth is more than 5 % below the largest one. At most 4 may be. */
    const tooSmall: number[] = [];
    for (const { query } of cases) {
      const { best, depthBelow } = searchPlan(query);
      if (!best) continue;
      const depth = depthBelow(best.amountOut).size;
      expect(depth).toBeGreaterThanOrEqual(query.amountIn);
      const least = (Number(best.amountOut) / Number(query.amountIn)) * 0.99;
      const paysAt = (amountIn: bigint) => upperBound({ ...query, amountIn }) / Number(amountIn);
      expect(paysAt(depth)).toBeGreaterThan(least * (1 - 1e-6));
      if (tooSmall.length < 40) tooSmall.push(paysAt(depth + depth / 20n) > least ? 1 : 0);
    }
    expect(tooSmall.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(4);
  });

  test('evaluates pools a bounded number of times with 40 pools', () => {
    const random = seededRandom(7);
    const counts = Array.from({ length: 40 }, (_, index) => {
      const pools = [...randomMarket(random), ...randomMarket(random)].slice(0, 40);
      const evaluations = countEvaluations(pools);
      const [from, to] = index % 2 ? [LT, USDC] : [USDC, LT];
      const { best, depthBelow } = searchPlan(toSearchQuery(pools, from, to, sizes[index % sizes.length] as number));
      const search = evaluations.count;
      if (best) depthBelow(best.amountOut);
      return { search, depth: evaluations.count - search };
    });
    const [searches, depths] = [counts.map(({ search }) => search), counts.map(({ depth }) => depth)];
    expect(quantile(searches, 0.5)).toBeLessThanOrEqual(5_000);
    expect(Math.max(...searches)).toBeLessThanOrEqual(200_000);
    // The depth grows the split, then searches one to five larger orders, which have more legs.
    expect(quantile(depths, 0.5)).toBeLessThanOrEqual(30_000);
    expect(Math.max(...depths)).toBeLessThanOrEqual(600_000);
  });
});

function expectPlan({ plan, legs, amountOut, gas }: FilledPlan, { tokenIn, tokenOut, amountIn }: SearchQuery): void {
  expect(plan).toMatchObject({ tokenIn, tokenOut, amountIn });
  expect(new Set(plan.legs.map(({ pool }) => pool.id)).size).toBe(plan.legs.length);
  expect(gas).toBeLessThanOrEqual(BigInt(maxPlanGas));
  const sold = new Set<string>();
  const hops = new Map([[tokenIn as string, 0]]);
  for (const leg of plan.legs) {
    sold.add(leg.tokenIn);
    // Every leg that buys a token comes before the first one that sells it.
    expect(sold.has(leg.tokenOut)).toBe(false);
    const before = hops.get(leg.tokenIn);
    expect(before).toBeDefined();
    hops.set(leg.tokenOut, Math.max(hops.get(leg.tokenOut) ?? 0, (before ?? 0) + 1));
  }
  if (plan.legs.every(({ shareBps }) => shareBps === 10_000)) expect(hops.get(tokenOut)).toBeLessThanOrEqual(3);
  for (const token of sold) {
    const parts = plan.legs.filter((leg) => leg.tokenIn === token).map(({ shareBps }) => shareBps);
    expect(Math.min(...parts)).toBeGreaterThan(0);
    expect(parts.reduce((sum, part) => sum + part, 0)).toBe(10_000);
    const bought = legs.filter((leg) => leg.tokenOut === token).reduce((sum, leg) => sum + leg.amountOut, 0n);
    const spent = legs.filter((leg) => leg.tokenIn === token).reduce((sum, leg) => sum + leg.amountIn, 0n);
    expect(spent).toBe(token === tokenIn ? amountIn : bought);
  }
  const paid = legs.filter((leg) => leg.tokenOut === tokenOut).reduce((sum, leg) => sum + leg.amountOut, 0n);
  expect(amountOut).toBe(paid);
}
