import type { FeedReading } from '../../pools/decodeStates.ts';
import type { Market } from '../market/market.ts';
import type { UsdDispute } from '../query/usdSources.ts';
import type { Flag } from '../quoteTypes.ts';

const agedReason = (updatedAt: bigint, timestamp: bigint) =>
  updatedAt > timestamp ? 'the time of its last answer is in the future' : 'its last answer is too old';

/** States why tokenIn's feed was not used: the sequencer, its age, its answer, or a failed read. */
function staleOracleFlag(feed: FeedReading, { sequencer, block }: Market['states']): Flag {
  const down = sequencer === 'down' || sequencer === 'unread';
  const aged = feed.answer > 0n ? agedReason(feed.updatedAt, block.timestamp) : 'its answer is not above zero';
  const state = feed.read ? aged : 'it did not answer';
  const why = down ? 'the sequencer is down, or was until less than an hour ago' : state;
  const facts = { updatedAt: feed.read ? Number(feed.updatedAt) : null, sequencer };
  return {
    code: 'STALE_ORACLE',
    severity: 'warn',
    message: `The Chainlink feed of tokenIn was not used: ${why}.`,
    facts,
  };
}

/** @param feed of tokenIn */
export function usdPriceFlags(
  { states, size: { usdSource: source, feedRefused, dispute } }: Pick<Market, 'states' | 'size'>,
  feed: FeedReading,
  venueUnread: boolean,
): Flag[] {
  const flags: Flag[] = feedRefused ? [staleOracleFlag(feed, states)] : [];
  if (dispute) flags.push(disputedFlag(dispute));
  if (!source) {
    const message = venueUnread
      ? 'No fresh feed prices tokenIn, and not all pools that might price it could be read. Send sizeIn, or request the quote again.'
      : 'There is no reliable USD price of tokenIn: no fresh feed, no pool against a pricing asset. Send sizeIn.';
    return [...flags, { code: 'USD_PRICE_SOURCE', severity: 'critical', message, facts: { source: 'none' } }];
  }
  const messages = {
    stable: 'sizeUSD was converted 1:1, because tokenIn is a USD stable.',
    feed: 'sizeUSD was converted to tokenIn by its Chainlink feed.',
    pool: 'sizeUSD was converted to tokenIn by the mid of its deepest pool against a pricing asset.',
  };
  flags.push({ code: 'USD_PRICE_SOURCE', severity: 'info', message: messages[source.source], facts: { ...source } });
  return flags;
}

/** States both prices of tokenIn. */
function disputedFlag({ source, usdPerToken, poolUsdPerToken, differenceBps, isRoundInFuture }: UsdDispute): Flag {
  const name = source === 'stable' ? 'counted as' : 'its Chainlink feed prices it at';
  const pool = poolUsdPerToken === null ? 'no pool prices it' : `its deepest pool at ${rounded(poolUsdPerToken)} USD`;
  const future = isRoundInFuture ? ' The time of the feed’s answer is in the future, so it was not used.' : '';
  const message = `The USD price of tokenIn is disputed: ${name} ${rounded(usdPerToken)} USD, ${pool}.${future}`;
  const facts = { source, usdPerToken, poolUsdPerToken, differenceBps };
  return { code: 'USD_PRICE_DISPUTED', severity: 'warn', message, facts };
}

const rounded = (price: number) => Number(price.toPrecision(6)).toString();
