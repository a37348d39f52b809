import { type Address, type Hex, isHex } from 'viem';
import type { RpcCall, RpcReply } from '../chain/rpcEndpoint.ts';
import { toWord } from '../chain/words.ts';
import type { LowerAddress } from '../lowerAddress.ts';
import type { CandidatePool } from '../venues/candidatePool.ts';
import { creationEvents, families } from '../venues/families.ts';
import type { CreationEvent } from '../venues/venueFamily.ts';
import { factoriesOf, type PoolLog, poolTopics, toPoolCreation } from './poolEvents.ts';
import type { IndexedPools, PoolCreation } from './poolIndex.ts';

/** Pools with one token in the covered factories' logs. `unread`: the logs could not be read or decoded. */
export type PoolLogs = { status: 'read'; creations: PoolCreation[] } | { status: 'unread'; reason: string };

/** The block range to read: all blocks from `from` on. */
export interface LogTail {
  from: bigint;
  /** A known head, so that the range up to it can be read in parts; undefined if unknown. */
  seenHead: bigint | undefined;
  /** The longest range that the node is known to accept. */
  longest: number | undefined;
}

/** The range without an index. */
export const allBlocks: LogTail = { from: 0n, seenHead: undefined, longest: undefined };

/** If a range needs more parts than this, it is requested as a whole: the node's limit is too small. */
const maxParts = 16n;

/** Why pools may be missing although the logs after the index were read. */
export const lacksEarlierBlocks = 'the pool index lacks earlier blocks';

/**
 * The blocks to read after the index. If it lacks earlier blocks too and these take more parts than one read has, only the
 * newest ones are read: then pools may be missing.
 */
export function tailAfter(
  { scannedTo, newest, longestRange: longest }: Pick<IndexedPools, 'scannedTo' | 'newest' | 'longestRange'>,
  seenHead: bigint | undefined,
): { tail: LogTail; isComplete: boolean } {
  const all = { from: scannedTo + 1n, seenHead, longest };
  const isComplete = newest.to <= scannedTo || (partsOf(all) ?? 1n) <= maxParts;
  return { tail: isComplete ? all : { ...all, from: newest.to + 1n }, isComplete };
}

/** Number of reads that a range takes; undefined if it is not known. */
function partsOf({ from, seenHead, longest }: LogTail): bigint | undefined {
  if (seenHead === undefined || longest === undefined || seenHead <= from) return undefined;
  return (seenHead - from) / BigInt(longest) + 1n;
}

/** Topics of `eth_getLogs`: one word, any of several, or any word at all. */
type Topics = readonly (Hex | readonly Hex[] | null)[];

/**
 * Calls that find every pool of some tokens at the covered factories, whatever the counter-asset or hook. A token is the
 * second or third topic, or the fourth in the events of a singleton and of a custom pool. Up to three calls for each range.
 */
export function toPoolLogCalls(
  tokens: readonly Address[],
  candidatePools: readonly CandidatePool[],
  tail: LogTail,
): RpcCall[] {
  const words = tokens.map((token): Hex => `0x${toWord(token)}`);
  const [early, late] = [toSource(1, candidatePools), toSource(2, candidatePools)];
  const filters: { address: LowerAddress[]; topics: Topics }[] = [
    // These factories emit no other events with a token as their second topic. Omitting the event topics shortens the request.
    { address: early.factories, topics: [null, words] },
    { address: factoriesOf(candidatePools), topics: [Object.values(poolTopics), null, words] },
    { address: late.factories, topics: [late.events, null, null, words] },
  ];
  return toRanges(tail).flatMap((range) =>
    filters.flatMap(({ address, topics }) =>
      address.length > 0 ? [{ method: 'eth_getLogs', params: [{ address, ...range, topics }] }] : [],
    ),
  );
}

/** Events with their first currency at this topic index, and the factories that emit them. */
function toSource(currencyTopic: CreationEvent['currencyTopic'], candidatePools: readonly CandidatePool[]) {
  const eventsOf = (events: Readonly<Record<string, CreationEvent>>) =>
    Object.values(events).filter((event) => event.currencyTopic === currencyTopic);
  return {
    events: eventsOf(creationEvents).map(({ topic }) => topic),
    factories: factoriesOf(candidatePools.filter(({ family }) => eventsOf(families[family].events).length > 0)),
  };
}

/** The last part begins no later than the known head: some nodes reject a range that begins after their own head. */
export function toRanges({ from, seenHead, longest }: LogTail): { fromBlock: Hex; toBlock: Hex | 'latest' }[] {
  const hex = (block: bigint): Hex => `0x${block.toString(16)}`;
  const whole = [{ fromBlock: hex(from), toBlock: 'latest' as const }];
  const parts = partsOf({ from, seenHead, longest });
  if (parts === undefined || seenHead === undefined || longest === undefined) return whole;
  if (parts < 2n || parts > maxParts) return whole;
  const step = BigInt(longest);
  const ranges: { fromBlock: Hex; toBlock: Hex | 'latest' }[] = [];
  let next = from;
  for (; next + step <= seenHead; next += step) ranges.push({ fromBlock: hex(next), toBlock: hex(next + step - 1n) });
  return [...ranges, { fromBlock: hex(next), toBlock: 'latest' }];
}

/**
 * Decodes the replies to the calls of `toPoolLogCalls`. One refused call or malformed log makes the whole result unread;
 * otherwise a pool could be missing without notice.
 */
export function fromPoolLogReplies(replies: readonly (RpcReply | undefined)[]): PoolLogs {
  const creations: PoolCreation[] = [];
  for (const reply of replies) {
    if (!reply || 'error' in reply || !Array.isArray(reply.result)) {
      return { status: 'unread', reason: reply && 'error' in reply ? reply.error.message : 'no list of logs' };
    }
    for (const log of reply.result) {
      if (!isLog(log)) return { status: 'unread', reason: 'a malformed log' };
      const creation = toPoolCreation({ ...log, blockNumber: Number(log.blockNumber) });
      if (creation) creations.push(creation);
    }
  }
  return { status: 'read', creations };
}

/** Whether a log has the fields that decoding needs. */
export function isLog(log: unknown): log is PoolLog & { blockNumber: Hex } {
  if (typeof log !== 'object' || log === null) return false;
  const { address, topics, data, blockNumber } = log as Partial<Record<string, unknown>>;
  if (!isHex(address) || !isHex(data) || !Array.isArray(topics)) return false;
  return topics.every((word) => isHex(word) && word.length === 66) && isBlockNumber(blockNumber);
}

/** Rejects `0x`, which is hex without a number, and values above 52 bits, which cannot be block numbers. */
function isBlockNumber(value: unknown): boolean {
  return typeof value === 'string' && /^0x[0-9a-f]{1,13}$/i.test(value);
}
