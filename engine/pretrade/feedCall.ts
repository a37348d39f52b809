import { type Hex, numberToHex } from 'viem';
import { blockNumberRead, fromAggregateReply, toAggregateCall } from '../chain/multicall3.ts';
import type { RpcCall, RpcReply } from '../chain/rpcEndpoint.ts';
import { decodeWords } from '../chain/words.ts';
import type { LowerAddress } from '../lowerAddress.ts';
import type { FeedReading } from '../pools/decodeStates.ts';
import type { Deployment } from '../venues/venueTypes.ts';

/** latestRoundData() and decimals() */
const selectors = ['0xfeaf968c', '0x313ce567'] as const;
const maxDecimals = 36n;
const feedGas = numberToHex(1_000_000);

/**
 * Reads the token's own price feed, with its block; undefined where it has none, or the exit lens reads it as a base
 * asset's.
 */
export function toFeedCall(
  token: LowerAddress,
  { feeds, pricingAssets }: Deployment,
  block: Hex | 'latest',
): RpcCall | undefined {
  const feed = feeds[token];
  if (!feed || pricingAssets.some(({ address }) => address === token)) return undefined;
  const reads = selectors.map((data) => ({ to: feed.address, data }));
  return toAggregateCall([blockNumberRead, ...reads], feedGas, block);
}

/** Undefined if the feed could not be read. `other-block`: the reply is of another block, so the read can be repeated. */
export function toFeed(reply: RpcReply | undefined, blockNumber: bigint): FeedReading | 'other-block' | undefined {
  const [number, round, places] = fromAggregateReply(reply) ?? [];
  if (!number?.success) return undefined;
  if (decodeWords(number.returnData, 1)[0] !== blockNumber) return 'other-block';
  if (!round?.success || !places?.success) return undefined;
  const [, answer, , updatedAt, last] = decodeWords(round.returnData, 5);
  const [decimals] = decodeWords(places.returnData, 1);
  if (answer === undefined || updatedAt === undefined || last === undefined) return undefined;
  if (decimals === undefined || decimals > maxDecimals) return undefined;
  const signed = BigInt.asIntN(256, answer);
  return { read: true, answer: signed > 0n ? signed : 0n, updatedAt, decimals: Number(decimals) };
}
