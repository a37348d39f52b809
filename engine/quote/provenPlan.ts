import type { Address, Hex } from 'viem';
import type { Node } from '../chain/node.ts';
import type { StateReading } from '../pools/decodeStates.ts';
import type { Pool, PoolRef } from '../pools/poolTypes.ts';
import { depthWithinOnePercent, midOf } from '../pools/price.ts';
import { swap } from '../pools/swap.ts';
import { toFilledPlan } from './proof/decodeProof.ts';
import type { PlanProof, PlanRun, ProvenLeg } from './proof/proofTypes.ts';
import { type PlanRequest, provePlans } from './proof/provePlans.ts';
import type { ChainData } from './readFunded.ts';
import { statesOf } from './search/fillPlan.ts';
import { midAlong } from './search/midAlong.ts';
import type { FilledPlan, Plan } from './search/planTypes.ts';
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

/** No account can be made to hold tokenIn, so no plan can be executed. */
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

interface Order {
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

/**
 * Finds the best plan by maths and lets the node execute it. Pools whose executions contradict their states are left out,
 * the order is reduced by what tokenIn keeps of its transfers, and the search runs once more: at most two proofs.
 * @throws {WrongChainError | NodeRefusedError | RpcTransportError}
 */
export async function readProvenPlan(
  data: ChainData,
  states: StateReading,
  order: Order,
  block: Hex,
  node: Node,
): Promise<ProvenPlan | typeof unfunded> {
  const routingTokens = data.deployment.routingAssets.map(({ address }) => address.toLowerCase() as Address);
  const gasPrice = gasPriceIn(order.tokenOut, states, data);
  const run = async (pools: readonly Pool[], sold: bigint, done: readonly PlanProof[]): Promise<Round> => {
    const result = searchPlan({ ...order, amountIn: sold, pools, routingTokens, gasPrice });
    const requests = toRequests(result, order.amountIn).filter(
      ({ plan }) => !done.some((proof) => isSamePlan(proof.plan, plan)),
    );
    if (requests.length === 0) return { result, proofs: [], funded: true };
    const { proofs, funded } = await provePlans(data, order.tokenIn, requests, block, node);
    return { result, proofs, funded };
  };

  const first = await run(states.pools, order.amountIn, []);
  if (!first.funded) return unfunded;
  const suspects = suspectsOf(first, states.pools);
  const sold = arrivingOf(first.proofs, order);
  const rounds = [first];
  if (suspects.size > 0 || sold < order.amountIn) {
    const rest = states.pools.filter(({ ref }) => !suspects.has(ref.id));
    rounds.push(await run(rest, sold, first.proofs));
  }
  const believed = states.pools.filter(({ ref }) => !suspects.has(ref.id));
  return settle(rounds, believed, gasPrice, order);
}

/** The plans to execute, the likeliest answer first. */
function toRequests({ best, single, runnerUp, opaque }: SearchResult, amountIn: bigint): PlanRequest[] {
  const plans = [best?.plan, single?.plan, runnerUp?.plan, ...opaque].filter((plan) => plan !== undefined);
  return [...new Set(plans)].map((plan) => ({ plan: { ...plan, amountIn }, again: true }));
}

const isSamePlan = (a: Plan, b: Plan) => keyOf(a) === keyOf(b);
const keyOf = ({ legs }: Plan) => legs.map(({ pool, tokenIn, shareBps }) => `${pool.id}${tokenIn}${shareBps}`).join();

/** Pools at which a computed plan failed, or that paid another amount than their state says. */
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

/** What arrives of the whole order, by the largest tax that a leg of tokenIn paid. */
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
    mid: midAlong((single ?? best).legs, pools),
    failed,
  };
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
  const { pool: ref, tokenIn, tokenOut } = leg;
  return [{ ref, tokenIn, tokenOut, status: run.status, reason: run.reason }];
}

/** Base units of tokenOut for one unit of gas at the block's base fee; undefined without a price of the native coin. */
function gasPriceIn(tokenOut: Address, { block, pools }: StateReading, { deployment }: ChainData): number | undefined {
  const native = deployment.wrappedNative.toLowerCase() as Address;
  const baseFee = Number(block.baseFee);
  if (tokenOut === native) return baseFee;
  const direct = deepestMid(native, tokenOut, pools);
  if (direct !== undefined) return baseFee * direct;
  for (const { address } of deployment.pricingAssets) {
    const asset = address.toLowerCase() as Address;
    const [toAsset, toOut] = [deepestMid(native, asset, pools), deepestMid(asset, tokenOut, pools)];
    if (toAsset !== undefined && toOut !== undefined) return baseFee * toAsset * toOut;
  }
  return undefined;
}

function deepestMid(from: Address, to: Address, pools: readonly Pool[]): number | undefined {
  let deepest = 0n;
  let mid: number | undefined;
  for (const { ref, state } of pools) {
    const zeroForOne = ref.token0 === from && ref.token1 === to;
    if (!zeroForOne && !(ref.token0 === to && ref.token1 === from)) continue;
    const depth = depthWithinOnePercent(state, zeroForOne);
    if (depth > deepest) [deepest, mid] = [depth, midOf(state, zeroForOne)];
  }
  return mid;
}
