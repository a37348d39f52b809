import type { LowerAddress } from '../../lowerAddress.ts';
import type { StateReading } from '../../pools/decodeStates.ts';
import { isPair } from '../../venues/kinds.ts';
import type { Pool, PoolRef } from '../../venues/poolTypes.ts';
import type { ChainData } from '../chainData.ts';
import { hasRefuted, isRefuted, type Refuted, refutedBy, undoubted } from '../market/refutedPools.ts';
import { sampleRequests, searchSampled, splitSamples, toRemembered } from '../market/sampledPools.ts';
import type { Order, Plan, RememberedPlan } from '../search/planTypes.ts';
import type { SearchResult } from '../search/searchPlan.ts';
import { isSingle } from '../search/toPlan.ts';
import { choosePlan, type ExecutedPlan, isSamePlan, type Round } from './choosePlan.ts';
import { isTaxed } from './decodeExecution.ts';
import type { Execute, ExecutedLeg, Fill, PlanExecution, PlanRequest, PlanRun } from './executionTypes.ts';
import { toRequests } from './planRequests.ts';
import { depthOverListed, gasPriceIn, listedTokens, searchFor } from './searchFor.ts';

const maxRounds = 3;

/** The account that was to sell tokenIn could not. */
export const unfunded = 'unfunded';

/** An executed plan, and how it was found. */
export interface FoundPlan extends ExecutedPlan {
  /** For each repeat of the search, the ids of the pools that it excluded. */
  leftOut: readonly ReadonlySet<string>[];
  /** Executed plans over sampled pools. */
  sampled?: readonly RememberedPlan[] | undefined;
}

/**
 * The plans that `readExecutedPlan` will probably execute: those of the search, the samples of opaque pools, and the last
 * plans over these pools. Also those of repeats that exclude the same pools as last time.
 */
export function predictRequests(
  data: Pick<ChainData, 'deployment'>,
  states: StateReading,
  order: Order,
  result: SearchResult,
  { leftOut = [], sampled = [] }: Partial<Pick<FoundPlan, 'leftOut' | 'sampled'>> = {},
): PlanRequest[] {
  const repeats = leftOut.map((ids) => {
    const pools = states.pools.filter(({ ref }) => !ids.has(ref.id));
    return toRequests(searchFor(data, states, order, pools), order.amountIn, pools);
  });
  const requests = toRequests(result, order.amountIn, states.pools);
  for (const request of repeats.flat()) {
    const known = requests.find(({ plan }) => isSamePlan(plan, request.plan));
    if (!known) requests.push(request);
    else if (request.again) known.again = true;
  }
  const plans = sampled.map(({ plan, isBest }) => ({
    plan: { ...plan, amountIn: order.amountIn },
    again: isBest,
    separateCall: !isBest,
  }));
  return [...requests, ...plans, ...sampleRequests(result)];
}

/**
 * Executes the plans of a search. If executions refute pools or tokens, or show a tax on tokenIn, the search
 * runs again, at most twice, for the amount that arrives after the tax. The first repeat excludes the refuted pools and
 * the pools of refuted tokens. The second uses only the pools that `undoubted` returns.
 * @param done executions at the same block, of plans predicted from earlier states
 * @throws {WrongChainError | NodeRefusedError | RpcTransportError}
 */
export async function readExecutedPlan(
  data: Pick<ChainData, 'deployment'>,
  states: StateReading,
  order: Order,
  found: { result: SearchResult; done: readonly PlanExecution[] },
  execute: Execute,
): Promise<FoundPlan | typeof unfunded> {
  const run = async (
    result: SearchResult,
    pools: readonly Pool[],
    done: readonly PlanExecution[],
    samples: readonly PlanRequest[] = [],
  ): Promise<Round> => {
    const requests = missingRequests(result, order.amountIn, pools, done, samples);
    if (requests.length === 0) return { result, executions: [], funded: true };
    return { result, ...(await execute(requests, done)) };
  };

  const started = await run(found.result, states.pools, found.done, sampleRequests(found.result));
  if (!started.funded) return unfunded;
  const { samples, others } = splitSamples(states, order, [...found.done, ...started.executions]);
  const first = { ...started, executions: others };
  const rounds: Round[] = [first];
  const listed = listedTokens(data, order);
  let refuted = refutedBy(rounds, states.pools, listed);
  let needsRepeat = hasRefuted(refuted) || arrivingOf(first.executions, order) < order.amountIn;
  let rest = states.pools;
  const leftOut: ReadonlySet<string>[] = [];
  while (needsRepeat && rounds.length < maxRounds) {
    const executions = rounds.flatMap((round) => round.executions);
    const known = refuted;
    rest =
      rounds.length > 1
        ? undoubted(known, states.pools, executions, listed)
        : states.pools.filter(({ ref }) => !isRefuted(known, ref));
    const kept = new Set(rest.map(({ ref }) => ref.id));
    leftOut.push(new Set(states.pools.flatMap(({ ref }) => (kept.has(ref.id) ? [] : ref.id))));
    const sold = { ...order, amountIn: arrivingOf(executions, order) };
    const result = searchFor(data, states, sold, rest);
    rounds.push(await run(result, rest, executions));
    refuted = refutedBy(rounds, states.pools, listed);
    needsRepeat = result.best
      ? result.best.plan.legs.some(({ pool }) => isRefuted(refuted, pool))
      : refuted.tokens.size > known.tokens.size;
  }
  const executions = rounds.flatMap((round) => round.executions);
  const sold = { ...order, amountIn: arrivingOf(executions, order) };
  const market = { data, states, sold, pools: rest, listed, samples, executions };
  const sampled = await searchSampled(market, (result, done) => run(result, states.pools, done));
  // The last search is one without curves: they are not part of the depth.
  rounds.unshift(...sampled.rounds);
  const evidence = toEvidence(data, states, order, { rounds, rest, refuted, listed });
  const chosen = choosePlan(evidence, order);
  const plan = chosen.best?.plan;
  const repeats = { leftOut, sampled: toRemembered(sampled, plan) };
  const isExecutedAgain = (execution: PlanExecution) => execution.plan === plan && execution.again !== undefined;
  if (!plan || rounds.some(({ executions }) => executions.some(isExecutedAgain))) return { ...chosen, ...repeats };
  // The best plan is not the expected one, and was executed only once: execute it twice.
  const again = await execute([{ plan, again: true }], executions);
  return { ...choosePlan({ ...evidence, rounds: [{ result: first.result, ...again }, ...rounds] }, order), ...repeats };
}

/** What the searches and executions show, and how to prove a depth. */
function toEvidence(
  data: Pick<ChainData, 'deployment'>,
  states: StateReading,
  order: Order,
  {
    rounds,
    rest,
    refuted,
    listed,
  }: { rounds: readonly Round[]; rest: readonly Pool[]; refuted: Refuted; listed: ReadonlySet<LowerAddress> },
) {
  const trusted = states.pools.filter(({ ref }) => !refuted.pools.has(ref.id));
  const gasPrice = gasPriceIn(order.tokenOut, states, data);
  const taxedDepthOf = (chosen: Fill, amountOut: bigint) => {
    const { sold, pools } = takingTaxed(
      order,
      rest,
      rounds.flatMap((round) => round.executions),
      chosen,
    );
    const { size, isLowerBound } = searchFor(data, states, sold, pools).depthBelow(amountOut);
    return { size: (size * order.amountIn) / sold.amountIn, isLowerBound };
  };
  const isListed = ({ token0, token1 }: PoolRef) => listed.has(token0) && listed.has(token1);
  const listedDepthOf = ({ plan }: Fill, amountOut: bigint) => {
    const safe = trusted.filter(({ ref }) => isListed(ref));
    const own = trusted.filter(({ ref }) => !isListed(ref) && plan.legs.some(({ pool }) => pool.id === ref.id));
    const searchOver = (pools: readonly Pool[], amountIn: bigint) =>
      searchFor(data, states, { ...order, amountIn }, pools);
    return depthOverListed({ searchOver, trusted, safe, own, amountIn: order.amountIn }, amountOut);
  };
  const hasUnlisted = states.pools.some(({ ref }) => !isListed(ref));
  const isTaxed = rounds.some(({ executions }) => arrivingOf(executions, order) < order.amountIn);
  return {
    rounds,
    pools: trusted,
    isPartial: hasRefuted(refuted),
    isTaxed,
    gasPrice,
    provenDepthOf: isTaxed ? taxedDepthOf : hasUnlisted ? listedDepthOf : undefined,
  };
}

/**
 * The plans of a search and its samples without an execution in `done`. Empty if only the best split is missing and an
 * executed plan pays nearly as much.
 */
export function missingRequests(
  result: SearchResult,
  amountIn: bigint,
  pools: readonly Pool[],
  done: readonly PlanExecution[],
  samples: readonly PlanRequest[] = sampleRequests(result),
): PlanRequest[] {
  const { best } = result;
  const requests = [...toRequests(result, amountIn, pools), ...samples].filter(
    ({ plan, again }) =>
      !done.some(
        (execution) =>
          execution.plan.amountIn === plan.amountIn &&
          isSamePlan(execution.plan, plan) &&
          (!again || execution.again !== undefined),
      ),
  );
  const isNearBest = best && done.some(({ plan, run }) => plan.amountIn === amountIn && isNearly(run, best.amountOut));
  const isOnlyBest = requests.every(({ plan }) => best && !isSingle(plan) && isSamePlan(plan, best.plan));
  return isNearBest && isOnlyBest ? [] : requests;
}

const isNearly = ({ status, received }: PlanRun, amountOut: bigint) =>
  status === 'filled' && received * 20_000n >= amountOut * 19_999n;

/**
 * The order, reduced by the tax of an executed plan, and the pools at which no less of tokenIn arrives. Taxes may differ
 * by pool. Pools that require the full amount may reject a taxed payment: they count only if an execution confirmed them.
 * If less arrives at one pool than in this plan, this condition applies to all pools that sell tokenIn.
 */
function takingTaxed(
  order: Order,
  pools: readonly Pool[],
  executions: readonly PlanExecution[],
  chosen: Fill,
): { sold: Order; pools: Pool[] } {
  const own = least([order.amountIn, ...arrivalsIn(chosen.plan, chosen.legs, order).map(({ arriving }) => arriving)]);
  const arrivals = arrivalsOf(executions, order);
  // Taxes are rounded, so the parts that arrive after the same tax differ a little.
  const amountIn = least([
    own,
    ...arrivals.map(({ arriving }) => arriving).filter((each) => each * 10_000n > own * 9_999n),
  ]);
  const takesLess = new Set(arrivals.filter(({ arriving }) => arriving < amountIn).map(({ pool }) => pool));
  const takes = new Set(arrivals.filter(({ pool }) => !takesLess.has(pool)).map(({ pool }) => pool));
  const sells = ({ ref }: Pool) => ref.token0 === order.tokenIn || ref.token1 === order.tokenIn;
  const mayTake = ({ ref }: Pool) => takesLess.size === 0 && isPair(ref.candidatePool.kind);
  return {
    sold: { ...order, amountIn },
    pools: pools.filter((pool) => takes.has(pool.ref.id) || mayTake(pool) || !sells(pool)),
  };
}

function least(amounts: readonly bigint[]): bigint {
  return amounts.toSorted((a, b) => (a < b ? -1 : 1))[0] as bigint;
}

/** The part of the order that arrives at the pools, by the largest tax on a leg that sells tokenIn. */
const arrivingOf = (executions: readonly PlanExecution[], order: Order): bigint =>
  least([order.amountIn, ...arrivalsOf(executions, order).map(({ arriving }) => arriving)]);

const arrivalsOf = (executions: readonly PlanExecution[], order: Order) =>
  executions.flatMap(({ plan, run }) => (run.status === 'filled' ? arrivalsIn(plan, run.legs, order) : []));

/** For each executed leg that sells tokenIn: its pool, and how much of the order would arrive there. */
function arrivalsIn(
  { legs }: Plan,
  amounts: readonly ExecutedLeg[],
  { tokenIn, amountIn }: Order,
): { pool: string; arriving: bigint }[] {
  return legs.flatMap((leg, index) => {
    const moved = amounts[index];
    if (!moved || leg.tokenIn !== tokenIn || moved.amountIn === 0n) return [];
    const arrived = isTaxed(moved.amountIn, moved.arrived) ? moved.arrived : moved.amountIn;
    const arriving = (amountIn * arrived) / moved.amountIn;
    return arriving > 0n ? [{ pool: leg.pool.id, arriving }] : [];
  });
}
