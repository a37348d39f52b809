import type { LowerAddress } from '../../lowerAddress.ts';
import type { OpaqueState } from '../../venues/opaque.ts';
import type { Pool, PoolRef } from '../../venues/poolTypes.ts';
import { deepestOf, midsOf } from '../market/deepestMid.ts';
import type { FilledLeg } from './planTypes.ts';

/** A leg of a route, with the input and output of its pool. */
type Hop = Omit<FilledLeg, 'shareBps'>;

/**
 * Fee-free mid in base units: the product of the mids along a route. Each is the mid of the deepest pool, without pools
 * whose mid is below the hop's own fill (`deepestOf`), or else the price that the hop's pool reports. Undefined if a
 * hop has none.
 */
export function midAlong(hops: readonly Hop[], pools: readonly Pool[]): number | undefined {
  let product = 1;
  for (const hop of hops) product *= deepestAt(hop, pools)?.mid ?? reportedMid(hop, pools);
  return product > 0 && Number.isFinite(product) ? product : undefined;
}

/** The pools whose prices `midAlong` multiplies. */
export const deepestAlong = (hops: readonly Hop[], pools: readonly Pool[]): PoolRef[] =>
  hops.map((hop) => deepestAt(hop, pools)?.ref ?? hop.pool);

/** The route that sells most: from the first leg's token, the largest leg of each token. */
export function largestPath<T extends Hop>(legs: readonly T[]): T[] {
  const path: T[] = [];
  let token: LowerAddress | undefined = legs[0]?.tokenIn;
  for (const { tokenIn } of legs) {
    if (tokenIn !== token) continue;
    const own = legs.filter((leg) => leg.tokenIn === token);
    const largest = own.reduce((most, leg) => (leg.amountIn > most.amountIn ? leg : most));
    path.push(largest);
    token = largest.tokenOut;
  }
  return path;
}

const deepestAt = (hop: Hop, pools: readonly Pool[]) =>
  deepestOf(midsOf(hop.tokenIn, hop.tokenOut, pools), paidOf(hop));

const paidOf = ({ amountIn, amountOut }: Hop) => (amountIn > 0n ? Number(amountOut) / Number(amountIn) : 0);

function reportedMid(hop: Hop, pools: readonly Pool[]): number {
  const state = pools.find(({ ref }) => ref.id === hop.pool.id)?.state;
  if (state?.kind !== 'opaque') return 0;
  const mid = priceOf(state, hop.tokenIn === hop.pool.token0);
  return deepestOf([{ mid, depth: 0 }], paidOf(hop))?.mid ?? 0;
}

function priceOf({ sqrtPriceX96 = 0n, liquidity = 0n }: OpaqueState, zeroForOne: boolean): number {
  if (liquidity === 0n) return 0;
  const price = (Number(sqrtPriceX96) / 2 ** 96) ** 2;
  return zeroForOne ? price : 1 / price;
}
