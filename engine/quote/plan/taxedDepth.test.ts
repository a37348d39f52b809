import { expect, test } from 'vitest';
import { pairState, poolOf, testTokens } from '../../../tests/support/engine/testMarket.ts';
import { unitsOf } from '../../../tests/support/engine/testQuery.ts';
import type { StateReading } from '../../pools/decodeStates.ts';
import { deployments } from '../../venues/deployments/deployments.ts';
import { kinds } from '../../venues/kinds.ts';
import { swap } from '../../venues/models.ts';
import type { Pool } from '../../venues/poolTypes.ts';
import { statesOf } from '../search/fillPlan.ts';
import type { Plan } from '../search/planTypes.ts';
import { readExecutedPlan, unfunded } from './executedPlan.ts';
import type { Execute, PlanRun } from './executionTypes.ts';
import { searchFor } from './searchFor.ts';

// Single routes of a token with a tax. The depth is judged by executions of larger orders, with the same tax.

const { LT, USDC } = testTokens;
const [tokenIn, tokenOut] = [LT.address, USDC.address];
const order = { tokenIn, tokenOut, amountIn: unitsOf(1_000, LT) };
const data = { deployment: deployments.base };

const [first, second] = [0, -60].map((skew) => poolOf(pairState(LT, USDC, 1_000_000, skew, 3_000), LT, USDC)) as [
  Pool,
  Pool,
];

/** What arrives of an amount that is sold at a pool. */
type Tax = (poolId: string, amount: bigint) => bigint;
const fivePercent: Tax = (_, amount) => (amount * 95n) / 100n;

function runOf(plan: Plan, pools: readonly Pool[], tax: Tax): PlanRun {
  const states = statesOf(pools);
  let left = plan.amountIn;
  const legs = plan.legs.map(({ pool, shareBps }, at) => {
    const amountIn = at === plan.legs.length - 1 ? left : (plan.amountIn * BigInt(shareBps)) / 10_000n;
    left -= amountIn;
    const arrived = tax(pool.id, amountIn);
    const state = states.get(pool.id);
    const amountOut = (state && swap(state, tokenIn === pool.token0, arrived)?.amountOut) ?? 0n;
    return { amountIn, arrived, nominal: amountOut, amountOut };
  });
  const received = legs.reduce((sum, { amountOut }) => sum + amountOut, 0n);
  return { status: 'filled', failedLeg: undefined, reason: '0x00000000', received, gas: 100_000n, legs };
}

/** The answer to the order, and the output for each base unit of a larger order over these pools. */
async function answer(pools: readonly Pool[], tax: Tax) {
  const states = { pools, tokens: [], block: { baseFee: 0n } } as unknown as StateReading;
  const execute: Execute = async (requests) => ({
    executions: requests.map(({ plan, again }) => {
      const run = runOf(plan, pools, tax);
      return { plan, run, again: again ? run : undefined };
    }),
    funded: true,
  });
  const result = searchFor(data, states, order);
  const found = await readExecutedPlan(data, states, order, { result, done: [] }, execute);
  if (found === unfunded || !found.best) throw new TypeError('No answer.');
  const priceOf = (amountIn: bigint, over: readonly Pool[]) => {
    const most = over.map(({ ref }) => {
      const legs = [{ pool: ref, tokenIn, tokenOut, shareBps: 10_000 }];
      return runOf({ ...order, amountIn, legs }, pools, tax).received;
    });
    return Math.max(...most.map(Number)) / Number(amountIn);
  };
  return { found, priceOf, price: Number(found.best.amountOut) / Number(order.amountIn) };
}

test.each([
  ['without a tax', (_: string, amount: bigint) => amount],
  ['with a tax of 5 %', fivePercent],
])('%s, an order of the depth pays 1 % less per unit than the answer', async (_, tax) => {
  const { found, priceOf, price } = await answer([first], tax);
  const fall = (amountIn: bigint) => (1 - priceOf(amountIn, [first]) / price) * 10_000;
  expect(found.depth).toBeGreaterThan(order.amountIn);
  expect(fall(found.depth)).toBeLessThanOrEqual(100.01);
  expect(fall(found.depth)).toBeGreaterThan(95);
});

test('a pool at which less arrives than in the answer does not count', async () => {
  const worse: Tax = (id, amount) => (id === second.ref.id ? (amount * 50n) / 100n : fivePercent(id, amount));
  const both = await answer([first, second], worse);
  const alone = await answer([first], fivePercent);
  expect(both.found.best?.plan.legs.map(({ pool }) => pool.id)).toEqual([first.ref.id]);
  expect(both.found.depth).toBeLessThanOrEqual((alone.found.depth * 1_001n) / 1_000n);
});

test.each([
  ['a pair counts, because pairs accept a taxed payment', kinds.v2, true],
  ['a concentrated pool does not count', kinds.v3, false],
])('of pools without an execution, %s', async (_, kind, counts) => {
  const { ref, state } = poolOf(pairState(LT, USDC, 1_000_000, -65, 3_000), LT, USDC);
  const third: Pool = { ref: { ...ref, candidatePool: { ...ref.candidatePool, kind } }, state };
  const { depth } = (await answer([first, second], fivePercent)).found;
  const { found } = await answer([first, second, third], fivePercent);
  if (counts) expect(found.depth).toBeGreaterThan(depth);
  else expect(found.depth).toBe(depth);
});
