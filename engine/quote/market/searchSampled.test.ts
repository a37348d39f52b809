import { expect, test } from 'vitest';
import { pairState, poolOf, testTokens } from '../../../tests/support/engine/testMarket.ts';
import { unitsOf } from '../../../tests/support/engine/testQuery.ts';
import type { StateReading } from '../../pools/decodeStates.ts';
import { deployments } from '../../venues/deployments/deployments.ts';
import { swap } from '../../venues/models.ts';
import type { Pool } from '../../venues/poolTypes.ts';
import type { Round } from '../plan/choosePlan.ts';
import type { PlanExecution, PlanRun } from '../plan/executionTypes.ts';
import type { Plan } from '../search/planTypes.ts';
import { searchSampled, splitSamples } from './sampledPools.ts';

const { LT, USDC } = testTokens;
const [tokenIn, tokenOut] = [LT.address, USDC.address];
const order = { tokenIn, tokenOut, amountIn: unitsOf(100_000, LT) };
const state = pairState(LT, USDC, 3_000_000, 0, 3_000);
const opaque = poolOf({ kind: 'opaque', reason: 'hook' }, LT, USDC);
const known = poolOf(state, LT, USDC);
const states = { pools: [opaque, known], tokens: [], block: { baseFee: 0n } } as unknown as StateReading;

const planOver = (parts: readonly (readonly [Pool, number])[], amountIn = order.amountIn): Plan => ({
  ...{ tokenIn, tokenOut, amountIn },
  legs: parts.map(([{ ref }, shareBps]) => ({ pool: ref, tokenIn, tokenOut, shareBps })),
});

/** The execution of a plan over pools with the reserves of `known`; the opaque one pays this part of it, in 10,000. */
function execute(plan: Plan, opaquePays = 10_000n, more: Partial<PlanRun> = {}): PlanExecution {
  let left = plan.amountIn;
  const legs = plan.legs.map(({ pool, shareBps }, index) => {
    const amountIn = index === plan.legs.length - 1 ? left : (plan.amountIn * BigInt(shareBps)) / 10_000n;
    left -= amountIn;
    const computed = swap(state, true, amountIn)?.amountOut ?? 0n;
    const amountOut = pool.id === opaque.ref.id ? (computed * opaquePays) / 10_000n : computed;
    return { amountIn, arrived: amountIn, nominal: amountOut, amountOut };
  });
  const received = legs.reduce((sum, { amountOut }) => sum + amountOut, 0n);
  const run: PlanRun = { status: 'filled', failedLeg: undefined, reason: '0x', received, gas: 1n, legs, ...more };
  return { plan, run, again: undefined };
}

const partOf = (part: bigint) => planOver([[opaque, 10_000]], order.amountIn / part);
const samples = [16n, 4n, 2n].map((part) => execute(partOf(part)));
const whole = execute(planOver([[known, 10_000]]));

interface Scene {
  samples?: readonly PlanExecution[];
  executions?: readonly PlanExecution[];
  run?: (plan: Plan) => readonly PlanExecution[];
}

/** The rounds over these samples, and the plans that were executed. */
async function search({ run = (plan) => [execute(plan)], ...given }: Scene = {}) {
  const executed: Plan[] = [];
  const doneBefore: number[] = [];
  const market = {
    ...{ data: { deployment: deployments.base }, states, sold: order, pools: states.pools, samples },
    ...{ listed: new Set([tokenIn, tokenOut]), executions: [whole], ...given },
  };
  const found = await searchSampled(market, async (result, done): Promise<Round> => {
    const plan = result.best?.plan as Plan;
    executed.push(plan);
    doneBefore.push(done.length);
    expect([result.single, result.runnerUp, result.opaque, result.samples]).toEqual([undefined, undefined, [], []]);
    return { result, executions: run(plan), funded: true };
  });
  return { ...found, executed, doneBefore };
}

test('a sample is a part of the order over a pool without a formula; all other executions are not', () => {
  const partOfKnown = execute(planOver([[known, 10_000]], order.amountIn / 2n));
  const all = [...samples, whole, partOfKnown, execute(partOf(1n))];
  const split = splitSamples(states, order, all);
  expect(split.samples).toEqual(samples);
  expect(split.others).toEqual(all.slice(3));
});

test('the split that the samples promise is executed once', async () => {
  const { rounds, liars, splits, executed, doneBefore } = await search();
  expect(executed.map(({ legs }) => legs.map(({ shareBps }) => shareBps))).toEqual([[5_000, 5_000]]);
  expect([rounds.length, liars, splits, doneBefore]).toEqual([1, [], executed, [1]]);
});

test('nothing is executed if an executed plan already pays what the split promises, but for a basis point', async () => {
  const { amountOut } = (await search()).rounds[0]?.result.best ?? { amountOut: 0n };
  const paying = (received: bigint) => {
    const [leg] = whole.run.legs;
    const legs = leg ? [{ ...leg, nominal: received, amountOut: received }] : [];
    return { ...whole, run: { ...whole.run, received, legs } };
  };
  const least = (amountOut * 10_000n) / 10_001n;
  expect((await search({ executions: [paying(least + 1n)] })).executed).toEqual([]);
  expect((await search({ executions: [paying(least - 1n)] })).executed).toHaveLength(1);
});

test('an executed part of the order, or a plan that did not fill, does not prevent the split', async () => {
  const part = execute(planOver([[known, 10_000]], order.amountIn - 1n));
  const many = part.run.legs.map((leg) => ({ ...leg, nominal: leg.nominal * 9n, amountOut: leg.amountOut * 9n }));
  const larger = { ...part, run: { ...part.run, legs: many, received: part.run.received * 9n } };
  expect((await search({ executions: [larger] })).executed).toHaveLength(1);
  const failed = { ...larger, plan: whole.plan, run: { ...larger.run, status: 'reverted' as const, failedLeg: 0 } };
  expect((await search({ executions: [failed] })).executed).toHaveLength(1);
  expect((await search({ executions: [] })).executed).toHaveLength(1);
});

test.each(['unfunded', 'not-run', 'reverted'] as const)('samples that ended as %s promise nothing', async (status) => {
  const bad = samples.map(({ plan }) => execute(plan, 10_000n, { status, failedLeg: 0 }));
  expect((await search({ samples: bad })).rounds).toEqual([]);
});

test('samples of which nothing arrived promise nothing', async () => {
  const lost = samples.map((execution) => ({
    ...execution,
    run: { ...execution.run, legs: execution.run.legs.map((leg) => ({ ...leg, arrived: 0n })) },
  }));
  expect((await search({ samples: lost })).rounds).toEqual([]);
});

test('no samples, no rounds', async () => {
  expect((await search({ samples: [] })).rounds).toEqual([]);
});

test('a pool that pays over 1 % less than its curve is left out, and its split is remembered as one of a liar', async () => {
  const { rounds, liars, splits, executed } = await search({ run: (plan) => [execute(plan, 9_890n)] });
  expect([rounds.length, splits, liars]).toEqual([1, [], executed]);
});

test('a pool that pays 1 % less than its curve is kept', async () => {
  const { liars, splits } = await search({ run: (plan) => [execute(plan, 9_910n)] });
  expect(liars).toEqual([]);
  expect(splits).not.toEqual([]);
});

test('the split whose leg over the pool fails leaves the pool out', async () => {
  const failing = (plan: Plan) => {
    const failedLeg = plan.legs.findIndex(({ pool }) => pool.id === opaque.ref.id);
    return [execute(plan, 10_000n, { status: 'reverted', failedLeg })];
  };
  const { rounds, liars, splits, executed } = await search({ run: failing });
  expect([rounds.length, liars, splits]).toEqual([1, executed, []]);
});

test('a round without an execution is the last one', async () => {
  expect((await search({ run: () => [] })).rounds).toHaveLength(1);
});

test('a split that was executed before is learnt from, and not executed again', async () => {
  const split = planOver([
    [opaque, 5_000],
    [known, 5_000],
  ]);
  const honest = await search({ executions: [whole, execute(split)] });
  expect([honest.rounds, honest.liars, honest.splits]).toEqual([[], [], [split]]);
  const lied = await search({ executions: [whole, execute(split, 9_000n)] });
  expect([lied.rounds, lied.liars, lied.splits]).toEqual([[], [split], []]);
});
