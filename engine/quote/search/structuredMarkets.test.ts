import { expect, test } from 'vitest';
import { fillPlan, statesOf } from './fillPlan.ts';
import { searchPlan } from './searchPlan.ts';
import { seededRandom } from './testMarket.ts';
import { findOptimum, planOf } from './testOptimum.ts';
import { structuredQueries } from './testStructure.ts';

const rows = structuredQueries(seededRandom(2), 12, [300, 3_000, 40_000, 500_000]).flatMap(({ query, usd, shape }) => {
  const { best } = searchPlan(query);
  if (!best) return [];
  const optimum = findOptimum(query);
  const plan = planOf(optimum, query);
  const rounded = plan && fillPlan(plan, statesOf(query.pools))?.filled;
  const small = findOptimum({ ...query, amountIn: query.amountIn / 10_000n });
  const net = Number(best.amountOut) - Number(best.gas) * query.gasPrice;
  const impact = 1 - Number(best.amountOut) / (small.bound * 10_000);
  const belowBps = (1 - net / (optimum.bound - 85_000 * query.gasPrice)) * 10_000;
  return [{ shape, usd, impact, belowBps, bound: optimum.bound, rounded: Number(rounded?.amountOut ?? 0n) }];
});

test('in markets without layers of tokens, orders are close to the bound of the linear program', () => {
  const below = rows.flatMap(({ impact, belowBps }) => (impact < 0.1 ? [belowBps] : [])).toSorted((a, b) => a - b);
  expect(below.length).toBeGreaterThan(25);
  expect(below[Math.floor(below.length * 0.9)]).toBeLessThanOrEqual(3);
  expect(below.at(-1)).toBeLessThanOrEqual(20);
  expect(below[0]).toBeGreaterThan(-0.01);
});

test('the rounded solution of the linear program pays nearly its bound, and never more', () => {
  const gaps = rows.flatMap(({ rounded, bound }) => (rounded > 0 ? [(1 - rounded / bound) * 10_000] : []));
  expect(gaps.length).toBeGreaterThan(rows.length / 2);
  expect(Math.min(...gaps)).toBeGreaterThan(-0.001);
  expect(gaps.toSorted((a, b) => a - b)[Math.floor(gaps.length / 2)]).toBeLessThan(1);
});
