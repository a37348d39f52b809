import { BaseError, decodeFunctionResult, encodeFunctionData, type Hex, isHex, numberToHex, parseAbi } from 'viem';
import { resultOf } from '../chain/batch.ts';
import { multicall3 } from '../chain/multicall3.ts';
import type { RpcCall, RpcReply } from '../chain/rpcEndpoint.ts';
import { decodeWords } from '../chain/words.ts';
import type { LowerAddress } from '../lowerAddress.ts';
import type { FeedReading } from '../pools/feedReading.ts';
import type { Deployment } from '../venues/venueTypes.ts';

const abi = parseAbi([
  'struct Call { address target; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function tryBlockAndAggregate(bool requireSuccess, Call[] calls) payable returns (uint256, bytes32, Result[])',
]);
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
  const calls = selectors.map((callData) => ({ target: feed.address, callData }));
  const data = encodeFunctionData({ abi, functionName: 'tryBlockAndAggregate', args: [false, calls] });
  return { method: 'eth_call', params: [{ to: multicall3, data, gas: feedGas }, block] };
}

/** Undefined if the feed could not be read. `other-block`: the reply is of another block, so the read can be repeated. */
export function toFeed(reply: RpcReply | undefined, blockNumber: bigint): FeedReading | 'other-block' | undefined {
  const result = resultOf(reply);
  if (!isHex(result)) return undefined;
  try {
    const [number, , [round, places]] = decodeFunctionResult({
      abi,
      functionName: 'tryBlockAndAggregate',
      data: result,
    });
    if (number !== blockNumber) return 'other-block';
    if (!round?.success || !places?.success) return undefined;
    const [, answer, , updatedAt, last] = decodeWords(round.returnData, 5);
    const [decimals] = decodeWords(places.returnData, 1);
    if (answer === undefined || updatedAt === undefined || last === undefined) return undefined;
    if (decimals === undefined || decimals > maxDecimals) return undefined;
    const signed = BigInt.asIntN(256, answer);
    return { read: true, answer: signed > 0n ? signed : 0n, updatedAt, decimals: Number(decimals) };
  } catch (error) {
    // The reply does not have Multicall3's ABI encoding.
    if (error instanceof BaseError) return undefined;
    throw error;
  }
}
