import type { LowerAddress } from '../../lowerAddress.ts';
import type { Deployment } from '../../venues/venueTypes.ts';

/** The source of the price that converted USD to tokenIn. */
export type UsdPriceSource =
  | { source: 'stable'; symbol: string }
  | { source: 'feed'; feed: string; updatedAt: number; usdPerToken: number }
  | { source: 'pool'; against: string; usdPerToken: number };

/** A price of tokenIn that its deepest pool contradicts, or a feed's round in the future. Prices are USD per whole token. */
export interface UsdDispute {
  source: 'stable' | 'feed';
  usdPerToken: number;
  /** Null if no pool prices the token. */
  poolUsdPerToken: number | null;
  /** How far the source's price is from the pool's; null without a pool price. */
  differenceBps: number | null;
  isRoundInFuture: boolean;
}

const [feedToleranceBps, stableToleranceBps] = [300, 100];

/** Undefined if the prices agree within the tolerance. @param poolUsdPerToken undefined if no pool prices the token */
export function findDispute(
  source: 'stable' | 'feed',
  usdPerToken: number,
  poolUsdPerToken: number | undefined,
  isRoundInFuture = false,
): UsdDispute | undefined {
  const differenceBps = poolUsdPerToken === undefined ? null : Math.abs(usdPerToken / poolUsdPerToken - 1) * 10_000;
  const toleranceBps = source === 'stable' ? stableToleranceBps : feedToleranceBps;
  if (!isRoundInFuture && (differenceBps === null || differenceBps <= toleranceBps)) return undefined;
  return { source, usdPerToken, poolUsdPerToken: poolUsdPerToken ?? null, differenceBps, isRoundInFuture };
}

/** The symbol of a token that the chain's data lists as a USD stable; otherwise undefined. */
export function usdStableSymbol(token: LowerAddress, { pricingAssets }: Deployment): string | undefined {
  return pricingAssets.find((asset) => asset.usdStable && asset.address === token)?.symbol;
}
