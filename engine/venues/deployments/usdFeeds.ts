import type { Address } from 'viem';
import type { UsdFeed } from '../venueTypes.ts';

/**
 * Published heartbeats, with the time that a due round may take to get on chain: nodes start a round when the heartbeat
 * is reached, not before (docs.chain.link, "Data Feeds": monitoring timestamps).
 */
export const heartbeats = {
  /** 27 s on Polygon; rounds were seen up to a minute apart. */
  polygon: 300,
  /** 1,200 s. */
  twentyMinutes: 1_500,
  /** 3,600 s. */
  hour: 5_400,
  /** 86,400 s. */
  day: 90_000,
} as const;

/** Rows of a chain's feeds that share a heartbeat: the token, its USD feed, and what the feed says it is. */
export function usdFeeds(
  heartbeatSeconds: number,
  rows: readonly (readonly [token: Address, feed: Address, description: string])[],
): Record<string, UsdFeed> {
  return Object.fromEntries(
    rows.map(([token, address, description]) => [token.toLowerCase(), { address, heartbeatSeconds, description }]),
  );
}
