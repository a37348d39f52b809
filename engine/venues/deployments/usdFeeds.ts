import type { Address } from 'viem';
import { type AnyCase, type LowerAddress, toLowerAddress } from '../../lowerAddress.ts';
import type { UsdFeed } from '../venueTypes.ts';

/**
 * Published heartbeats, with the time that a due round may take to get on chain: nodes start a round when the heartbeat
 * is reached, not before (docs.chain.link, "Data Feeds": monitoring timestamps).
 */
export const heartbeats = {
  /** 27 s. */
  halfMinute: 300,
  /** 255 s; every one of 400 rounds on Arbitrum came 257 to 273 s after the one before (September 2026). */
  fourMinutes: 600,
  /** 1,200 s. */
  twentyMinutes: 1_500,
  /** 1,755 s. */
  halfHour: 2_100,
  /** 86,400 s. */
  day: 90_000,
} as const;

/** Rows of a chain's feeds that share a heartbeat: the token, its USD feed, and what the feed says it is. */
export function usdFeeds(
  heartbeatSeconds: number,
  rows: readonly (readonly [token: Address, feed: Address, description: string])[],
): Record<LowerAddress, AnyCase<UsdFeed>> {
  return Object.fromEntries(
    rows.map(([token, address, description]) => [toLowerAddress(token), { address, heartbeatSeconds, description }]),
  );
}
