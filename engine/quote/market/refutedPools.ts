import type { LowerAddress } from '../../lowerAddress.ts';
import { swap } from '../../venues/models.ts';
import type { Pool, PoolRef } from '../../venues/poolTypes.ts';
import { executedIds, isSamePlan } from '../plan/choosePlan.ts';
import type { PlanExecution } from '../plan/executionTypes.ts';
import { statesOf } from '../search/fillPlan.ts';
import type { PlanLeg } from '../search/planTypes.ts';
import type { SearchResult } from '../search/searchPlan.ts';

/** Pools whose state, and tokens whose transfers, contradict the executions. */
export interface Refuted {
  /** Ids of pools whose leg of a computed plan failed, or whose output differs from the amount computed from their state. */
  pools: ReadonlySet<string>;
  /**
   * Unlisted intermediate tokens of a leg that failed, or that deduct a tax. Anyone can deploy such a token and open pools
   * with it at any price, at every factory.
   */
  tokens: ReadonlySet<LowerAddress>;
}

/**
 * Finds the pools and tokens that executions refute.
 * @param listed tokenIn, tokenOut and the routing assets
 */
export function refutedBy(
  rounds: readonly { result: Pick<SearchResult, 'opaque'>; executions: readonly PlanExecution[] }[],
  pools: readonly Pool[],
  listed: ReadonlySet<LowerAddress>,
): Refuted {
  const refuted = { pools: new Set<string>(), tokens: new Set<LowerAddress>() };
  const states = statesOf(pools);
  for (const { result, executions } of rounds) {
    for (const { plan, run } of executions) {
      if (run.status === 'unfunded' || run.status === 'not-run') continue;
      const unlisted = (leg: PlanLeg) => [leg.tokenIn, leg.tokenOut].filter((token) => !listed.has(token));
      const isOpaque = result.opaque.some((other) => isSamePlan(other, plan));
      const failed = plan.legs[run.failedLeg ?? -1];
      if (run.status !== 'filled') {
        const tokens = failed ? unlisted(failed) : [];
        for (const token of tokens) refuted.tokens.add(token);
        if (failed && tokens.length === 0 && !isOpaque) refuted.pools.add(failed.pool.id);
        continue;
      }
      for (const [index, leg] of plan.legs.entries()) {
        const { pool, tokenIn, tokenOut } = leg;
        const moved = run.legs[index];
        if (!moved) continue;
        if (moved.arrived < moved.amountIn && !listed.has(tokenIn)) refuted.tokens.add(tokenIn);
        if (moved.amountOut < moved.nominal && !listed.has(tokenOut)) refuted.tokens.add(tokenOut);
        const state = isOpaque ? undefined : states.get(pool.id);
        const computed = state && swap(state, tokenIn === pool.token0, moved.arrived);
        if (computed && computed.amountOut !== moved.nominal) refuted.pools.add(pool.id);
      }
    }
  }
  return refuted;
}

export const hasRefuted = ({ pools, tokens }: Refuted): boolean => pools.size + tokens.size > 0;

export const isRefuted = ({ pools, tokens }: Refuted, { id, token0, token1 }: PoolRef): boolean =>
  pools.has(id) || tokens.has(token0) || tokens.has(token1);

/**
 * The pools for the last search. An execution reports only the first failed leg, so this excludes more than the refuted
 * pools: all unconfirmed pools of their factories, and all pools of unlisted tokens if one such token is refuted.
 */
export function undoubted(
  refuted: Refuted,
  pools: readonly Pool[],
  executions: readonly PlanExecution[],
  listed: ReadonlySet<LowerAddress>,
): Pool[] {
  const factories = new Set(pools.flatMap(({ ref }) => (refuted.pools.has(ref.id) ? ref.candidatePool.factory : [])));
  const executed = executedIds(executions);
  const isListed = ({ token0, token1 }: PoolRef) => listed.has(token0) && listed.has(token1);
  return pools.filter(
    ({ ref }) =>
      !isRefuted(refuted, ref) &&
      (executed.has(ref.id) || !factories.has(ref.candidatePool.factory)) &&
      (refuted.tokens.size === 0 || isListed(ref)),
  );
}
