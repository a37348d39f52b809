import type { Hex } from 'viem';
import { contractOf } from '../../pools/contractOf.ts';
import { isPair } from '../../venues/kinds.ts';
import type { Pool, PoolRef } from '../../venues/poolTypes.ts';
import type { Depth } from '../search/depth.ts';
import { largestPath, midAlong } from '../search/midAlong.ts';
import type { FilledLeg, FilledPlan, Order, Plan, TokenPair } from '../search/planTypes.ts';
import type { SearchResult } from '../search/searchPlan.ts';
import { isSingle } from '../search/toPlan.ts';
import { isWorthSplitting } from '../search/worthSplitting.ts';
import { toFill } from './decodeExecution.ts';
import type { Fill, PlanExecution, PlanRun } from './executionTypes.ts';

/** A pool whose leg failed in the execution of a plan. */
export interface FailedPool extends TokenPair {
  ref: PoolRef;
  status: PlanRun['status'];
  reason: Hex;
}

/** The answer's plan, the routes to compare it with, and its market, at one block. */
export interface ExecutedPlan {
  best: Fill | undefined;
  single: Fill | undefined;
  /** The best single route that shares no pool with `single`. */
  runnerUp: Fill | undefined;
  depth: bigint;
  /** Pools without maths, or whose executions contradict their states, are not part of `depth`; or its search ended early. */
  isDepthLowerBound: boolean;
  /** In base units, without fee. */
  mid: number | undefined;
  failed: FailedPool[];
}

/** A search and the execution of its plans. */
export interface Round {
  result: SearchResult;
  executions: readonly PlanExecution[];
  funded: boolean;
}

/** What the searches and executions show about the market. */
interface Evidence {
  rounds: readonly Round[];
  /** Pools whose executions do not contradict their states. */
  pools: readonly Pool[];
  /** Other pools were left out. */
  isPartial: boolean;
  /** Less than the order arrived at the pools. */
  isTaxed: boolean;
  /** Base units of tokenOut for one unit of gas. */
  gasPrice: number | undefined;
  /**
   * Replaces the computed depth if tokenIn is taxed, or if pools have unlisted tokens. With a tax, only pools count at
   * which no less arrives than in the execution of the chosen plan. Otherwise, a pool of an unlisted token counts only if
   * it is in the chosen plan.
   * @param amountOut output of that plan's pools, or of the computed plan if that is larger
   */
  provenDepthOf?: ((chosen: Fill, amountOut: bigint) => Depth) | undefined;
}

/** The highest output first. Of equal ones, the first is one whose plan was executed twice: only it has a second output. */
const byOutput = (a: Fill, b: Fill): number => {
  if (a.amountOut !== b.amountOut) return a.amountOut < b.amountOut ? 1 : -1;
  return Number(b.secondAmountOut !== undefined) - Number(a.secondAmountOut !== undefined);
};

/** With a tax, the depth is that of a price this much higher: taxes are rounded, and a tax can depend on the pool. */
const taxMarginBps = 2n;

/** Chooses the answer among the executed plans. A split must pay enough more after its extra gas (`isWorthSplitting`). */
export function choosePlan(
  { rounds, pools, isPartial, isTaxed, gasPrice, provenDepthOf }: Evidence,
  order: Order,
): ExecutedPlan {
  const executions = rounds.flatMap((round) => round.executions);
  const filled = executions
    .filter(({ plan }) => plan.amountIn === order.amountIn)
    .flatMap((execution) => toFill(execution) ?? [])
    .filter(({ amountOut }) => amountOut > 0n)
    .sort(byOutput);
  const single = filled.find(({ plan }) => isSingle(plan));
  const split = filled.filter(({ plan }) => !isSingle(plan)).reduce(moreAfterGas(gasPrice), undefined);
  const best = split && isWorthSplitting(split, single, gasPrice) ? split : single;
  const failed = executions.flatMap(toFailedPool);
  const result = rounds.at(-1)?.result;
  if (!best || !result) {
    const none = { best: undefined, single: undefined, runnerUp: undefined, mid: undefined };
    return { ...none, depth: 0n, isDepthLowerBound: false, failed };
  }
  const own = new Set(single?.legs.map(({ pool }) => contractOf(pool)));
  const runnerUp = filled.find(
    ({ plan, legs }) => isSingle(plan) && !legs.some(({ pool }) => own.has(contractOf(pool))),
  );
  const nominal = best.legs.reduce((sum, leg) => (leg.tokenOut === order.tokenOut ? sum + leg.nominal : sum), 0n);
  const computed = larger(nominal, result.best?.amountOut ?? 0n);
  const marginBps = isTaxed || nominal !== best.amountOut ? taxMarginBps : 0n;
  const withMargin = (amountOut: bigint) => (amountOut * (10_000n + marginBps)) / 10_000n;
  const computedDepth = provenDepthOf
    ? provenDepthOf(best, withMargin(computed))
    : depthOf(result, best, order, withMargin);
  // After its first swap a pair counts tokens that a third party transferred to it. One swap of twice the order does not.
  const mayHoldSurplus = best.legs.some(({ pool }) => isPair(pool.candidatePool.kind));
  const isDoubled = keepsPrice(best.amountOut, best.secondAmountOut) && !mayHoldSurplus;
  const executedDepth = isDoubled ? order.amountIn * 2n : order.amountIn;
  return {
    best,
    single,
    runnerUp,
    depth: larger(computedDepth.size, executedDepth),
    isDepthLowerBound: isPartial || computedDepth.isLowerBound || result.opaque.length > 0,
    mid: midAlong(largestPath(atPools(single ?? best)), executedPools(executions, pools)),
    failed,
  };
}

/** Of two splits, the one that pays more after its gas. */
const moreAfterGas =
  (gasPrice = 0) =>
  (best: Fill | undefined, other: Fill): Fill => {
    if (!best) return other;
    const gain = Number(other.amountOut - best.amountOut) - Number(other.gas - best.gas) * gasPrice;
    return gain > 0 ? other : best;
  };

/** The legs with the amounts at their pools: a token's tax is not part of a pool's price. */
const atPools = ({ legs }: Fill): FilledLeg[] =>
  legs.map((leg) => ({ ...leg, amountIn: leg.arrived, amountOut: leg.nominal }));

/** Pools that were executed. A price that no execution confirmed is not a mid. */
export function executedPools(executions: readonly PlanExecution[], pools: readonly Pool[]): Pool[] {
  const executed = executedIds(executions);
  return pools.filter(({ ref }) => executed.has(ref.id));
}

/** The ids of pools in plans that filled. */
export function executedIds(executions: readonly PlanExecution[]): ReadonlySet<string> {
  const filled = executions.filter(({ run }) => run.status === 'filled');
  return new Set(filled.flatMap(({ plan }) => plan.legs.map(({ pool }) => pool.id)));
}

const larger = (a: bigint, b: bigint) => (a > b ? a : b);

/** Whether both executions together pay at most 1 % less per unit than the first one. */
const keepsPrice = (first: bigint, second = 0n) => (first + second) * 100n >= first * 2n * 99n;

/**
 * The search uses the amounts at the pools; a tax on tokenOut changes all outputs by a factor, which cancels out. A plan
 * over an opaque pool can pay more than the search's best; then the fall of 1 % is measured from that plan's output.
 */
function depthOf(
  { best, depthBelow }: SearchResult,
  chosen: FilledPlan,
  { amountIn }: Order,
  withMargin: (amountOut: bigint) => bigint,
): Depth {
  if (!best) return { size: amountIn, isLowerBound: false };
  const isComputed = isSamePlan(best.plan, chosen.plan);
  return depthBelow(withMargin(isComputed || best.amountOut > chosen.amountOut ? best.amountOut : chosen.amountOut));
}

function toFailedPool({ plan, run }: PlanExecution): FailedPool[] {
  const leg = plan.legs[run.failedLeg ?? -1];
  if (!leg || run.status === 'filled' || run.status === 'not-run' || run.status === 'unfunded') return [];
  // All legs together used the gas, so this pool is not unread.
  if (run.status === 'out-of-gas' && !isSingle(plan)) return [];
  const { pool: ref, tokenIn, tokenOut } = leg;
  return [{ ref, tokenIn, tokenOut, status: run.status, reason: run.reason }];
}

export const isSamePlan = (a: Plan, b: Plan) => keyOf(a) === keyOf(b);
const keyOf = ({ legs }: Plan) => legs.map(({ pool, tokenIn, shareBps }) => `${pool.id}${tokenIn}${shareBps}`).join();
