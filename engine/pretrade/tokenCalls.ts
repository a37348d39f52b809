import { type Hex, isHex, numberToHex } from 'viem';
import { exitHopsArtifact } from '../../contracts/artifacts/lens/ExitHops.ts';
import { exitLensArtifact } from '../../contracts/artifacts/lens/ExitLens.ts';
import { fillLensArtifact } from '../../contracts/artifacts/lens/FillLens.ts';
import { plainRecheckLensArtifact } from '../../contracts/artifacts/lens/PlainRecheckLens.ts';
import { recheckLensArtifact } from '../../contracts/artifacts/lens/RecheckLens.ts';
import { resultOf } from '../chain/batch.ts';
import { randomNumber, toLensCall } from '../chain/lensCall.ts';
import { blockNumberRead, fromAggregateReply, toAggregateCall } from '../chain/multicall3.ts';
import { isOverrun, LensOverrunError, type Node, NodeRefusedError } from '../chain/node.ts';
import type { RpcCall, RpcReply } from '../chain/rpcEndpoint.ts';
import { LensAnswerError } from '../chain/wordReader.ts';
import { decodeWords } from '../chain/words.ts';
import type { LowerAddress } from '../lowerAddress.ts';
import type { FeedReading } from '../pools/decodeStates.ts';
import type { Deployment } from '../venues/venueTypes.ts';
import { getters } from './bytecode/signatures.ts';
import { encodeExit } from './exit/encodeExit.ts';
import { encodeRecheck, type RecheckQuery } from './exit/encodeRecheck.ts';
import type { LoggedPool, PoolFields } from './exit/exitTypes.ts';
import type { PretradeEnvironment } from './tokenReading.ts';

const saltBytes = 32;
const { runtime } = fillLensArtifact;
const exitLens = { runtime, parts: [exitLensArtifact, exitHopsArtifact] };
/** For the whole price range. Reads no second hops. */
const wholeExitLens = { runtime, parts: [exitLensArtifact] };

export function toExitCall(
  { exitConfig, holders }: PretradeEnvironment,
  node: Node,
  token: LowerAddress,
  known: readonly LoggedPool[],
  block: Hex | 'latest',
) {
  const query = {
    whole: false,
    token,
    known,
    holders: holders.map(({ address }) => address),
    getters: getters.map(({ selector }) => selector),
  };
  return toLensCall(node, { data: encodeExit(exitConfig, query, randomNumber(saltBytes)), block, lens: exitLens });
}

/** Measures these pools of a token alone, without a search for others. */
export function toPoolsCall(
  { poolsConfig }: PretradeEnvironment,
  node: Node,
  {
    token,
    known,
    block,
    whole = false,
  }: { token: LowerAddress; known: readonly PoolFields[]; block: Hex; whole?: boolean },
) {
  const data = encodeExit(poolsConfig, { whole, token, known, holders: [], getters: [] }, randomNumber(saltBytes));
  return toLensCall(node, { data, block, lens: whole ? wholeExitLens : exitLens });
}

export function toRecheckCall({ data }: PretradeEnvironment, node: Node, query: RecheckQuery) {
  const { data: call, isPlain } = encodeRecheck(query, data, randomNumber(saltBytes));
  const lens = isPlain ? plainRecheckLensArtifact : recheckLensArtifact;
  return toLensCall(node, { data: call, block: 'latest', lens });
}

/** @throws {NodeRefusedError} the lens never reverts, so an error is the node's */
export function toExit<T>(reply: RpcReply | undefined, decode: (words: Hex) => T): T {
  const result = resultOf(reply);
  if (!isHex(result)) {
    const why = reply && 'error' in reply ? `${reply.error.code} ${reply.error.message}` : 'no answer';
    if (isOverrun(why)) throw new LensOverrunError(`The node did not finish the exit lens: ${why}.`);
    throw new NodeRefusedError(`The node did not run the exit lens: ${why}.`);
  }
  try {
    return decode(result);
  } catch (cause) {
    if (!(cause instanceof LensAnswerError)) throw cause;
    throw new NodeRefusedError('The node returned malformed data for the exit lens.', { cause });
  }
}

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
