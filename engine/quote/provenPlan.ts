import type { Address, Hex } from 'viem';
import type { Node } from '../chain/node.ts';
import type { StateReading } from '../pools/decodeStates.ts';
import type { Pool, PoolRef } from '../pools/poolTypes.ts';
import { swap } from '../pools/swap.ts';
import { deepestOf, midsOf } from './deepestMid.ts';
import { toFilledPlan } from './proof/decodeProof.ts';
import type { PlanProof, PlanRun, ProvenLeg } from './proof/proofTypes.ts';
import { type PlanRequest, provePlans } from './proof/provePlans.ts';
import type { ChainData } from './readFunded.ts';
import { fillPlan, type States, statesOf } from './search/fillPlan.ts';
import { deepestAlong, largestPath, midAlong } from './search/midAlong.ts';
import type { FilledLeg, FilledPlan, Plan } from './search/planTypes.ts';
import { type SearchResult, searchPlan } from './search/searchPlan.ts';

/** An executed plan, and what its legs moved. */
interface MeasuredPlan {
  filled: FilledPlan;
  moved: readonly ProvenLeg[];
  /** What the plan pays right after itself; undefined if it cannot be filled again. */
  secondAmountOut: bigint | undefined;
}

/** A pool that a plan failed at. */
export interface FailedPool {
  ref: PoolRef;
  tokenIn: Address;
  tokenOut: Address;
  status: PlanRun['status'];
  reason: Hex;
}

/** No account can be funded with tokenIn, so no plan can be executed. */
export const unfunded = 'unfunded';

/** The answer's plan and what surrounds it, at one block. */
export interface ProvenPlan {
  best: MeasuredPlan | undefined;
  single: FilledPlan | undefined;
  /** The best single route that shares no pool with `single`. */
  runnerUp: FilledPlan | undefined;
  depth: bigint;
  /** In base units, without fee. */
  mid: number | undefined;
  failed: FailedPool[];
}

export interface Order {
  tokenIn: Address;
  tokenOut: Address;
  amountIn: bigint;
}

/** A search and the proof of its plans. */
interface Round {
  result: SearchResult;
  proofs: readonly PlanProof[];
  funded: boolean;
}

const leastGainBps = 5n;

/** Finds the best plan by maths. */
export function searchFor(data: ChainData, states: StateReading, order: Order, pools = states.pools): SearchResult {
  const routingTokens = states.tokens.map(({ address }) => address);
  return searchPlan({ ...order, pools, routingTokens, gasPrice: gasPriceIn(order.tokenOut, states, data) });
}

/**
 * Lets the node execute what the search found. Pools whose executions contradict their states are left out, the order is
 * reduced by what tokenIn keeps of its transfers, and the search runs once more: at most two proofs.
 * @param done executions at the same block, of plans predicted from earlier states
 * @throws {WrongChainError | NodeRefusedError | RpcTransportError}
 */
export async function readProvenPlan(
  data: ChainData,
  states: StateReading,
  order: Order,
  found: { result: SearchResult; done: readonly PlanProof[] },
  block: Hex,
  node: Node,
): Promise<ProvenPlan | typeof unfunded> {
  const run = async (result: SearchResult, pools: readonly Pool[], done: readonly PlanProof[]): Promise<Round> => {
    const requests = missingOf(result, order.amountIn, pools, done);
    if (requests.length === 0) return { result, proofs: [], funded: true };
    const { proofs, funded } = await provePlans(data, order.tokenIn, requests, block, node);
    return { result, proofs, funded };
  };

  const started = await run(found.result, states.pools, found.done);
  if (!started.funded) return unfunded;
  const first = { ...started, proofs: [...found.done, ...started.proofs] };
  const suspects = suspectsOf(first, states.pools);
  const sold = arrivingOf(first.proofs, order);
  const rounds: Round[] = [first];
  if (suspects.size > 0 || sold < order.amountIn) {
    const rest = states.pools.filter(({ ref }) => !suspects.has(ref.id));
    const result = searchFor(data, states, { ...order, amountIn: sold }, rest);
    const second = await run(result, rest, first.proofs);
    rounds.push(second);
    for (const id of suspectsOf(second, states.pools)) suspects.add(id);
  }
  const believed = states.pools.filter(({ ref }) => !suspects.has(ref.id));
  return settle(rounds, believed, gasPriceIn(order.tokenOut, states, data), order);
}

/** The plans to execute, the likeliest answer first; the last one executes the pools whose prices are the mid. */
export function toRequests(result: SearchResult, amountIn: bigint, pools: readonly Pool[]): PlanRequest[] {
  const { best, single, runnerUp, opaque } = result;
  const plans = [best?.plan, single?.plan, runnerUp?.plan].filter((plan) => plan !== undefined);
  const requests: PlanRequest[] = [...new Set(plans)].map((plan) => ({ plan: { ...plan, amountIn }, again: true }));
  requests.push(...opaque.map((plan) => ({ plan: { ...plan, amountIn }, again: true, apart: true })));
  const executed = new Set(requests.flatMap(({ plan }) => plan.legs.map(({ pool }) => pool.id)));
  const mid = single && midPlan(single, pools);
  return mid?.legs.some(({ pool }) => !executed.has(pool.id)) ? [...requests, { plan: mid }] : requests;
}

/** Requests without an execution in `done`. A predicted division of the order that pays nearly the most is kept. */
function missingOf(
  result: SearchResult,
  amountIn: bigint,
  pools: readonly Pool[],
  done: readonly PlanProof[],
): PlanRequest[] {
  const { best } = result;
  const requests = toRequests(result, amountIn, pools).filter(
    ({ plan }) => !done.some((proof) => proof.plan.amountIn === plan.amountIn && isSamePlan(proof.plan, plan)),
  );
  const isPaid = best && done.some(({ plan, run }) => plan.amountIn === amountIn && isNearly(run, best.amountOut));
  const isOnlyBest = requests.every(({ plan }) => best && !isSingle(plan) && isSamePlan(plan, best.plan));
  return isPaid && isOnlyBest ? [] : requests;
}

const isNearly = ({ status, received }: PlanRun, amountOut: bigint) =>
  status === 'filled' && received * 20_000n >= amountOut * 19_999n;

/** The single route over the deepest pool of each hop, for as much of the order as these pools take. */
function midPlan({ plan, legs: filled }: FilledPlan, pools: readonly Pool[]): Plan | undefined {
  const deepest = deepestAlong(filled, pools);
  const legs = plan.legs.map((leg, index) => ({ ...leg, pool: deepest[index] ?? leg.pool }));
  if (legs.every(({ pool }, index) => pool.id === plan.legs[index]?.pool.id)) return undefined;
  return fitting({ ...plan, legs }, statesOf(pools));
}

function fitting(plan: Plan, states: States): Plan | undefined {
  for (const part of [1n, 16n, 256n, 4096n]) {
    const smaller = { ...plan, amountIn: plan.amountIn / part };
    if (fillPlan(smaller, states)) return smaller;
  }
  return undefined;
}

const isSamePlan = (a: Plan, b: Plan) => keyOf(a) === keyOf(b);
const keyOf = ({ legs }: Plan) => legs.map(({ pool, tokenIn, shareBps }) => `${pool.id}${tokenIn}${shareBps}`).join();

/** Pools at which a computed plan failed, or whose output differs from the amount computed from their state. */
function suspectsOf({ result, proofs }: Round, pools: readonly Pool[]): Set<string> {
  const suspects = new Set<string>();
  const states = statesOf(pools);
  const { opaque } = result;
  for (const { plan, run } of proofs) {
    if (opaque.some((other) => isSamePlan(other, plan))) continue;
    const failed = plan.legs[run.failedLeg ?? -1];
    if (run.status !== 'filled') {
      if (failed && run.status !== 'unfunded' && run.status !== 'not-run') suspects.add(failed.pool.id);
      continue;
    }
    for (const [index, { pool, tokenIn }] of plan.legs.entries()) {
      const state = states.get(pool.id);
      const moved = run.legs[index];
      const computed = state && moved && swap(state, tokenIn === pool.token0, moved.arrived);
      if (computed && computed.amountOut !== moved.nominal) suspects.add(pool.id);
    }
  }
  return suspects;
}

/** The part of the order that arrives at the pools, by the largest tax on a leg that sells tokenIn. */
function arrivingOf(proofs: readonly PlanProof[], { tokenIn, amountIn }: Order): bigint {
  let least = amountIn;
  for (const { plan, run } of proofs) {
    if (run.status !== 'filled') continue;
    for (const [index, leg] of plan.legs.entries()) {
      const moved = run.legs[index];
      if (!moved || leg.tokenIn !== tokenIn || moved.amountIn === 0n) continue;
      const arriving = (amountIn * moved.arrived) / moved.amountIn;
      if (arriving > 0n && arriving < least) least = arriving;
    }
  }
  return least;
}

/** Chooses among the executed plans. */
function settle(
  rounds: readonly Round[],
  pools: readonly Pool[],
  gasPrice: number | undefined,
  order: Order,
): ProvenPlan {
  const proofs = rounds.flatMap((round) => round.proofs);
  const filled = proofs
    .filter(({ plan }) => plan.amountIn === order.amountIn)
    .flatMap((proof) => toFilledPlan(proof) ?? [])
    .filter(({ amountOut }) => amountOut > 0n)
    .sort((a, b) => (a.amountOut < b.amountOut ? 1 : -1));
  const single = filled.find(({ plan }) => isSingle(plan));
  const divided = filled.find(({ plan }) => !isSingle(plan));
  const best = divided && isWorth(divided, single, gasPrice) ? divided : single;
  const failed = proofs.flatMap(toFailedPool);
  const result = rounds.at(-1)?.result;
  if (!best || !result) return { ...nothing, failed };
  const proof = proofs.find(({ run, plan }) => run.status === 'filled' && plan === best.plan);
  if (!proof) return { ...nothing, failed };
  const own = new Set(single?.legs.map(({ pool }) => pool.id));
  const runnerUp = filled.find(({ plan, legs }) => isSingle(plan) && !legs.some(({ pool }) => own.has(pool.id)));
  const again = proof.again;
  const second = again?.status === 'filled' ? again.received : undefined;
  return {
    best: {
      filled: best,
      moved: proof.run.legs,
      secondAmountOut: second === undefined || second < best.amountOut ? second : best.amountOut,
    },
    single,
    runnerUp,
    depth: depthOf(result, best, order),
    mid: midAlong(largestPath(fillsOf(single ?? best, proofs)), executedOf(proofs, pools)),
    failed,
  };
}

/** The legs of an executed plan with what their pools took and paid: a tax of the token is no price of a pool. */
function fillsOf({ plan, legs }: FilledPlan, proofs: readonly PlanProof[]): FilledLeg[] {
  const moved = proofs.find((proof) => proof.run.status === 'filled' && proof.plan === plan)?.run.legs;
  return legs.map((leg, at) => {
    const { arrived, nominal } = moved?.[at] ?? { arrived: leg.amountIn, nominal: leg.amountOut };
    return { ...leg, amountIn: arrived, amountOut: nominal };
  });
}

/** Pools that were executed. A price that no execution confirmed is not a mid. */
function executedOf(proofs: readonly PlanProof[], pools: readonly Pool[]): Pool[] {
  const filled = proofs.filter(({ run }) => run.status === 'filled');
  const executed = new Set(filled.flatMap(({ plan }) => plan.legs.map(({ pool }) => pool.id)));
  return pools.filter(({ ref }) => executed.has(ref.id));
}

const nothing: ProvenPlan = {
  best: undefined,
  single: undefined,
  runnerUp: undefined,
  depth: 0n,
  mid: undefined,
  failed: [],
};

/** A chain of pools: each token is sold in one leg. */
const isSingle = ({ legs }: Plan) => legs.every(({ shareBps }) => shareBps === 10_000);

function isWorth(divided: FilledPlan, single: FilledPlan | undefined, gasPrice: number | undefined): boolean {
  if (!single) return true;
  const gain = divided.amountOut - single.amountOut;
  if (gain * 10_000n <= single.amountOut * leastGainBps) return false;
  return Number(gain) > Number(divided.gas - single.gas) * (gasPrice ?? 0);
}

/**
 * The search counts what arrives at the pools and leaves them; a tax changes both by a factor, which cancels out. A plan
 * over a pool without maths pays more than the search's best, so the fall is counted from what it pays.
 */
function depthOf({ best, depthBelow }: SearchResult, chosen: FilledPlan, { amountIn }: Order): bigint {
  if (!best) return amountIn;
  const isComputed = isSamePlan(best.plan, chosen.plan);
  const depth = depthBelow(isComputed || best.amountOut > chosen.amountOut ? best.amountOut : chosen.amountOut);
  return (depth * amountIn) / best.plan.amountIn;
}

function toFailedPool({ plan, run }: PlanProof): FailedPool[] {
  const leg = plan.legs[run.failedLeg ?? -1];
  if (!leg || run.status === 'filled' || run.status === 'not-run' || run.status === 'unfunded') return [];
  // The gas was used by all legs, and their outputs are known: this pool is not unread.
  if (run.status === 'out-of-gas' && !isSingle(plan)) return [];
  const { pool: ref, tokenIn, tokenOut } = leg;
  return [{ ref, tokenIn, tokenOut, status: run.status, reason: run.reason }];
}

/**
 * Base units of tokenOut for one unit of gas at the block's base fee; undefined without a price of the native coin. Mids
 * are not compared with a fill: a pool of dust far above the market would make gas dear, and no order would be divided.
 */
function gasPriceIn(tokenOut: Address, { block, pools }: StateReading, { deployment }: ChainData): number | undefined {
  const native = deployment.wrappedNative.toLowerCase() as Address;
  const baseFee = Number(block.baseFee);
  if (tokenOut === native) return baseFee;
  const midBetween = (from: Address, to: Address) => deepestOf(midsOf(from, to, pools), 0)?.mid;
  const direct = midBetween(native, tokenOut);
  if (direct !== undefined) return baseFee * direct;
  for (const { address } of deployment.pricingAssets) {
    const asset = address.toLowerCase() as Address;
    const [toAsset, toOut] = [midBetween(native, asset), midBetween(asset, tokenOut)];
    if (toAsset !== undefined && toOut !== undefined) return baseFee * toAsset * toOut;
  }
  return undefined;
}
