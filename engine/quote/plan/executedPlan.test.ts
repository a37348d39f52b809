import { expect, test } from 'vitest';
import { pairState, poolOf, testTokens } from '../../../tests/support/engine/testMarket.ts';
import { unitsOf } from '../../../tests/support/engine/testQuery.ts';
import type { StateReading } from '../../pools/decodeStates.ts';
import { deployments } from '../../venues/deployments/deployments.ts';
import { fillPlan, statesOf } from '../search/fillPlan.ts';
import type { FilledPlan, Plan } from '../search/planTypes.ts';
import { readExecutedPlan } from './executedPlan.ts';
import type { Execute, PlanExecution, PlanRun } from './executionTypes.ts';

const { LT, USDC } = testTokens;
const [tokenIn, tokenOut] = [LT.address, USDC.address];
const order = { tokenIn, tokenOut, amountIn: unitsOf(100_000, LT) };
const deep = poolOf(pairState(LT, USDC, 9_000_000, 0, 3_000), LT, USDC);
const shallow = poolOf(pairState(LT, USDC, 3_000_000, 0, 3_000), LT, USDC);
const pools = [deep, shallow];
const states = { pools, tokens: [], block: { baseFee: 0n } } as unknown as StateReading;

const planOver = (parts: readonly [typeof deep, number][]): Plan => ({
  ...order,
  legs: parts.map(([{ ref }, shareBps]) => ({ pool: ref, tokenIn, tokenOut, shareBps })),
});

/** The plan as the pools' states fill it. */
function fill(plan: Plan): FilledPlan {
  const filled = fillPlan(plan, statesOf(pools))?.filled;
  if (!filled) throw new TypeError('The pools cannot take the order.');
  return filled;
}

const single = fill(planOver([[deep, 10_000]]));
const split = fill(
  planOver([
    [deep, 7_500],
    [shallow, 2_500],
  ]),
);

/** The node executed the single route twice. */
function executionOf({ plan, legs, amountOut }: FilledPlan): PlanExecution {
  const moved = legs.map((leg) => ({ ...leg, arrived: leg.amountIn, nominal: leg.amountOut }));
  const run: PlanRun = {
    status: 'filled',
    failedLeg: undefined,
    reason: '0x00000000',
    received: amountOut,
    gas: 100_000n,
    legs: moved,
  };
  return { plan, run, again: run };
}

/** Whether the split is executed, of which the search computed `amountOut`. */
async function executesSplit(amountOut: bigint): Promise<boolean> {
  let requests = 0;
  const execute: Execute = () => {
    requests += 1;
    return Promise.reject(new RangeError('Nothing is executed.'));
  };
  const data = { deployment: deployments.base };
  const best = { ...split, amountOut };
  const result = {
    best,
    single,
    opaque: [],
    samples: [],
    needsTicks: false,
    depthBelow: () => ({ size: order.amountIn, isLowerBound: false }),
  };
  const reading = readExecutedPlan(data, states, order, { result, done: [executionOf(single)] }, execute);
  const found = await reading.catch((error: unknown) => error);
  if (requests > 0) expect(found).toBeInstanceOf(RangeError);
  else expect(found).toMatchObject({ best: { amountOut: single.amountOut } });
  return requests > 0;
}

test('a split that pays at most half a basis point more than the executed route is not executed', async () => {
  const most = (single.amountOut * 20_000n) / 19_999n;
  expect(await executesSplit(most)).toBe(false);
  expect(await executesSplit(most + 1n)).toBe(true);
});
