import { expect, test } from 'vitest';
import { pairState, poolOf, testTokens } from '../../../tests/support/engine/testMarket.ts';
import { unitsOf } from '../../../tests/support/engine/testQuery.ts';
import { fillPlan, statesOf } from '../search/fillPlan.ts';
import type { FilledPlan, Plan } from '../search/planTypes.ts';
import type { SearchResult } from '../search/searchPlan.ts';
import { toRequests } from './planRequests.ts';

const { LT, USDC } = testTokens;
const [tokenIn, tokenOut] = [LT.address, USDC.address];
const amountIn = unitsOf(10_000, LT);
const deep = poolOf(pairState(LT, USDC, 9_000_000, -40, 3_000), LT, USDC);
const good = poolOf(pairState(LT, USDC, 3_000_000, 50, 3_000), LT, USDC);
const other = poolOf(pairState(LT, USDC, 2_000_000, 20, 3_000), LT, USDC);
const pools = [good, other, deep];
type Pool = (typeof pools)[number];

function planOver(parts: readonly [Pool, number][], more: Partial<FilledPlan> = {}): FilledPlan {
  const plan: Plan = {
    ...{ tokenIn, tokenOut, amountIn },
    legs: parts.map(([{ ref }, shareBps]) => ({ pool: ref, tokenIn, tokenOut, shareBps })),
  };
  const filled = fillPlan(plan, statesOf(pools))?.filled;
  if (!filled) throw new TypeError('The pools cannot take the order.');
  return { ...filled, gas: 100_000n, ...more };
}
const single = planOver([[good, 10_000]]);
const runnerUp = planOver([[other, 10_000]]);
const split = planOver([
  [good, 6_000],
  [other, 4_000],
]);
const resultOf = (result: Partial<SearchResult>): SearchResult => ({
  ...{ opaque: [], samples: [], needsTicks: false, depthBelow: () => ({ size: 0n, isLowerBound: false }) },
  ...result,
});
const idsOf = ({ legs }: Plan) => legs.map(({ pool }) => pool.id);

test('the best plan comes first and runs twice, then the single route and its runner-up', () => {
  const requests = toRequests(resultOf({ best: split, single, runnerUp }), amountIn, [good, other]);
  expect(requests).toEqual([
    { plan: split.plan, again: true },
    { plan: single.plan, again: false },
    { plan: runnerUp.plan, again: false },
  ]);
});

test('a single route that is the best plan is executed once, for the order’s amount', () => {
  const requests = toRequests(resultOf({ best: single, single }), 7n, [good, other]);
  expect(requests).toEqual([{ plan: { ...single.plan, amountIn: 7n }, again: true }]);
  expect(toRequests(resultOf({}), amountIn, pools)).toEqual([]);
});

test.each([
  [2_500_000n, undefined],
  [2_500_001n, true],
])('a best plan of %i gas has a call of its own: %s', (gas, separateCall) => {
  const [best, next] = toRequests(resultOf({ best: { ...split, gas }, single: { ...single, gas } }), amountIn, [
    good,
    other,
  ]);
  expect([best?.separateCall, next?.separateCall]).toEqual([separateCall, undefined]);
});

test('routes over pools without maths run twice in a call of their own', () => {
  const opaque = [{ ...runnerUp.plan, amountIn: 1n }];
  expect(toRequests(resultOf({ opaque }), amountIn, pools)).toEqual([
    { plan: runnerUp.plan, again: true, separateCall: true },
  ]);
});

test('the deepest pool of a hop is executed too, because its price is the mid', () => {
  const requests = toRequests(resultOf({ best: single, single }), amountIn, pools);
  expect(requests.map(({ plan, again }) => [idsOf(plan), plan.amountIn, again])).toEqual([
    [[good.ref.id], amountIn, true],
    [[deep.ref.id], amountIn, undefined],
  ]);
});

test('it is not executed again if another plan contains it, nor if the route is over it', () => {
  const runner = planOver([[deep, 10_000]]);
  expect(toRequests(resultOf({ best: single, single, runnerUp: runner }), amountIn, pools)).toHaveLength(2);
  expect(toRequests(resultOf({ best: runner, single: runner }), amountIn, pools)).toHaveLength(1);
  expect(toRequests(resultOf({ best: split }), amountIn, pools)).toHaveLength(1);
});
