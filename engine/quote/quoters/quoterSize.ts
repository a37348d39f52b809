import { type Address, getAddress, maxUint256 } from 'viem';
import type { ContractRead } from '../../chain/multicall3.ts';
import type { FeedReading } from '../../pools/feedReading.ts';
import type { Deployment, UsdFeed } from '../../venues/venueTypes.ts';
import type { LensReading } from '../answer/lensReading.ts';
import { parseSize, toBaseUnits } from '../query/parseSize.ts';
import { type UsdPriceSource, usdStableSymbol } from '../query/usdSize.ts';
import type { QuoteQuery } from '../quoteTypes.ts';
import { firstWord, type ReadResult } from './readTogether.ts';

/** The size in base units and the source of its USD price; `amountIn` is 0 if it could not be converted. */
export interface QuoterSize {
  amountIn: bigint;
  cut: boolean;
  overflow: boolean;
  feed: FeedReading;
  sequencer: LensReading['sequencer'];
  usdSource: UsdPriceSource | undefined;
  feedRefused: boolean;
}

const noFeed: FeedReading = { read: false, answer: 0n, updatedAt: 0n, decimals: 0 };
/** Chainlink recommends to wait an hour after an outage of the sequencer, until prices are up to date. */
const sequencerGraceSeconds = 3600n;
const latestRoundData = '0xfeaf968c';
const decimals = '0x313ce567';

/** tokenIn's feed, if the size is in USD and needs one. */
export function feedOf({ size, tokenIn }: QuoteQuery, deployment: Deployment): UsdFeed | undefined {
  const needed = 'usd' in size && usdStableSymbol(tokenIn, deployment) === undefined;
  return needed ? deployment.feeds[tokenIn] : undefined;
}

/** Three reads: the feed's answer, its decimals, the sequencer feed's answer. Without a feed, an address without code. */
export function feedReads(feed: UsdFeed | undefined, { sequencerFeed }: Deployment): ContractRead[] {
  const noCode: Address = '0x0000000000000000000000000000000000000000';
  return [
    { to: feed?.address ?? noCode, data: latestRoundData },
    { to: feed?.address ?? noCode, data: decimals },
    { to: sequencerFeed ?? noCode, data: latestRoundData },
  ];
}

/** Converts a size to base units: by token, 1:1 for a USD stable, or by a fresh feed. Uses no pool price. */
export function toQuoterSize(
  query: QuoteQuery,
  deployment: Deployment,
  tokenDecimals: number,
  timestamp: bigint,
  [answer, feedDecimals, sequencerAnswer]: readonly ReadResult[],
): QuoterSize {
  const { size, tokenIn } = query;
  const unsized = { amountIn: 0n, cut: false, overflow: false, feed: noFeed, usdSource: undefined, feedRefused: false };
  const sequencer = sequencerOf(deployment, sequencerAnswer, timestamp);
  const symbol = usdStableSymbol(tokenIn, deployment);
  if ('tokenIn' in size || symbol !== undefined) {
    const { amount, cut } = toBaseUnits(parseSize('tokenIn' in size ? size.tokenIn : size.usd), tokenDecimals);
    const overflow = amount > maxUint256;
    const usdSource = 'usd' in size && symbol !== undefined ? ({ source: 'stable', symbol } as const) : undefined;
    return { ...unsized, sequencer, amountIn: overflow ? 0n : amount, cut, overflow, usdSource };
  }
  const row = feedOf(query, deployment);
  if (!row) return { ...unsized, sequencer };
  const feed = toFeed(answer, feedDecimals);
  const trusted = sequencer === 'none' || sequencer === 'up';
  const age = timestamp - feed.updatedAt;
  // A round in the future is as wrong as an old one.
  const fresh = trusted && feed.answer > 0n && age >= 0n && age <= BigInt(row.heartbeatSeconds);
  if (!fresh) return { ...unsized, sequencer, feed, feedRefused: true };
  const { mantissa, scale } = parseSize(size.usd);
  const amount = (mantissa * 10n ** BigInt(tokenDecimals + feed.decimals)) / feed.answer / 10n ** BigInt(scale);
  const overflow = amount > maxUint256;
  const usdPerToken = Number(feed.answer) / 10 ** feed.decimals;
  const usdSource = {
    source: 'feed',
    feed: getAddress(row.address),
    updatedAt: Number(feed.updatedAt),
    usdPerToken,
  } as const;
  return { ...unsized, sequencer, feed, amountIn: overflow ? 0n : amount, overflow, usdSource };
}

function toFeed(round: ReadResult | undefined, feedDecimals: ReadResult | undefined): FeedReading {
  const [, answer, , updatedAt] = typeof round === 'object' ? round.words : [];
  const decimalCount = firstWord(feedDecimals);
  if (answer === undefined || updatedAt === undefined || decimalCount === undefined || decimalCount > 36n)
    return noFeed;
  const signed = BigInt.asIntN(256, answer);
  return { read: true, answer: signed > 0n ? signed : 0n, updatedAt, decimals: Number(decimalCount) };
}

function sequencerOf(
  { sequencerFeed }: Deployment,
  round: ReadResult | undefined,
  timestamp: bigint,
): LensReading['sequencer'] {
  if (!sequencerFeed) return 'none';
  const [, answer, startedAt] = typeof round === 'object' ? round.words : [];
  if (answer === undefined || startedAt === undefined) return 'unread';
  return answer === 0n && startedAt !== 0n && timestamp >= startedAt + sequencerGraceSeconds ? 'up' : 'down';
}
