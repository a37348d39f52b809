import type { ChainData } from '../chainData.ts';
import type { QuoteAnswer } from '../quoteTypes.ts';
import type { LensReading, PoolReading } from './lensReading.ts';
import { priceOf, ratio } from './ratio.ts';
import { type DecimalsOf, deepestMid } from './spot.ts';

export type Prices = Pick<
  QuoteAnswer,
  'executablePrice' | 'spotPrice' | 'priceImpactBps' | 'worstCaseSlippageBps' | 'depthAtSize'
>;

/**
 * Prices of a route, in whole tokens.
 * @param mid in base units; null if there is none, undefined to compute it from the reading's bands
 */
export function measurePrices(
  data: ChainData,
  reading: LensReading,
  pools: readonly PoolReading[],
  amountOut: bigint,
  mid: number | null | undefined = undefined,
): Prices {
  const decimals = { in: reading.tokenIn.decimals ?? 0, out: reading.tokenOut.decimals ?? 0 };
  const executablePrice = priceOf(reading.amountIn, amountOut, decimals);
  const spotPrice = mid === undefined ? spotOf(data, reading, pools, decimals) : toSpot(mid, decimals);
  return {
    executablePrice,
    spotPrice,
    priceImpactBps: spotPrice === null ? null : belowBps(executablePrice, spotPrice),
    worstCaseSlippageBps: spotPrice === null ? null : worstCaseBps(reading, amountOut, spotPrice, decimals),
    depthAtSize: ratio(reading.depth, 10n ** BigInt(decimals.in)),
  };
}

/** A mid in base units as a price of whole tokens. */
function toSpot(mid: number | null, decimals: { in: number; out: number }): number | null {
  const price = mid === null ? 0 : mid * 10 ** (decimals.in - decimals.out);
  return Number.isFinite(price) && price > 0 ? price : null;
}

/** The product of the legs' deepest mids; null if a leg has none. */
function spotOf(
  { candidatePools, deployment }: ChainData,
  reading: LensReading,
  pools: readonly PoolReading[],
  decimals: { in: number; out: number },
): number | null {
  const ends = [reading.pairs[pools[0]?.pair ?? -1]?.tokenIn, reading.pairs[pools.at(-1)?.pair ?? -1]?.tokenOut];
  const decimalsOf: DecimalsOf = (token) => {
    if (token === ends[0]) return decimals.in;
    if (token === ends[1]) return decimals.out;
    return deployment.pricingAssets.find((asset) => asset.address === token)?.decimals;
  };
  let product = 10 ** (decimals.in - decimals.out);
  for (const pool of pools) {
    const mid = deepestMid(reading, pool.pair, candidatePools, deployment, decimalsOf);
    if (!mid) return null;
    product *= mid.mid;
  }
  return Number.isFinite(product) && product > 0 ? product : null;
}

/** How far below the mid an order right after an identical one fills, in basis points; 10000 if it cannot fill. */
function worstCaseBps(
  { twice, amountIn }: LensReading,
  amountOut: bigint,
  spotPrice: number,
  decimals: { in: number; out: number },
): number {
  if (twice.status !== 'filled' || twice.received <= amountOut) return 10_000;
  return belowBps(priceOf(amountIn, twice.received - amountOut, decimals), spotPrice);
}

const belowBps = (price: number, spotPrice: number) => (1 - price / spotPrice) * 10_000;
