import type { OpaqueState, Pool, PoolRef } from '../../pools/poolTypes.ts';
import { depthWithinOnePercent, midOf } from '../../pools/price.ts';
import type { PlanLeg } from './planTypes.ts';

type Hop = Pick<PlanLeg, 'pool' | 'tokenIn' | 'tokenOut'>;

/**
 * Fee-free mid in base units: the product of the deepest pools' mids along a route. A hop without maths counts with the
 * price that its own pool reports. Undefined if a hop has no mid.
 */
export function midAlong(hops: readonly Hop[], pools: readonly Pool[]): number | undefined {
  let product = 1;
  for (const hop of hops) product *= deepestOf(hop, pools)?.mid ?? reportedMid(hop, pools);
  return product > 0 && Number.isFinite(product) ? product : undefined;
}

/** The deepest pool of each hop: the pools whose prices `midAlong` multiplies. */
export const deepestAlong = (hops: readonly Hop[], pools: readonly Pool[]): PoolRef[] =>
  hops.map((hop) => deepestOf(hop, pools)?.ref ?? hop.pool);

function deepestOf({ tokenIn, tokenOut }: Hop, pools: readonly Pool[]): { ref: PoolRef; mid: number } | undefined {
  let deepest = 0n;
  let found: { ref: PoolRef; mid: number } | undefined;
  for (const { ref, state } of pools) {
    const zeroForOne = ref.token0 === tokenIn && ref.token1 === tokenOut;
    if (!zeroForOne && !(ref.token0 === tokenOut && ref.token1 === tokenIn)) continue;
    const depth = depthWithinOnePercent(state, zeroForOne);
    if (depth > deepest) [deepest, found] = [depth, { ref, mid: midOf(state, zeroForOne) ?? 0 }];
  }
  return found;
}

function reportedMid({ pool, tokenIn }: Hop, pools: readonly Pool[]): number {
  const state = pools.find(({ ref }) => ref.id === pool.id)?.state;
  if (state?.kind !== 'opaque') return 0;
  return priceOf(state, tokenIn === pool.token0);
}

function priceOf({ sqrtPriceX96 = 0n, liquidity = 0n }: OpaqueState, zeroForOne: boolean): number {
  if (liquidity === 0n) return 0;
  const price = (Number(sqrtPriceX96) / 2 ** 96) ** 2;
  return zeroForOne ? price : 1 / price;
}
