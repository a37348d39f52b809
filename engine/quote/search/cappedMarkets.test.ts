import { describe, expect, test } from 'vitest';
import { cappedQueries } from '../../../tests/support/engine/testCapacity.ts';
import { seededRandom } from '../../../tests/support/engine/testMarket.ts';
import { findOptimum } from '../../../tests/support/engine/testOptimum.ts';
import { fillPlan, statesOf } from './fillPlan.ts';
import type { FilledPlan } from './planTypes.ts';
import { type SearchQuery, searchPlan } from './searchPlan.ts';

const queries = cappedQueries(seededRandom(21), 40);
const answers = queries.flatMap((query) => {
  const { best, depthBelow } = searchPlan(query);
  return best ? [{ query, best, depth: depthBelow(best.amountOut).size }] : [];
});
const netOf = ({ amountOut, gas }: FilledPlan, { gasPrice = 0 }: SearchQuery) =>
  Number(amountOut) - Number(gas) * gasPrice;
const above = (values: readonly number[], limit: number) => values.filter((value) => value > limit).length;

describe('in markets whose pools take a limited amount', () => {
  test('an order of the depth pays at most 1 % less', () => {
    const larger = answers.filter(({ query, depth }) => depth > query.amountIn);
    expect(larger.length).toBeGreaterThan(180);
    for (const { query, best, depth } of larger) {
      const paid = searchPlan({ ...query, amountIn: depth }).best?.amountOut ?? 0n;
      expect(paid * query.amountIn * 100n >= best.amountOut * depth * 99n).toBe(true);
    }
  });

  test('the shares of similar orders rarely pay more, net of gas', () => {
    const gainsBps = answers.map(({ query, best }) => {
      const states = statesOf(query.pools);
      const similar = [9_000n, 9_700n, 9_900n, 9_990n, 10_100n, 10_500n].flatMap((part) => {
        const plan = searchPlan({ ...query, amountIn: (query.amountIn * part) / 10_000n }).best?.plan;
        const filled = plan && fillPlan({ ...plan, amountIn: query.amountIn }, states)?.filled;
        return filled ? [netOf(filled, query)] : [];
      });
      return (Math.max(0, ...similar) / netOf(best, query) - 1) * 10_000;
    });
    // Splits that gain up to 1 bp over the single route after gas are not chosen.
    expect(above(gainsBps, 5)).toBeLessThanOrEqual(5);
    expect(above(gainsBps, 50)).toBeLessThanOrEqual(1);
  });

  test('nine of ten orders are within 100 bps of a split into any number of legs if gas is free', () => {
    const some = answers.filter((_, index) => index % 3 === 0);
    const belowBps = some.map(({ query }) => {
      const free = { ...query, gasPrice: undefined };
      return (1 - Number(searchPlan(free).best?.amountOut ?? 0n) / findOptimum(free).bound) * 10_000;
    });
    expect(Math.min(...belowBps)).toBeGreaterThan(-0.01);
    expect(above(belowBps, 5)).toBeLessThanOrEqual(some.length * 0.25);
    expect(above(belowBps, 100)).toBeLessThanOrEqual(some.length * 0.1);
  });
});
