import { expect, test } from 'vitest';
import { addressOf, poolOf, routeOver, tokenA, tokenB, tokenC } from '../../../tests/support/engine/testProbe.ts';
import { kinds } from '../../venues/kinds.ts';
import type { Plan } from '../search/planTypes.ts';
import type { SearchResult } from '../search/searchPlan.ts';
import { choosePlan, executedPools } from './choosePlan.ts';
import type { PlanExecution, PlanRun } from './executionTypes.ts';

const order = { tokenIn: tokenA, tokenOut: tokenB, amountIn: 1_000n };
const [one, two] = ['1', '2'].map((digit) => poolOf(addressOf(digit))) as [
  ReturnType<typeof poolOf>,
  ReturnType<typeof poolOf>,
];
const [toC, fromC] = [poolOf(addressOf('3'), [tokenA, tokenC]), poolOf(addressOf('4'), [tokenC, tokenB])];
const [direct, other, over] = [routeOver([one], 1_000n), routeOver([two], 1_000n), routeOver([toC, fromC], 1_000n)];
const [leg] = direct.legs;
const [otherLeg] = other.legs;
if (!leg || !otherLeg) throw new RangeError('No leg.');
const split: Plan = {
  ...order,
  legs: [
    { ...leg, shareBps: 6_000 },
    { ...otherLeg, shareBps: 4_000 },
  ],
};

/** A filled execution that pays so much. `tax`: units of the output that do not arrive. */
function executionOf(
  plan: Plan,
  received: bigint,
  { second, tax = 0n, ...more }: Partial<PlanExecution> & { second?: bigint; tax?: bigint } = {},
): PlanExecution {
  const isSplit = plan.legs.length > 1 && plan.legs.every(({ tokenIn }) => tokenIn === tokenA);
  const legs = plan.legs.map(({ tokenOut }, at) => {
    const amountIn = isSplit ? (at === 0 ? 600n : 400n) : at === 0 ? 1_000n : 500n;
    const amountOut =
      tokenOut === tokenC ? 500n : isSplit ? (at === 0 ? received / 2n : received - received / 2n) : received;
    return { amountIn, arrived: amountIn, nominal: amountOut + tax, amountOut };
  });
  const run: PlanRun = { status: 'filled', failedLeg: undefined, reason: '0x00000000', received, gas: 100_000n, legs };
  const again = second === undefined ? undefined : { ...run, received: second };
  return { plan, run, again, ...more };
}
const failedOf = (plan: Plan, status: PlanRun['status'], failedLeg: number | undefined): PlanExecution => {
  const { run } = executionOf(plan, 0n);
  return { plan, run: { ...run, status, failedLeg, reason: '0x01020304' }, again: undefined };
};
interface Scene extends Partial<SearchResult> {
  isTaxed?: boolean;
  gasPrice?: number;
  /** Records the output for which the depth was asked. */
  asked?: bigint[];
  size?: bigint;
}
function choose(
  executions: readonly PlanExecution[],
  { isTaxed = false, gasPrice, asked = [], size = 0n, ...more }: Scene = {},
) {
  const result: SearchResult = {
    ...{ opaque: [], samples: [], needsTicks: false },
    depthBelow: (amountOut) => {
      asked.push(amountOut);
      return { size, isLowerBound: false };
    },
    ...more,
  };
  const rounds = [{ result, executions, funded: true }];
  return choosePlan({ rounds, pools: [], isPartial: false, isTaxed, gasPrice }, order);
}
const found = (plan: Plan, amountOut: bigint) => ({ plan, legs: [], amountOut, gas: 0n });

test('the single route that pays most is chosen, and the best one without its pools is the runner-up', () => {
  const executions = [executionOf(other, 4_900n), executionOf(direct, 5_000n), executionOf(over, 4_950n)];
  const { best, single, runnerUp } = choose(executions);
  expect([best?.plan, single?.plan, runnerUp?.plan]).toEqual([direct, direct, over]);
  expect(best?.legs).toMatchObject(executions[1]?.run.legs ?? []);
  const sharing = routeOver([one, poolOf(addressOf('5'), [tokenB, tokenC]), fromC], 1_000n);
  expect(
    choose([executionOf(direct, 5_000n), executionOf({ ...sharing, tokenOut: tokenB }, 4_950n)]).runnerUp,
  ).toBeUndefined();
});

test('of equal outputs, the one of a plan that was executed twice is chosen', () => {
  const [once, twice] = [executionOf(other, 5_000n), executionOf(direct, 5_000n, { second: 4_900n })];
  for (const executions of [
    [once, twice],
    [twice, once],
  ])
    expect(choose(executions).best).toMatchObject({ plan: direct, secondAmountOut: 4_900n });
});

test('executions of another amount, and those that pay nothing, are not chosen', () => {
  const part = executionOf({ ...other, amountIn: 500n }, 9_000n);
  expect(choose([part, executionOf(direct, 5_000n)]).best?.plan).toBe(direct);
  const nothing = choose([part, executionOf(direct, 0n)]);
  expect(nothing).toEqual({
    best: undefined,
    single: undefined,
    runnerUp: undefined,
    depth: 0n,
    isDepthLowerBound: false,
    mid: undefined,
    failed: [],
  });
});

test('a split that pays enough more is chosen, with the amounts of its own execution', () => {
  const executions = [executionOf(direct, 50_000n), executionOf(split, 60_000n)];
  const { best, single } = choose(executions, { gasPrice: 0 });
  expect([best?.plan, single?.plan]).toEqual([split, direct]);
  expect(best?.legs).toMatchObject(executions[1]?.run.legs ?? []);
  expect(choose([executionOf(split, 60_000n)]).best?.plan).toBe(split);
});

test('the second execution does not pay more than the first one', () => {
  const secondOf = (second?: bigint) =>
    choose([executionOf(direct, 5_000n, second === undefined ? {} : { second })]).best?.secondAmountOut;
  expect([secondOf(4_000n), secondOf(5_000n), secondOf(6_000n), secondOf()]).toEqual([
    4_000n,
    5_000n,
    5_000n,
    undefined,
  ]);
  const { run } = executionOf(direct, 4_000n);
  const again: PlanRun = { ...run, status: 'partial' };
  expect(choose([{ ...executionOf(direct, 5_000n), again }]).best?.secondAmountOut).toBeUndefined();
});

test('whether the executor ran the plan, and whether its gas is a lower bound, is kept', () => {
  const plain = choose([executionOf(direct, 5_000n)]).best;
  expect([plain && 'isWarm' in plain, plain && 'byExecutor' in plain]).toEqual([false, false]);
  expect(choose([executionOf(direct, 5_000n, { isWarm: true, byExecutor: true })]).best).toMatchObject({
    isWarm: true,
    byExecutor: true,
  });
});

test('the depth is that of the output which the search computed for this plan', () => {
  const asked: bigint[] = [];
  const { depth } = choose([executionOf(direct, 5_000n)], { asked, size: 7_000n, best: found(direct, 4_990n) });
  expect([depth, asked]).toEqual([7_000n, [4_990n]]);
});

test('of another plan, the larger output counts', () => {
  const asked: bigint[] = [];
  choose([executionOf(direct, 5_000n)], { asked, best: found(other, 4_990n) });
  choose([executionOf(direct, 5_000n)], { asked, best: found(other, 5_010n) });
  choose([executionOf(direct, 5_000n)], {
    asked,
    best: found({ ...direct, legs: [{ ...leg, shareBps: 9_999 }] }, 4_000n),
  });
  expect(asked).toEqual([5_000n, 5_010n, 5_000n]);
});

test('without a computed plan the depth is the order', () => {
  expect(choose([executionOf(direct, 5_000n)])).toMatchObject({ depth: 1_000n, isDepthLowerBound: false });
});

test('with a tax the depth is that of a price two basis points higher', () => {
  const asked: bigint[] = [];
  choose([executionOf(direct, 50_000n)], { asked, isTaxed: true, best: found(direct, 50_000n) });
  // The tax is on tokenOut: the pools sent more than arrived.
  choose([executionOf(direct, 50_000n, { tax: 100n })], { asked, best: found(direct, 50_100n) });
  choose([executionOf(direct, 50_000n)], { asked, best: found(direct, 50_000n) });
  expect(asked).toEqual([50_010n, 50_110n, 50_000n]);
});

test('a pool counts as a pair if any leg of the plan is over one', () => {
  const pair = poolOf(addressOf('6'), [tokenC, tokenB], { family: 'uniswap-v2', kind: kinds.v2 });
  const depthOf = (plan: Plan) => choose([executionOf(plan, 5_000n, { second: 5_000n })]).depth;
  expect([depthOf(over), depthOf(routeOver([toC, pair], 1_000n))]).toEqual([2_000n, 1_000n]);
});

test.each([
  ['reverted', 0, direct, true],
  ['partial', 1, over, true],
  ['out-of-gas', 0, direct, true],
  ['out-of-gas', 0, split, false],
  ['reverted', 1, split, true],
  ['reverted', undefined, direct, false],
  ['not-run', 0, direct, false],
  ['unfunded', 0, direct, false],
] as const)(
  'an execution that is %s at leg %s is reported as a failure of its pool',
  (status, failedLeg, plan, isNamed) => {
    const { failed } = choose([failedOf(plan, status, failedLeg), executionOf(other, 5_000n)]);
    const at = plan.legs[failedLeg ?? 0];
    const expected = { ref: at?.pool, tokenIn: at?.tokenIn, tokenOut: at?.tokenOut, status, reason: '0x01020304' };
    expect(failed).toEqual(isNamed ? [expected] : []);
  },
);

test('failures are reported although no plan filled', () => {
  expect(choose([failedOf(direct, 'reverted', 0)])).toMatchObject({ best: undefined, failed: [{ ref: one }] });
  expect(
    choosePlan({ rounds: [], pools: [], isPartial: false, isTaxed: false, gasPrice: undefined }, order).best,
  ).toBeUndefined();
});

test('only pools of filled executions have a price that counts', () => {
  const state = { kind: 'opaque', feePips: 0 } as never;
  const pools = [one, two].map((ref) => ({ ref, state }));
  expect(executedPools([executionOf(direct, 5_000n), failedOf(other, 'reverted', 0)], pools)).toEqual([pools[0]]);
});
