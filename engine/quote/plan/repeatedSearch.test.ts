import { expect, test } from 'vitest';
import { pairState, poolOf, type TestToken, testTokens } from '../../../tests/support/engine/testMarket.ts';
import { unitsOf } from '../../../tests/support/engine/testQuery.ts';
import type { StateReading } from '../../pools/decodeStates.ts';
import { deployments } from '../../venues/deployments/deployments.ts';
import { swap } from '../../venues/models.ts';
import type { Pool } from '../../venues/poolTypes.ts';
import { fillPlan, statesOf } from '../search/fillPlan.ts';
import type { Plan } from '../search/planTypes.ts';
import { missingRequests, predictRequests, readExecutedPlan, unfunded } from './executedPlan.ts';
import type { Execute, PlanExecution, PlanRequest, PlanRun } from './executionTypes.ts';
import { searchFor } from './searchFor.ts';

// The node executes plans over the true states of pools, which may differ from the states that were read.

const { LT, USDC } = testTokens;
const weth: TestToken = { address: deployments.base.wrappedNative, usd: 3_200, decimals: 18 };
const [tokenIn, tokenOut] = [LT.address, USDC.address];
const order = { tokenIn, tokenOut, amountIn: unitsOf(20_000, LT) };
const data = { deployment: deployments.base };
const direct = poolOf(pairState(LT, USDC, 2_000_000, 0, 3_000), LT, USDC);
const second = poolOf(pairState(LT, USDC, 1_900_000, -10, 3_000), LT, USDC);
const toWeth = poolOf(pairState(LT, weth, 2_000_000, -20, 3_000), LT, weth);
const fromWeth = poolOf(pairState(weth, USDC, 9_000_000, 0, 500), weth, USDC);
const market = [direct, second, toWeth, fromWeth];
const statesFor = (pools: readonly Pool[], baseFee = 0n) =>
  ({ pools, tokens: [], block: { baseFee } }) as unknown as StateReading;

/** A node with these true states. `taxBps`: a part of tokenIn that does not arrive at pools; `splitBps`: of a split's output. */
function nodeWith(truth: readonly Pool[], { taxBps = 0n, splitBps = 0n, isFunded = true } = {}) {
  const asked: PlanRequest[][] = [];
  const states = statesOf(truth);
  const runOf = (plan: Plan): PlanRun => {
    const sold = new Map<string, bigint>();
    const held = new Map<string, bigint>([[plan.tokenIn, plan.amountIn]]);
    const failed = { reason: '0x01020304', received: 0n, gas: 50_000n } as const;
    const none = { amountIn: 0n, arrived: 0n, nominal: 0n, amountOut: 0n };
    const legs: PlanRun['legs'][number][] = [];
    for (const [at, leg] of plan.legs.entries()) {
      const isLast = !plan.legs.some((later, index) => index > at && later.tokenIn === leg.tokenIn);
      const total = held.get(leg.tokenIn) ?? 0n;
      const amountIn = isLast ? total - (sold.get(leg.tokenIn) ?? 0n) : (total * BigInt(leg.shareBps)) / 10_000n;
      const arrived = leg.tokenIn === tokenIn ? (amountIn * (10_000n - taxBps)) / 10_000n : amountIn;
      const state = states.get(leg.pool.id);
      const filled = state && swap(state, leg.tokenIn === leg.pool.token0, arrived);
      if (!filled) return { ...failed, status: 'reverted', failedLeg: at, legs: plan.legs.map(() => none) };
      sold.set(leg.tokenIn, (sold.get(leg.tokenIn) ?? 0n) + amountIn);
      held.set(leg.tokenOut, (held.get(leg.tokenOut) ?? 0n) + filled.amountOut);
      legs.push({ amountIn, arrived, nominal: filled.amountOut, amountOut: filled.amountOut });
    }
    const kept = plan.legs.length > 1 ? splitBps : 0n;
    const received = ((held.get(plan.tokenOut) ?? 0n) * (10_000n - kept)) / 10_000n;
    return { status: 'filled', failedLeg: undefined, reason: '0x00000000', received, gas: 100_000n, legs };
  };
  const execute: Execute = async (requests) => {
    asked.push([...requests]);
    const executions = requests.map(({ plan, again }): PlanExecution => {
      const run = runOf(plan);
      return { plan, run, again: again && run.status === 'filled' ? run : undefined };
    });
    return { executions, funded: isFunded };
  };
  return { execute, asked };
}
async function find(read: readonly Pool[], truth: readonly Pool[], more: Parameters<typeof nodeWith>[1] = {}) {
  const states = statesFor(read);
  const { execute, asked } = nodeWith(truth, more);
  const result = searchFor(data, states, order);
  const found = await readExecutedPlan(data, states, order, { result, done: [] }, execute);
  if (found === unfunded) throw new TypeError('The account is unfunded.');
  return { found, asked, result };
}
const idsOf = (plan: Plan | undefined) => plan?.legs.map(({ pool }) => pool.id);
/** The pool with another true state. */
const changed = (pool: Pool, usd: number): Pool => ({ ...pool, state: pairState(LT, USDC, usd, 0, 3_000) });

test('a market as it was read needs one request, and pays what the search computed', async () => {
  const { found, asked, result } = await find(market, market);
  expect(asked).toHaveLength(1);
  expect(found.best?.amountOut).toBe(result.best?.amountOut);
  expect(found.best?.secondAmountOut).toBe(result.best?.amountOut);
  expect([found.leftOut, found.failed, found.isDepthLowerBound]).toEqual([[], [], false]);
  expect(found.single?.amountOut).toBe(result.single?.amountOut);
});

test('the runner-up shares no pool with the single route', async () => {
  const { found } = await find(market, market);
  const own = new Set(idsOf(found.single?.plan));
  expect(idsOf(found.runnerUp?.plan)?.some((id) => own.has(id))).toBe(false);
});

test('a pool that pays less than its state is left out, and the search runs again', async () => {
  const truth = [changed(direct, 500_000), second, toWeth, fromWeth];
  const { found, asked } = await find(market, truth);
  expect(asked.length).toBeGreaterThan(1);
  expect(found.leftOut.map((ids) => [...ids])).toEqual([[direct.ref.id]]);
  expect(idsOf(found.best?.plan)).not.toContain(direct.ref.id);
  expect(found.isDepthLowerBound).toBe(true);
  const honest = searchFor(data, statesFor([second, toWeth, fromWeth]), order);
  expect(found.best?.amountOut).toBe(honest.best?.amountOut);
  const rest = [second, toWeth, fromWeth];
  expect(found.mid).toBe((await find(rest, rest)).found.mid);
});

test('pools that revert are named, and not part of the answer', async () => {
  const { found } = await find(market, [second, toWeth, fromWeth]);
  expect(found.failed.map(({ ref, status, reason }) => [ref.id, status, reason])).toContainEqual([
    direct.ref.id,
    'reverted',
    '0x01020304',
  ]);
  expect(idsOf(found.best?.plan)).not.toContain(direct.ref.id);
});

test('the search runs at most three times', async () => {
  const { found, asked } = await find(market, []);
  expect([found.best, found.leftOut.length <= 2, asked.length <= 3]).toEqual([undefined, true, true]);
  expect([found.depth, found.mid]).toEqual([0n, undefined]);
});

test('with a tax on tokenIn, the search runs for the amount that arrives', async () => {
  const { found } = await find(market, market, { taxBps: 500n });
  const arriving = (order.amountIn * 9_500n) / 10_000n;
  const untaxed = searchFor(data, statesFor(market), { ...order, amountIn: arriving });
  const paid = Number(found.best?.amountOut);
  expect(Math.abs(paid / Number(untaxed.best?.amountOut) - 1)).toBeLessThan(1e-4);
  expect(found.best?.plan.amountIn).toBe(order.amountIn);
  expect(found.best?.legs[0]?.arrived).toBeLessThan(found.best?.legs[0]?.amountIn ?? 0n);
});

test('an account that cannot pay ends the read', async () => {
  const { execute } = nodeWith(market, { isFunded: false });
  const states = statesFor(market);
  const result = searchFor(data, states, order);
  expect(await readExecutedPlan(data, states, order, { result, done: [] }, execute)).toBe(unfunded);
});

test('plans that were executed at the block are not executed again', async () => {
  const states = statesFor(market);
  const { execute, asked } = nodeWith(market);
  const result = searchFor(data, states, order);
  const { executions } = await execute(predictRequests(data, states, order, result), []);
  expect(missingRequests(result, order.amountIn, market, executions)).toEqual([]);
  asked.length = 0;
  const found = await readExecutedPlan(data, states, order, { result, done: executions }, execute);
  // Executions of the call before count as those of this round.
  expect(asked).toEqual([]);
  expect(found).not.toBe(unfunded);
});

test('a plan of another amount, or one that ran only once although it may be the answer, is missing', async () => {
  const states = statesFor(market);
  const { execute } = nodeWith(market);
  const result = searchFor(data, states, order);
  const requests = predictRequests(data, states, order, result);
  const { executions } = await execute(requests, []);
  const other = executions.map((execution) => ({
    ...execution,
    plan: { ...execution.plan, amountIn: order.amountIn + 1n },
  }));
  expect(missingRequests(result, order.amountIn, market, other)).toHaveLength(requests.length);
  const once = executions.map((execution) => ({ ...execution, again: undefined }));
  expect(missingRequests(result, order.amountIn, market, once).map(({ again }) => again)).not.toContain(false);
});

test('the plans of repeats that left out pools are predicted too, each once', () => {
  const states = statesFor(market);
  const result = searchFor(data, states, order);
  const plain = predictRequests(data, states, order, result);
  const withRepeat = predictRequests(data, states, order, result, { leftOut: [new Set([direct.ref.id])] });
  const repeated = searchFor(data, states, order, [second, toWeth, fromWeth]);
  expect(withRepeat.length).toBeGreaterThan(plain.length);
  expect(withRepeat.map(({ plan }) => idsOf(plan)?.join())).toContain(idsOf(repeated.best?.plan)?.join());
  expect(predictRequests(data, states, order, result, { leftOut: [new Set()] })).toHaveLength(plain.length);
});

test('a plan that a repeat executes twice is predicted as such, also if the first search executes it once', () => {
  const small = { ...order, amountIn: unitsOf(100, LT) };
  const states = statesFor([direct, second]);
  const predicted = (leftOut: ReadonlySet<string>[]) =>
    predictRequests(data, states, small, searchFor(data, states, small), { leftOut }).map(({ plan, again }) => {
      return [idsOf(plan)?.join(), again ?? false];
    });
  const [first, other] = [direct.ref.id, second.ref.id];
  expect(predicted([])).toEqual([
    [first, true],
    [other, false],
  ]);
  expect(predicted([new Set([first])])).toEqual([
    [first, true],
    [other, true],
  ]);
});

test('remembered plans are predicted for the order’s amount: the best one twice, others in a call of their own', () => {
  const states = statesFor(market);
  const result = searchFor(data, states, order);
  const plan = { ...order, amountIn: 7n, legs: [{ pool: second.ref, tokenIn, tokenOut, shareBps: 10_000 }] };
  const sampled = [true, false].map((isBest) => ({ plan, isBest }));
  const requests = predictRequests(data, states, order, result, { sampled }).slice(-2);
  expect(requests.map(({ plan: { amountIn }, again, separateCall }) => [amountIn, again, separateCall])).toEqual([
    [order.amountIn, true, false],
    [order.amountIn, false, true],
  ]);
});

test('a split whose first execution is the answer is executed a second time', async () => {
  const { found, asked } = await find([direct, second], [changed(direct, 1_999_000), second]);
  const twice = asked.flat().filter(({ again }) => again);
  expect(found.best?.secondAmountOut).toBeGreaterThan(0n);
  expect(twice.length).toBeGreaterThan(1);
  expect(fillPlan(found.best?.plan as Plan, statesOf([changed(direct, 1_999_000), second]))?.filled.amountOut).toBe(
    found.best?.amountOut,
  );
});

test('a single route that wins over the expected split has the output of its second execution', async () => {
  const { found, asked } = await find([direct, second], [direct, second], { splitBps: 100n });
  expect(found.best?.plan.legs).toHaveLength(1);
  expect(asked.at(-1)).toMatchObject([{ again: true, plan: found.best?.plan }]);
  expect(found.best?.secondAmountOut).toBe(found.best?.amountOut);
});

const unlisted = (token: TestToken, skewBps: number) => [
  poolOf(pairState(LT, token, 9_000_000, skewBps, 500), LT, token),
  poolOf(pairState(token, USDC, 9_000_000, 0, 500), token, USDC),
];

test('pools of unlisted tokens count for the depth only if they are in the plan', async () => {
  const deep = poolOf(pairState(LT, USDC, 20_000_000, 0, 3_000), LT, USDC);
  const depthOver = (pools: readonly Pool[], amountOut: bigint) =>
    searchFor(data, statesFor(pools), order).depthBelow(amountOut).size;
  // The price over the first token is better than the direct one, that over the second is worse.
  const [own, others] = [unlisted(testTokens.AERO, -60), unlisted(testTokens.DAI, -120)];

  const { found: direct } = await find([deep, ...others], [deep, ...others]);
  const paid = direct.best?.amountOut ?? 0n;
  expect(idsOf(direct.best?.plan)).toEqual([deep.ref.id]);
  expect(depthOver([deep, ...others], paid)).toBeGreaterThan(direct.depth);
  expect(direct.depth).toBe(depthOver([deep], paid));

  const market = [deep, ...own, ...others];
  const { found: over } = await find(market, market);
  const most = over.best?.amountOut ?? 0n;
  expect(idsOf(over.best?.plan)).toEqual(expect.arrayContaining(own.map(({ ref }) => ref.id)));
  expect(over.depth).toBeGreaterThan(depthOver([deep], most));
  expect(depthOver(market, most)).toBeGreaterThan(over.depth);
  expect(over.depth).toBe(depthOver([deep, ...own], most));
});
