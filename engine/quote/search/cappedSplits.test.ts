import { expect, test } from 'vitest';
import { cappedQueries } from '../../../tests/support/engine/testCapacity.ts';
import { seededRandom } from '../../../tests/support/engine/testMarket.ts';
import { type SearchQuery, searchPlan } from './searchPlan.ts';

const queries = cappedQueries(seededRandom(21), 33);

const caseOf = (index: number) => {
  const { single, best } = searchPlan(queries[index] as SearchQuery);
  return { legs: best?.legs.length, ratio: Number(best?.amountOut) / Number(single?.amountOut) };
};

// Orders near the capacity of all pools: one of them rejects its share after the shares were rounded.
test.each([
  { index: 78, ratio: 1.571_561, legs: 12 },
  { index: 86, ratio: 7.132_258, legs: 18 },
  { index: 122, ratio: 16.328_82, legs: 16 },
  { index: 174, ratio: 4.569_29, legs: 16 },
])('order $index is split over $legs legs, which pay $ratio times as much as one route', ({ index, ratio, legs }) => {
  expect(caseOf(index)).toEqual({ legs, ratio: expect.closeTo(ratio, 4) });
});

test('an order of tokens that two layers exclude is tried although the first further one pays less', () => {
  // Without it, 14 legs pay 2.172745 times as much.
  expect(caseOf(197)).toEqual({ legs: 15, ratio: expect.closeTo(2.314_53, 4) });
});
