import { expect, test } from 'vitest';
import { findBestKnown } from '../../../tests/support/engine/testBestKnown.ts';
import { seededRandom } from '../../../tests/support/engine/testMarket.ts';
import { findOptimum } from '../../../tests/support/engine/testOptimum.ts';
import { structuredQueries } from '../../../tests/support/engine/testStructure.ts';
import { isFullSize } from '../../../tests/support/proofSize.ts';
import { fillPlan, statesOf } from './fillPlan.ts';
import { searchPlan } from './searchPlan.ts';

/** Routes have at most three hops. */
const maxHops = 3;
const markets = isFullSize ? 150 : 8;

const queries = structuredQueries(seededRandom(2), markets, [300, 3_000, 40_000, 500_000]);

const rows = queries.flatMap(({ query }) => {
  const { best } = searchPlan(query);
  if (!best) return [];
  const { bound, plan } = findBestKnown(query, maxHops);
  const small = findOptimum({ ...query, amountIn: query.amountIn / 10_000n });
  const net = Number(best.amountOut) - Number(best.gas) * query.gasPrice;
  const impact = 1 - Number(best.amountOut) / (small.bound * 10_000);
  const computed = plan && fillPlan(plan.plan, statesOf(query.pools))?.filled.amountOut;
  return [{ impact, net, known: plan, computed, bound }];
});

test('orders pay nearly as much after gas as the best known plans', () => {
  const below = rows
    .flatMap(({ impact, net, known }) => (impact < 0.1 ? [known ? (1 - net / known.net) * 10_000 : 0] : []))
    .toSorted((a, b) => a - b);
  expect(below.length).toBeGreaterThan(markets * 2);
  expect(below[Math.floor(below.length * 0.9)]).toBeLessThanOrEqual(3);
  expect(below.at(-1)).toBeLessThanOrEqual(20);
});

test('the best known plans pay nearly the bound of the linear program, and never more', () => {
  const gaps = rows.flatMap(({ known, bound }) => (known ? [(1 - Number(known.amountOut) / bound) * 10_000] : []));
  expect(gaps.length).toBeGreaterThan(rows.length / 2);
  expect(gaps.toSorted((a, b) => a - b)[Math.floor(gaps.length / 2)]).toBeLessThan(1);
  // Routes share the legs of a token, so parts of a plan pass more than three hops.
  const any = queries.slice(0, 8).flatMap(({ query }) => {
    const { bound, plan } = findBestKnown(query);
    return plan ? [(1 - Number(plan.amountOut) / bound) * 10_000] : [];
  });
  expect(Math.min(...any)).toBeGreaterThan(-0.001);
});

test('the search computes the outputs of the best known plans to the wei', () => {
  for (const { known, computed } of rows) expect(computed).toBe(known?.amountOut);
});
