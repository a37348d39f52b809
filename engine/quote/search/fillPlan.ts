import type { LowerAddress } from '../../lowerAddress.ts';
import { sharesPool } from '../../pools/contractOf.ts';
import { models, swap } from '../../venues/models.ts';
import type { Pool, PoolState } from '../../venues/poolTypes.ts';
import type { FilledLeg, FilledPlan, Plan } from './planTypes.ts';

/**
 * The most gas of a plan's swaps, by this estimate: about fifty legs. A transaction has at most 16,777,216 (EIP-7825), and its
 * router and the transfers of taxed tokens need more than the estimate.
 */
export const maxPlanGas = 6_000_000;

/** Gas of each initialised tick that a swap crosses. */
const tickGas = 22_000;

/** Rough gas of one swap with its token transfers. */
export const estimateGas = (kind: PoolState['kind'], ticksCrossed = 0): number =>
  models[kind].legGas + ticksCrossed * tickGas;

/** Pool states by the pool's id. */
export type States = ReadonlyMap<string, PoolState>;

export const statesOf = (pools: readonly Pool[]): States => new Map(pools.map(({ ref, state }) => [ref.id, state]));

/**
 * Exact result of a plan, and the states of the pools that it changed. Undefined if a pool cannot take its part, or if two
 * legs trade different pairs of one pool: its states by pair are independent copies.
 */
export function fillPlan(plan: Plan, states: States): { filled: FilledPlan; after: States } | undefined {
  const after = new Map<string, PoolState>();
  const received = new Map<LowerAddress, bigint>([[plan.tokenIn, plan.amountIn]]);
  const spent = new Map<LowerAddress, bigint>();
  const lastOf = new Map(plan.legs.map(({ tokenIn }, index) => [tokenIn, index]));
  const legs: FilledLeg[] = [];
  let gas = 0;
  if (sharesPool(plan.legs.map(({ pool }) => pool))) return undefined;
  for (const [index, leg] of plan.legs.entries()) {
    const total = received.get(leg.tokenIn) ?? 0n;
    const left = total - (spent.get(leg.tokenIn) ?? 0n);
    const amountIn = index === lastOf.get(leg.tokenIn) ? left : (total * BigInt(leg.shareBps)) / 10_000n;
    const state = after.get(leg.pool.id) ?? states.get(leg.pool.id);
    if (!state || amountIn <= 0n) return undefined;
    const result = swap(state, leg.tokenIn === leg.pool.token0, amountIn);
    if (!result || result.amountOut <= 0n) return undefined;
    after.set(leg.pool.id, result.state);
    spent.set(leg.tokenIn, (spent.get(leg.tokenIn) ?? 0n) + amountIn);
    received.set(leg.tokenOut, (received.get(leg.tokenOut) ?? 0n) + result.amountOut);
    gas += estimateGas(state.kind, result.ticksCrossed);
    legs.push({ ...leg, amountIn, amountOut: result.amountOut });
  }
  const amountOut = received.get(plan.tokenOut) ?? 0n;
  return { filled: { plan, legs, amountOut, gas: BigInt(gas) }, after };
}
