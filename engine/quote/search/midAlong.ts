import type { OpaqueState, Pool } from '../../pools/poolTypes.ts';
import { depthWithinOnePercent, midOf } from '../../pools/price.ts';
import type { PlanLeg } from './planTypes.ts';

/**
 * Fee-free mid of a single route in base units: the product of the mids of the deepest pools of its pairs. The price that
 * a pool without maths reports counts only where the route itself leads through that pool and no other has a mid.
 */
export function midAlong(legs: readonly PlanLeg[], pools: readonly Pool[]): number | undefined {
  let product = 1;
  for (const { pool, tokenIn, tokenOut } of legs) {
    let deepest = 0n;
    let mid = 0;
    for (const { ref, state } of pools) {
      const zeroForOne = ref.token0 === tokenIn && ref.token1 === tokenOut;
      if (!zeroForOne && !(ref.token0 === tokenOut && ref.token1 === tokenIn)) continue;
      const depth = depthWithinOnePercent(state, zeroForOne);
      if (depth > deepest) [deepest, mid] = [depth, midOf(state, zeroForOne) ?? 0];
      if (deepest === 0n && state.kind === 'opaque' && ref.id === pool.id) mid = reportedMid(state, zeroForOne);
    }
    product *= mid;
  }
  return product > 0 && Number.isFinite(product) ? product : undefined;
}

function reportedMid({ sqrtPriceX96 = 0n, liquidity = 0n }: OpaqueState, zeroForOne: boolean): number {
  if (liquidity === 0n) return 0;
  const price = (Number(sqrtPriceX96) / 2 ** 96) ** 2;
  return zeroForOne ? price : 1 / price;
}
