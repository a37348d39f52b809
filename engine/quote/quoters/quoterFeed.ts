import { zeroAddress } from 'viem';
import type { ContractRead } from '../../chain/multicall3.ts';
import type { FeedReading, SequencerState, StateReading } from '../../pools/decodeStates.ts';
import type { Deployment } from '../../venues/venueTypes.ts';
import { noFeed } from '../query/usdSize.ts';
import type { QuoteQuery } from '../quoteTypes.ts';
import { firstWord, type ReadResult } from './readTogether.ts';

/** Chainlink recommends to wait an hour after an outage of the sequencer, until prices are up to date. */
const sequencerGraceSeconds = 3600n;
const latestRoundData = '0xfeaf968c';
const decimals = '0x313ce567';

/**
 * Three reads: the answer and the decimals of tokenIn's feed for a size in USD, and the sequencer feed's answer. The zero
 * address, which returns no words, stands for a feed that is not needed or does not exist.
 */
export function feedReads({ size, tokenIn }: QuoteQuery, { feeds, sequencerFeed }: Deployment): ContractRead[] {
  const feed = (size.unit === 'usd' && feeds[tokenIn]?.address) || zeroAddress;
  return [
    { to: feed, data: latestRoundData },
    { to: feed, data: decimals },
    { to: sequencerFeed ?? zeroAddress, data: latestRoundData },
  ];
}

/** The feeds and the sequencer's state from the results of `feedReads`. */
export function toFeeds(
  { tokenIn }: QuoteQuery,
  deployment: Deployment,
  timestamp: bigint,
  [answer, feedDecimals, sequencerAnswer]: readonly ReadResult[],
): Pick<StateReading, 'feeds' | 'sequencer'> {
  const row = deployment.feeds[tokenIn];
  return {
    feeds: row ? [{ address: row.address, ...toFeed(answer, feedDecimals) }] : [],
    sequencer: sequencerOf(deployment, sequencerAnswer, timestamp),
  };
}

function toFeed(round: ReadResult | undefined, feedDecimals: ReadResult | undefined): FeedReading {
  const [, answer, , updatedAt] = typeof round === 'object' ? round.words : [];
  const decimalCount = firstWord(feedDecimals);
  if (answer === undefined || updatedAt === undefined || decimalCount === undefined || decimalCount > 36n)
    return noFeed;
  const signed = BigInt.asIntN(256, answer);
  return { read: true, answer: signed > 0n ? signed : 0n, updatedAt, decimals: Number(decimalCount) };
}

function sequencerOf({ sequencerFeed }: Deployment, round: ReadResult | undefined, timestamp: bigint): SequencerState {
  if (!sequencerFeed) return 'none';
  const [, answer, startedAt] = typeof round === 'object' ? round.words : [];
  if (answer === undefined || startedAt === undefined) return 'unread';
  return answer === 0n && startedAt !== 0n && timestamp >= startedAt + sequencerGraceSeconds ? 'up' : 'down';
}
