import type { LowerAddress } from '../lowerAddress.ts';
import type { Pool, PoolRef } from '../pools/poolTypes.ts';
import { midOf } from '../pools/price.ts';
import { toCurve } from './search/curve.ts';

/** A fee-free mid, and how much a fall of the price by 1 % yields. Any units, the same for all pools that are compared. */
export interface PoolMid {
  mid: number;
  depth: number;
}

/** Arbitrage leaves mids apart by the fees of the pools: 1 % is the highest usual fee. */
const leastOfPaid = 0.99;

/**
 * The deepest pool whose mid the market does not refute. A bid below what sellers get elsewhere is never filled: at any
 * depth it costs its owner nothing, so a mid more than 1 % below `paid` does not count.
 * @param paid what a sale really gets for one unit; 0 if unknown
 */
export function deepestOf<T extends PoolMid>(pools: readonly T[], paid: number): T | undefined {
  let deepest: T | undefined;
  for (const pool of pools) {
    if (pool.mid >= paid * leastOfPaid && (!deepest || pool.depth > deepest.depth)) deepest = pool;
  }
  return deepest;
}

interface StateMid extends PoolMid {
  ref: PoolRef;
  /** What the pool pays for an amount; not above zero if it cannot take all of it. */
  pay(amountIn: number): number;
}

/** Pools of a pair with a mid, in base units of `to` for one of `from`; none of those without liquidity at their price. */
export function midsOf(from: LowerAddress, to: LowerAddress, pools: readonly Pool[]): StateMid[] {
  return pools.flatMap(({ ref, state }) => {
    const zeroForOne = ref.token0 === from && ref.token1 === to;
    if (!zeroForOne && !(ref.token0 === to && ref.token1 === from)) return [];
    const found = midOf(state, zeroForOne);
    if (!found) return [];
    const pay = (amountIn: number) => toCurve(state, zeroForOne)?.pay(amountIn) ?? 0;
    return [{ ref, mid: found.mid, depth: Number(found.depth), pay }];
  });
}
