import type { LowerAddress } from '../../lowerAddress.ts';
import type { FeedReading, StateReading } from '../../pools/decodeStates.ts';
import type { Deployment } from '../../venues/venueTypes.ts';

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

export function feedReadingOf(token: LowerAddress, { feeds }: StateReading, deployment: Deployment): FeedReading {
  const feed = feedOf(token, feeds, deployment);
  return feed ?? { read: false, answer: 0n, updatedAt: 0n, decimals: 0 };
}
