import { estimateGas, maxPlanGas } from '../../../engine/quote/search/fillPlan.ts';
import type { Plan } from '../../../engine/quote/search/planTypes.ts';
import type { SearchQuery } from '../../../engine/quote/search/searchPlan.ts';
import { swap } from '../../../engine/venues/models.ts';
import { createOptimizer, type OptimalLeg, planOf } from './testOptimum.ts';

interface KnownPlan {
  /** Output after gas. */
  net: number;
  amountOut: bigint;
  gas: number;
  legs: number;
  plan: Plan;
}

type PricedQuery = SearchQuery & { gasPrice: number };

/** Solutions from which legs are removed, at most. */
const maxSteps = 20;

/**
 * The best executable plan that solutions of the linear program lead to, net of gas: shares are rounded to basis points, and
 * legs whose surplus is below their gas are removed, the worse half of them before each new solution. So are the legs of least
 * surplus of a plan above the limit of gas.
 * @param maxHops of each route of the program; its plans let routes share legs, as all plans do
 */
export function findBestKnown(query: PricedQuery, maxHops?: number): { bound: number; plan: KnownPlan | undefined } {
  const optimize = createOptimizer(query, maxHops);
  const closed = new Set<string>();
  let bound: number | undefined;
  let best: KnownPlan | undefined;
  for (let step = 0; step < maxSteps; step++) {
    const optimum = optimize(closed);
    bound ??= optimum.bound;
    if (!(optimum.bound > 0)) break;
    const plan = planOf(optimum, query);
    const filled = plan && execute(plan, query);
    const excess = filled ? Math.max(0, 1 - maxPlanGas / filled.gas) : 0;
    if (filled && excess === 0 && (!best || filled.net > best.net)) best = filled;
    const drop = plan ? uselessOf(optimum.legs, query, excess) : [cycleLegOf(optimum.legs)];
    if (drop.length === 0) break;
    for (const leg of drop) if (leg) closed.add(leg.pool.id);
  }
  return { bound: bound ?? 0, plan: best };
}

/** The worse half of the legs that cost more gas than they gain; otherwise half of the legs in excess of the limit of gas. */
function uselessOf(legs: readonly OptimalLeg[], { gasPrice, pools }: PricedQuery, excess: number): OptimalLeg[] {
  const netOf = ({ pool, surplus }: OptimalLeg) => {
    const state = pools.find(({ ref }) => ref.id === pool.id)?.state;
    return surplus - (state ? estimateGas(state.kind) * gasPrice : 0);
  };
  // The only leg that sells a token has no surplus of its own.
  const isRemovable = ({ tokenIn }: OptimalLeg) => legs.filter((other) => other.tokenIn === tokenIn).length > 1;
  const ranked = legs.filter(isRemovable).toSorted((a, b) => netOf(a) - netOf(b));
  const useless = ranked.filter((leg) => netOf(leg) < 0);
  return ranked.slice(0, Math.ceil(Math.max(useless.length, legs.length * excess) / 2));
}

/** The leg with the least surplus among those whose tokens cannot be ordered. */
function cycleLegOf(legs: readonly OptimalLeg[]): OptimalLeg | undefined {
  let left = [...legs];
  for (;;) {
    const bought = new Set(left.map(({ tokenOut }) => tokenOut));
    const sold = new Set(left.map(({ tokenIn }) => tokenIn));
    const rest = left.filter(({ tokenIn, tokenOut }) => bought.has(tokenIn) && sold.has(tokenOut));
    if (rest.length === left.length) break;
    left = rest;
  }
  return left.toSorted((a, b) => a.surplus - b.surplus)[0];
}

/** Executes a plan by exact swaps, which `prove:pools` compares with published quoters. */
function execute(plan: Plan, { pools, gasPrice }: PricedQuery): KnownPlan | undefined {
  const { tokenIn, tokenOut, amountIn, legs } = plan;
  const held = new Map([[tokenIn, amountIn]]);
  const total = new Map<string, bigint>();
  let gas = 0;
  for (const [at, leg] of legs.entries()) {
    const state = pools.find(({ ref }) => ref.id === leg.pool.id)?.state;
    const own = held.get(leg.tokenIn) ?? 0n;
    if (!total.has(leg.tokenIn)) total.set(leg.tokenIn, own);
    const isLast = !legs.slice(at + 1).some((later) => later.tokenIn === leg.tokenIn);
    const sold = isLast ? own : ((total.get(leg.tokenIn) as bigint) * BigInt(leg.shareBps)) / 10_000n;
    const result = state && sold > 0n ? swap(state, leg.tokenIn === leg.pool.token0, sold) : undefined;
    if (!state || !result) return undefined;
    held.set(leg.tokenIn, own - sold);
    held.set(leg.tokenOut, (held.get(leg.tokenOut) ?? 0n) + result.amountOut);
    gas += estimateGas(state.kind, result.ticksCrossed);
  }
  const amountOut = held.get(tokenOut) ?? 0n;
  return { net: Number(amountOut) - gas * gasPrice, amountOut, gas, legs: legs.length, plan };
}
