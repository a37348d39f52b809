import type { Address } from 'viem';
import type { Node } from '../chain/node.ts';
import { type LensQuestion, largestWord, sizeModes } from './encodeAsk.ts';
import { isBeyondSupply, type LensReading } from './lensReading.ts';
import { parseSize } from './parseSize.ts';
import type { QuoteQuestion } from './quoteTypes.ts';
import { type ChainData, readFunded } from './readFunded.ts';
import { readUncovered, type UncoveredHolders } from './uncoveredVenues.ts';
import { sizeBySurvey, type UsdPriceSource, usdStableSymbol } from './usdSize.ts';

/** The market for one question, and how a USD size became an amount. */
export interface MarketReading {
  reading: LensReading;
  /** The reading that priced a USD size, when that was another one at the same block. */
  survey?: LensReading;
  usdSource?: UsdPriceSource | undefined;
  /** tokenIn has a feed, and it was not good enough. */
  feedRefused?: boolean;
  /** Venues that cannot be quoted and may trade the token; read only where there is no route. */
  uncovered?: UncoveredHolders;
}

/**
 * The market, and where it has no route for a size, which uncovered venues may have one: one more trip.
 * @throws {NodeRefusedError | RpcTransportError}
 */
export async function readMarket(data: ChainData, question: QuoteQuestion, node: Node): Promise<MarketReading> {
  const market = await readSized(data, question, node);
  const { candidates, amountIn, blockNumber } = market.reading;
  if (candidates.length > 0 || amountIn === 0n || isBeyondSupply(market.reading)) return market;
  const { tokenIn, tokenOut } = question;
  const block = `0x${blockNumber.toString(16)}` as const;
  return { ...market, uncovered: await readUncovered(data.deployment, [tokenIn, tokenOut], block, node) };
}

/**
 * One trip; one more for a USD size of a token without a fresh feed, pinned to the block of the first, and once for a
 * token that keeps its balances in an unusual place.
 * @throws {NodeRefusedError | RpcTransportError}
 */
async function readSized(data: ChainData, question: QuoteQuestion, node: Node): Promise<MarketReading> {
  const { tokenIn, tokenOut, size } = question;
  const tokens = { tokenIn, tokenOut };
  const read = (ask: Omit<LensQuestion, 'tokenIn' | 'tokenOut'>, block: `0x${string}` | 'latest' = 'latest') =>
    readFunded(data, { ...tokens, ...ask }, block, node);

  if ('tokenIn' in size) {
    const asked = parseSize(size.tokenIn);
    const reading = await read({ mode: sizeModes.token, ...asked });
    return { reading: asked.mantissa > largestWord ? beyondAWord(reading) : reading };
  }

  const usd = parseSize(size.usd);
  const symbol = usdStableSymbol(tokenIn, data.deployment);
  if (symbol) {
    const reading = await read({ mode: sizeModes.token, ...usd });
    return { reading, usdSource: { source: 'stable', symbol } };
  }
  const feed = data.deployment.feeds[tokenIn.toLowerCase()];
  const first = await read({ mode: feed ? sizeModes.usd : sizeModes.survey, ...usd, feed });
  if (!first.surveyed) return { reading: first, usdSource: feed && toFeedSource(feed.address, first) };

  const priced = sizeBySurvey(first, usd, data.slots, data.deployment);
  const feedRefused = feed !== undefined;
  if (!priced) return { reading: first, survey: first, feedRefused };
  if (priced.amountIn > largestWord) {
    return { reading: beyondAWord(first), survey: first, usdSource: priced.source, feedRefused };
  }
  const block = `0x${first.blockNumber.toString(16)}` as const;
  const second = await read({ mode: sizeModes.units, mantissa: priced.amountIn, scale: 0 }, block);
  return { reading: second, survey: first, usdSource: priced.source, feedRefused };
}

/** The lens was told less than was asked for, so what it found is no answer. */
function beyondAWord(reading: LensReading): LensReading {
  return { ...reading, sizeOverflow: true, amountIn: 0n, pairs: [], pools: new Map(), candidates: [] };
}

function toFeedSource(address: Address, { feed }: LensReading): UsdPriceSource {
  const usdPerToken = Number(feed.answer) / 10 ** feed.decimals;
  return { source: 'feed', feed: address, updatedAt: Number(feed.updatedAt), usdPerToken };
}
