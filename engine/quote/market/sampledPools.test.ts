import { expect, test } from 'vitest';
import { toLowerAddress } from '../../lowerAddress.ts';
import type { Plan } from '../search/planTypes.ts';
import { toRemembered } from './sampledPools.ts';

const token = toLowerAddress(`0x${'11'.repeat(20)}`);
const planOf = (amountIn: bigint): Plan => ({ tokenIn: token, tokenOut: token, amountIn, legs: [] });
const [best, latest, earlier, oldest, liar] = [1n, 2n, 3n, 4n, 5n].map(planOf) as [Plan, Plan, Plan, Plan, Plan];

test('remembers the best split, each plan that contradicted a state, and the two latest other splits', () => {
  expect(toRemembered({ liars: [liar], splits: [latest, best, earlier, oldest] }, best)).toEqual([
    { plan: best, isBest: true },
    { plan: liar, isBest: false },
    { plan: latest, isBest: false },
    { plan: earlier, isBest: false },
  ]);
});

test('no remembered plan is the best one if the answer is not a split over sampled pools', () => {
  expect(toRemembered({ liars: [liar], splits: [latest] }, best)).toEqual([
    { plan: liar, isBest: false },
    { plan: latest, isBest: false },
  ]);
});
