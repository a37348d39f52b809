import type { Address } from 'viem';
import { type AnyCase, type LowerAddress, toLowerAddress } from '../../lowerAddress.ts';
import type { UsdFeed } from '../venueTypes.ts';

/**
 * Maximum age of a feed's answer in seconds: the published heartbeat, plus the time until the next round is on chain. Nodes
 * start a round when the heartbeat is reached, not before (docs.chain.link, "Data Feeds": monitoring timestamps).
 */
export const heartbeats = {
  /** 27 s. */
  halfMinute: 300,
  /** 255 s; on Arbitrum 400 rounds followed each other after 257 to 273 s (September 2026). */
  fourMinutes: 600,
  /** 1,200 s. */
  twentyMinutes: 1_500,
  /** 1,755 s. */
  halfHour: 2_100,
  /** 86,400 s. */
  day: 90_000,
} as const;

/** Feeds of a chain that share a heartbeat: the token, its USD feed, and the feed's `description()`. */
export function usdFeeds(
  heartbeatSeconds: number,
  rows: readonly (readonly [token: Address, feed: Address, description: string])[],
): Record<LowerAddress, AnyCase<UsdFeed>> {
  return Object.fromEntries(
    rows.map(([token, address, description]) => [toLowerAddress(token), { address, heartbeatSeconds, description }]),
  );
}
