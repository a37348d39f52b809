import { expect, test } from 'vitest';
import { cappedQueries } from '../../../tests/support/engine/testCapacity.ts';
import { seededRandom } from '../../../tests/support/engine/testMarket.ts';
import { type SearchQuery, searchPlan } from './searchPlan.ts';

const queries = cappedQueries(seededRandom(21), 30);

// Orders near the capacity of all pools: one of them rejects its share after the shares were rounded.
test.each([
  { index: 78, ratio: 1.571_561, legs: 12 },
  { index: 86, ratio: 7.132_258, legs: 18 },
  { index: 122, ratio: 16.328_82, legs: 16 },
  { index: 174, ratio: 4.569_29, legs: 16 },
])('order $index is split over $legs legs, which pay $ratio times as much as one route', ({ index, ratio, legs }) => {
  const { single, best } = searchPlan(queries[index] as SearchQuery);
  expect(best?.legs).toHaveLength(legs);
  expect(Number(best?.amountOut) / Number(single?.amountOut)).toBeCloseTo(ratio, 4);
});
