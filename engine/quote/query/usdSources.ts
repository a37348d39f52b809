import type { LowerAddress } from '../../lowerAddress.ts';
import type { FeedReading, StateReading } from '../../pools/decodeStates.ts';
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

function feedOf(token: LowerAddress, feeds: StateReading['feeds'], deployment: Deployment) {
  const row = deployment.feeds[token];
  return row && feeds.find(({ address }) => address === row.address);
}

/** A feed's answer in USD. */
export const usdOf = ({ answer, decimals }: FeedReading) => Number(answer) / 10 ** decimals;

/** A token's feed if its answer is fresh and the sequencer is up. A round in the future is as wrong as an old one. */
export function freshFeed(token: LowerAddress, { feeds, sequencer, block }: StateReading, deployment: Deployment) {
  const row = deployment.feeds[token];
  const feed = feedOf(token, feeds, deployment);
  const trusted = sequencer === 'none' || sequencer === 'up';
  if (!row || !feed?.read || feed.answer <= 0n || feed.decimals > 36 || !trusted) return undefined;
  const age = block.timestamp - feed.updatedAt;
  return age >= 0n && age <= BigInt(row.heartbeatSeconds) ? feed : undefined;
}

/** A token's feed if it answered with a round in the future. */
export function roundInFuture(token: LowerAddress, { feeds, block }: StateReading, deployment: Deployment) {
  const feed = feedOf(token, feeds, deployment);
  return feed?.read && feed.answer > 0n && feed.decimals <= 36 && feed.updatedAt > block.timestamp ? feed : undefined;
}

export const noFeed: FeedReading = { read: false, answer: 0n, updatedAt: 0n, decimals: 0 };

export function feedReadingOf(token: LowerAddress, { feeds }: StateReading, deployment: Deployment): FeedReading {
  return feedOf(token, feeds, deployment) ?? noFeed;
}
