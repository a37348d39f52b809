import type { Address } from 'viem';
import { createLensCaller } from '../../engine/chain/lensCall.ts';
import { createNodes } from '../../engine/chain/nodes.ts';
import { type LowerAddress, toLowerAddress } from '../../engine/lowerAddress.ts';
import { createFundingMemory } from '../../engine/quote/funding/fundingMemory.ts';
import { loadFunding } from '../../engine/quote/funding/loadFunding.ts';
import { decodeExecutionReply, executePlans, toExecutionRequest } from '../../engine/quote/plan/executePlans.ts';
import type { ExecutionReading, PlanExecution, PlanRequest } from '../../engine/quote/plan/executionTypes.ts';
import type { Plan, PlanLeg } from '../../engine/quote/search/planTypes.ts';
import type { ExecutorMemory } from '../../engine/quote/transaction/executorState.ts';
import { deployments } from '../../engine/venues/deployments/deployments.ts';
import { toCandidatePools } from '../../engine/venues/families.ts';
import { kinds } from '../../engine/venues/kinds.ts';
import type { PoolRef } from '../../engine/venues/poolTypes.ts';
import type { ExecutableLeg, SandboxChain, SandboxPool } from '../../sandbox/index.ts';
import { sandboxVenues } from '../../server/sandboxMode.ts';
import { type CountingEndpoint, loopbackEndpoint } from './loopbackEndpoint.ts';
import { tradedTokens } from './market.ts';

export interface PlanExecutor {
  endpoint: CountingEndpoint;
  /** Simulates plans at the latest block. All must sell the same token. `done`: earlier executions of the same trade. */
  execute: (plans: readonly PlanRequest[], done?: readonly PlanExecution[]) => Promise<ExecutionReading>;
  /** Simulates several sets of plans in one request, with a separate call for each set. */
  executeTogether: (sets: readonly (readonly PlanRequest[])[]) => Promise<ExecutionReading[]>;
}

/**
 * Simulates plans through an endpoint that counts requests.
 * @param executor by default, plans are executed at random addresses
 */
export function planExecutorOn(chain: SandboxChain, executor?: ExecutorMemory): PlanExecutor {
  const endpoint = loopbackEndpoint(chain.rpcUrl);
  const data = {
    deployment: deployments[chain.name],
    funding: createFundingMemory(Date.now),
    lens: createLensCaller(),
    executor,
  };
  const nodes = createNodes({
    chain: chain.name,
    endpoints: [endpoint],
    now: Date.now,
    deadlineMs: 30_000,
    probe: async () => {},
  });
  const soldBy = (plans: readonly PlanRequest[]): LowerAddress => {
    const tokenIn = plans[0]?.plan.tokenIn;
    if (!tokenIn) throw new TypeError('No plan.');
    return tokenIn;
  };
  return {
    endpoint,
    execute: (plans, done) => nodes.read((node) => executePlans(data, soldBy(plans), plans, 'latest', node, done)),
    executeTogether: (sets) =>
      nodes.read(async (node) => {
        for (const plans of sets) await loadFunding(data, node, soldBy(plans));
        const requests = await Promise.all(
          sets.map((plans) => toExecutionRequest(data, soldBy(plans), plans, 'latest', node)),
        );
        const answers = await data.lens.readLenses(
          node,
          requests.map(({ request }) => request),
        );
        return sets.map((plans, index) =>
          decodeExecutionReply(
            data,
            soldBy(plans),
            requests[index] as (typeof requests)[number],
            answers[index] ?? '0x',
          ),
        );
      }),
  };
}

/** The `PoolRef` of a seeded pool. */
function refOf(chain: SandboxChain, pool: SandboxPool): PoolRef {
  const candidatePools = toCandidatePools([...deployments[chain.name].venues, ...(sandboxVenues[chain.name] ?? [])]);
  const isNative = pool.key !== undefined && BigInt(pool.key.currency0) === 0n;
  const found = candidatePools.find(
    ({ venue, kind }) => venue === pool.venue && (!pool.key || (kind === kinds.v4Native) === isNative),
  );
  if (!found) throw new TypeError(`${chain.name} has no candidate pool of ${pool.venue}.`);
  const { fee, tickSpacing, hooks } = pool.key ?? found;
  const [token0, token1] = tradedTokens(chain, pool).map(toLowerAddress) as [LowerAddress, LowerAddress];
  return {
    candidatePool: { ...found, fee, tickSpacing, hooks: toLowerAddress(hooks) },
    id: toLowerAddress(pool.pool),
    token0,
    token1,
  };
}

/** One hop, split over pools by their shares in basis points. */
export function hop(
  chain: SandboxChain,
  tokenIn: Address,
  tokenOut: Address,
  parts: readonly (readonly [SandboxPool, number])[],
): PlanLeg[] {
  return parts.map(([pool, shareBps]) => ({
    pool: refOf(chain, pool),
    tokenIn: toLowerAddress(tokenIn),
    tokenOut: toLowerAddress(tokenOut),
    shareBps,
  }));
}

export function planOf(amountIn: bigint, legs: readonly PlanLeg[]): Plan {
  const [first, last] = [legs[0], legs.at(-1)];
  if (!first || !last) throw new TypeError('A plan has at least one leg.');
  return { tokenIn: first.tokenIn, tokenOut: last.tokenOut, amountIn, legs };
}

/** The order to execute: each leg with the amount that the execution sold. */
export function toExecutable(plan: Plan, amounts: readonly { amountIn: bigint }[]): ExecutableLeg[] {
  return plan.legs.map(({ pool, tokenIn, tokenOut }, index) => ({
    venue: pool.candidatePool.venue,
    pool: pool.id,
    tokenIn,
    tokenOut,
    amountIn: amounts[index]?.amountIn ?? 0n,
  }));
}
