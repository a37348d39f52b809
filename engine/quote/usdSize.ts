import type { LowerAddress } from '../lowerAddress.ts';
import type { Deployment } from '../venues/venueTypes.ts';

/** The source of the price that converted USD to tokenIn. */
export type UsdPriceSource =
  | { source: 'stable'; symbol: string }
  | { source: 'feed'; feed: string; updatedAt: number; usdPerToken: number }
  | { source: 'pool'; against: string; usdPerToken: number };

/** The symbol of a token that the chain's data lists as a USD stable; otherwise undefined. */
export function usdStableSymbol(token: LowerAddress, { pricingAssets }: Deployment): string | undefined {
  return pricingAssets.find((asset) => asset.usdStable && asset.address === token)?.symbol;
}
