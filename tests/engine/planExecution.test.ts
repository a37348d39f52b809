import type { Address } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toFill } from '../../engine/quote/plan/decodeExecution.ts';
import type { ExecutionReading, PlanExecution, PlanRun } from '../../engine/quote/plan/executionTypes.ts';
import type { Plan, PlanLeg } from '../../engine/quote/search/planTypes.ts';
import { kinds } from '../../engine/venues/kinds.ts';
import type { PoolRef } from '../../engine/venues/poolTypes.ts';
import {
  createOrderRunner,
  type OrderRunner,
  type Sandbox,
  type SandboxChain,
  type SandboxPool,
  type SandboxWallet,
  startSandbox,
} from '../../sandbox/index.ts';
import { readHoldings } from './cases.ts';
import { poolsOfPair, seeded, tokenOf, tradedTokens } from './market.ts';
import { hop, type PlanExecutor, planExecutorOn, planOf, toExecutable } from './planMarket.ts';

// The node executes plans in one eth_call; a mined transaction of the same legs must pay the same.

const chainNames = ['base', 'polygon', 'arbitrum'] as const;
const plansAtOnce = 6;
const batches = 60;

let sandbox: Sandbox;
let trader: SandboxWallet;
beforeAll(async () => {
  sandbox = await startSandbox({ chains: chainNames });
  trader = sandbox.wallets.find(({ role }) => role === 'trader') as SandboxWallet;
}, 120_000);
afterAll(() => sandbox?.close());

const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

/**
 * Creates valid plans over the seeded pools: one to three hops of one to three pools each, some with legs that skip the
 * second token.
 */
function createPlans(chain: SandboxChain, random: () => number) {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const shuffled = <T>(list: readonly T[]): T[] => [...list].sort(() => random() - 0.5);
  const poolsBetween = (a: Address, b: Address) =>
    chain.pools.filter((pool) => {
      const tokens = tradedTokens(chain, pool);
      return tokens.some((token) => same(token, a)) && tokens.some((token) => same(token, b));
    });
  const neighbours = (token: Address) =>
    chain.pools.flatMap((pool) => {
      const [first, second] = tradedTokens(chain, pool);
      return same(first, token) ? [second] : same(second, token) ? [first] : [];
    });
  /** Random parts of 10000, each at least 1. */
  const randomShares = (count: number): number[] => {
    const cuts = Array.from({ length: count - 1 }, () => 1 + Math.floor(random() * 9_000)).sort((a, b) => a - b);
    const edges = [0, ...new Set(cuts), 10_000];
    return edges.slice(1).map((edge, index) => edge - (edges[index] as number));
  };
  const split = (choices: readonly { pool: SandboxPool; tokenIn: Address; tokenOut: Address }[]): PlanLeg[] => {
    const parts = randomShares(choices.length);
    return parts.flatMap((part, index) => {
      const choice = choices[index];
      return choice ? hop(chain, choice.tokenIn, choice.tokenOut, [[choice.pool, part]]) : [];
    });
  };
  const some = (a: Address, b: Address, most: number) =>
    shuffled(poolsBetween(a, b))
      .slice(0, 1 + Math.floor(random() * most))
      .map((pool) => ({ pool, tokenIn: a, tokenOut: b }));

  return (tokenIn: Address, amountIn: bigint): Plan => {
    const path = [tokenIn];
    for (const hops = 1 + Math.floor(random() * 3); path.length <= hops; ) {
      const next = neighbours(path.at(-1) as Address).filter((token) => !path.some((seen) => same(seen, token)));
      if (next.length === 0) break;
      path.push(pick(next));
    }
    const most = random() < 0.4 ? 1 : 3;
    const stages = path.slice(1).map((token, index) => {
      const from = path[index] as Address;
      const shortcut = index === 0 && path.length > 2 ? (path[2] as Address) : undefined;
      const beside = shortcut && most > 1 ? some(from, shortcut, 2) : [];
      return split([...some(from, token, most), ...beside]);
    });
    return planOf(amountIn, stages.flat());
  };
}

/** The legs up to the failed one, with the amount that each had to sell. */
function toFailing(plan: Plan, { failedLeg = 0, legs }: PlanRun) {
  const executed = plan.legs.slice(0, failedLeg + 1);
  const failed = executed[failedLeg] as PlanLeg;
  const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);
  const bought = executed.flatMap(({ tokenOut }, index) =>
    tokenOut === failed.tokenIn ? [legs[index]?.amountOut ?? 0n] : [],
  );
  const sold = executed.flatMap(({ tokenIn }, index) =>
    tokenIn === failed.tokenIn && index < failedLeg ? [legs[index]?.amountIn ?? 0n] : [],
  );
  const total = failed.tokenIn === plan.tokenIn ? plan.amountIn : sum(bought);
  const isLast = !plan.legs.slice(failedLeg + 1).some(({ tokenIn }) => tokenIn === failed.tokenIn);
  const amountIn = isLast ? total - sum(sold) : (total * BigInt(failed.shareBps)) / 10_000n;
  const amounts = executed.map((_, index) => (index === failedLeg ? { amountIn } : (legs[index] ?? { amountIn: 0n })));
  return toExecutable({ ...plan, legs: executed }, amounts);
}

const shape = ({ legs }: Plan) =>
  legs.map(({ pool, shareBps }) => `${pool.candidatePool.venue} ${shareBps}`).join(', ');

describe.each(chainNames)('on %s', (name) => {
  let chain: SandboxChain;
  let runner: OrderRunner;
  let executor: PlanExecutor;
  beforeAll(async () => {
    chain = sandbox.chains[name] as SandboxChain;
    runner = await createOrderRunner(chain, trader);
    executor = planExecutorOn(chain);
  }, 60_000);

  /** How the execution of one plan differs from mined transactions; undefined if it does not. */
  async function faultOf({ plan, run, again }: PlanExecution): Promise<string | undefined> {
    const runs = [run, again].filter((one) => one?.status === 'filled') as PlanRun[];
    const orders = runs.map(({ legs }) => ({ legs: toExecutable(plan, legs), amountIn: plan.amountIn }));
    if (run.status !== 'filled') orders.push({ legs: toFailing(plan, run), amountIn: plan.amountIn });
    const { movements, reverted } = await runner.tryOrders(orders);
    const paid = movements.map(({ received }) => received);
    const proven = runs.map(({ received }) => received);
    if ((reverted !== undefined) !== (run.status !== 'filled')) return `${shape(plan)}: ${run.status}, but ${reverted}`;
    if (movements.some(({ spent }) => spent !== plan.amountIn)) return `${shape(plan)}: spent another amount`;
    return paid.join() === proven.join() ? undefined : `${shape(plan)}: proven ${proven}, paid ${paid}`;
  }

  test('random plans and mined transactions of the same legs pay the same, to the wei', async () => {
    const random = seeded(17);
    const nextPlan = createPlans(chain, random);
    const holdings = [...(await readHoldings(chain, trader.address))].filter(
      // A token without decimals() cannot be quoted and is never funded.
      ([token, amount]) => amount > 1_000_000n && token !== tokenOf(chain, 'NODEC').address,
    );
    const faults: string[] = [];
    const counts: Record<string, number> = {};
    const filledPools = new Map<string, PoolRef>();
    for (let batch = 0; batch < batches; batch++) {
      const [tokenIn, held] = holdings[Math.floor(random() * holdings.length)] as [Address, bigint];
      const plans = Array.from({ length: plansAtOnce }, () => {
        const amountIn = held / BigInt(Math.ceil(10 ** (1 + random() * 4)));
        return nextPlan(tokenIn, amountIn > 0n ? amountIn : 1n);
      });
      const reading = await executor.execute(plans.map((plan, index) => ({ plan, again: index % 2 === 0 })));
      expect(reading.funded).toBe(true);
      for (const execution of reading.executions) {
        const { run, plan } = execution;
        counts[run.status] = (counts[run.status] ?? 0) + 1;
        counts[`${plan.legs.length} legs`] = (counts[`${plan.legs.length} legs`] ?? 0) + 1;
        if (run.status === 'filled') for (const { pool } of plan.legs) filledPools.set(pool.id, pool);
        const fault = await faultOf(execution);
        if (fault) faults.push(fault);
      }
    }
    expect(faults).toEqual([]);
    expect(counts.filled).toBeGreaterThan((batches * plansAtOnce) / 2);
    const filled = [...filledPools.values()].map(({ candidatePool }) => candidatePool);
    const venues = new Set(chain.pools.map(({ venue }) => venue));
    expect(new Set(filled.map(({ venue }) => venue))).toEqual(venues);
    // Every kind of v4 pool that the chain has: of the native coin, and with a hook.
    const isNative = ({ key }: SandboxPool) => key !== undefined && BigInt(key.currency0) === 0n;
    const isHooked = ({ key }: SandboxPool) => key !== undefined && BigInt(key.hooks) !== 0n;
    expect(filled.some(({ kind }) => kind === kinds.v4Native)).toBe(chain.pools.some(isNative));
    expect(filled.some(({ hooks }) => BigInt(hooks) !== 0n)).toBe(chain.pools.some(isHooked));
  }, 240_000);
});

test('plans of several amounts and tokens in one request have the same results as in separate ones', async () => {
  const chain = sandbox.chains.base as SandboxChain;
  const executor = planExecutorOn(chain);
  const [weth, { usdc }] = [chain.wrappedNative, chain];
  const [first, second] = poolsOfPair(chain, weth, usdc).filter(({ key }) => !key) as [SandboxPool, SandboxPool];
  const sale = (part: bigint) =>
    planOf(
      part,
      hop(chain, weth, usdc, [
        [first, 2_500],
        [second, 7_500],
      ]),
    );
  const purchase = planOf(5_000_000_000n, hop(chain, usdc, weth, [[first, 10_000]]));
  const sets = [[{ plan: sale(10n ** 18n), again: true }, { plan: sale(2n * 10n ** 18n) }], [{ plan: purchase }]];
  const separate = [await executor.execute(sets[0] ?? []), await executor.execute(sets[1] ?? [])];
  const before = executor.endpoint.requests;
  const together = await executor.executeTogether(sets);
  expect(executor.endpoint.requests - before).toBe(1);
  const plansOf = ({ executions }: ExecutionReading) => executions.map((execution) => toFill(execution));
  expect(together.map(plansOf)).toEqual(separate.map(plansOf));
  const [half, whole] = together[0]?.executions ?? [];
  expect(half?.again?.received).toBeLessThan(half?.run.received ?? 0n);
  expect(whole?.run.received).toBeLessThan((half?.run.received ?? 0n) * 2n);
  expect(whole?.run.legs.map(({ amountIn }) => amountIn)).toEqual([5n * 10n ** 17n, 15n * 10n ** 17n]);
});

test('a plan of 16 legs and its second execution pay what mined transactions pay, to the wei', async () => {
  const chain = sandbox.chains.base as SandboxChain;
  const [weth, { usdc }] = [chain.wrappedNative, chain];
  const direct = poolsOfPair(chain, weth, usdc);
  const over = chain.tokens.flatMap(({ address }) => {
    const [first, last] = [poolsOfPair(chain, weth, address), poolsOfPair(chain, address, usdc)];
    return first[0] && last[0] ? [{ address, first: first[0], last }] : [];
  });
  const parts = direct.map((pool) => [pool, 700] as const).slice(0, 10);
  const between = over.slice(0, Math.floor((16 - parts.length) / 2));
  const rest = 10_000 - 700 * parts.length;
  const legs = [
    ...hop(chain, weth, usdc, parts),
    ...between.flatMap(({ address, first }, index) =>
      hop(chain, weth, address, [[first, index > 0 ? 100 : rest - 100 * (between.length - 1)]]),
    ),
    ...between.flatMap(({ address, last: [pool] }) => hop(chain, address, usdc, [[pool as SandboxPool, 10_000]])),
  ];
  expect(legs.length).toBe(16);
  const plan = planOf(2n * 10n ** 18n, legs);
  const { executions, gasUsed } = await planExecutorOn(chain).execute([{ plan, again: true }]);
  const { run, again } = executions[0] as PlanExecution;
  expect([run.status, again?.status]).toEqual(['filled', 'filled']);
  expect(gasUsed).toBeLessThan(6_000_000n);
  const runner = await createOrderRunner(chain, trader);
  const order = { legs: toExecutable(plan, run.legs), amountIn: plan.amountIn };
  const second = { legs: toExecutable(plan, again?.legs ?? []), amountIn: plan.amountIn };
  const { movements } = await runner.tryOrders([order, second]);
  expect(movements.map(({ received }) => received)).toEqual([run.received, again?.received]);
});
