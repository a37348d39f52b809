import type { LowerAddress } from '../../lowerAddress.ts';
import { midOf } from '../../venues/models.ts';
import type { Pool, PoolRef, PoolState } from '../../venues/poolTypes.ts';
import { toCurve } from '../search/curve.ts';

/** The mid and depth of a pool. All compared pools use the same units. */
export interface PoolMid {
  /** Price without the fee. */
  mid: number;
  /** Output until the price falls by 1 %, multiplied by `depthShare`. */
  depth: number;
}

/** The highest common fee, as a fraction. Arbitrage keeps the mids of two pools within their fees. */
const commonFee = 0.01;
const minShareOfPaid = 1 - commonFee;

/**
 * The deepest pool, without pools whose mid is over 1 % below `paid`. Sellers never fill a bid below the market, so such a
 * pool can show any depth at no cost.
 * @param paid price of an executed or exactly computed sale, for one unit; 0 if unknown
 */
export function deepestOf<T extends PoolMid>(pools: readonly T[], paid: number): T | undefined {
  let deepest: T | undefined;
  for (const pool of pools) {
    if (pool.mid >= paid * minShareOfPaid && (!deepest || pool.depth > deepest.depth)) deepest = pool;
  }
  return deepest;
}

interface StateMid extends PoolMid {
  ref: PoolRef;
  /** Output for an amount; not above zero if the pool cannot take all of it. */
  pay(amountIn: number): number;
}

/**
 * Pools of a pair with their mids, in base units of `to` for one of `from`. Excludes pools without liquidity at their
 * price.
 */
export function midsOf(from: LowerAddress, to: LowerAddress, pools: readonly Pool[]): StateMid[] {
  return pools.flatMap(({ ref, state }) => {
    const zeroForOne = ref.token0 === from && ref.token1 === to;
    if (!zeroForOne && !(ref.token0 === to && ref.token1 === from)) return [];
    const found = midOf(state, zeroForOne);
    if (!found) return [];
    const pay = (amountIn: number) => toCurve(state, zeroForOne)?.pay(amountIn) ?? 0;
    return [{ ref, mid: found.mid, depth: Number(found.depth) * depthShare(state, zeroForOne), pay }];
  });
}

/**
 * The part of a pool's depth that counts. No seller gains by filling a bid that exceeds the market by less than the pool's
 * fee, so such a bid costs its owner nothing. Above `commonFee`, the part falls with the square of the fee: at 10 %, a
 * hundredth of the depth counts.
 */
function depthShare(state: PoolState, zeroForOne: boolean): number {
  const fee = state.kind === 'opaque' ? 0 : state.feePips[zeroForOne ? 0 : 1] * 1e-6;
  return fee <= commonFee ? 1 : (commonFee / fee) ** 2;
}
