import { type Address, type Hex, isHex } from 'viem';
import type { RpcCall, RpcReply } from '../../chain/rpcEndpoint.ts';
import { kinds, noHooks } from '../../venues/kinds.ts';
import type { Slot } from '../../venues/venueTypes.ts';
import type { PoolCreation } from '../pretradePorts.ts';
import { toWord } from '../simulation/words.ts';
import type { KnownPool } from './exitTypes.ts';
import { factoriesOf, hasSlot, type PoolLog, poolTopics, toPoolCreation } from './poolEvents.ts';

/** What the covered factories' logs say of pools with one token. `unread`: the node refused the range. */
export type PoolLogs = { status: 'read'; creations: PoolCreation[] } | { status: 'unread'; reason: string };

/** Blocks of which the logs are wanted: all from `from` on. */
export interface LogTail {
  from: bigint;
  /** A head that was seen, so that the blocks up to it can be asked for in parts; undefined: none was. */
  seenHead: bigint | undefined;
  /** The longest range that the node is known to take. */
  longest: number | undefined;
}

/** More parts than these are not worth a try: the node is not made for it. */
const mostParts = 16;

/**
 * Calls that find every pool of a token on the covered factories, whatever its counter-asset or hook: the token stands
 * in the second, third or, in a singleton's and a custom pool's event, fourth topic. Three, or three for each part of a tail that is longer
 * than the node takes at once.
 */
export function toPoolLogCalls(token: Address, slots: readonly Slot[], tail: LogTail): RpcCall[] {
  const address = factoriesOf(slots);
  const names = Object.values(poolTopics);
  const word = `0x${toWord(token)}`;
  const filters = [
    [names, word],
    [names, null, word],
    [[poolTopics.v4, poolTopics['algebra-custom']], null, null, word],
  ];
  return toRanges(tail).flatMap((range) =>
    filters.map((topics) => ({ method: 'eth_getLogs', params: [{ address, ...range, topics }] })),
  );
}

/** The last part begins at the head that was seen: a range that begins beyond today's head is an error to some nodes. */
function toRanges({ from, seenHead, longest }: LogTail): { fromBlock: Hex; toBlock: Hex | 'latest' }[] {
  const hex = (block: bigint): Hex => `0x${block.toString(16)}`;
  const whole = [{ fromBlock: hex(from), toBlock: 'latest' as const }];
  if (seenHead === undefined || longest === undefined || seenHead <= from) return whole;
  const step = BigInt(longest);
  const parts = (seenHead - from) / step + 1n;
  if (parts < 2n || parts > mostParts) return whole;
  const ranges: { fromBlock: Hex; toBlock: Hex | 'latest' }[] = [];
  let next = from;
  for (; next + step <= seenHead; next += step) ranges.push({ fromBlock: hex(next), toBlock: hex(next + step - 1n) });
  return [...ranges, { fromBlock: hex(next), toBlock: 'latest' }];
}

/** Reads the replies to those calls. One refused call leaves the whole unread. */
export function fromPoolLogReplies(replies: readonly (RpcReply | undefined)[]): PoolLogs {
  const creations: PoolCreation[] = [];
  for (const reply of replies) {
    if (!reply || 'error' in reply || !Array.isArray(reply.result)) {
      return { status: 'unread', reason: reply && 'error' in reply ? reply.error.message : 'no list of logs' };
    }
    for (const log of reply.result) {
      if (!isLog(log)) return { status: 'unread', reason: 'something else than logs' };
      const creation = toPoolCreation({ ...log, blockNumber: Number(log.blockNumber) });
      if (creation) creations.push(creation);
    }
  }
  return { status: 'read', creations };
}

/** A node may send anything; what is no log leaves the whole unread, or a pool would be missing without a word. */
function isLog(log: unknown): log is PoolLog & { blockNumber: Hex } {
  if (typeof log !== 'object' || log === null) return false;
  const { address, topics, data, blockNumber } = log as Partial<Record<string, unknown>>;
  if (!isHex(address) || !isHex(data) || !Array.isArray(topics)) return false;
  return topics.every((word) => isHex(word) && word.length === 66) && isBlockNumber(blockNumber);
}

/** `0x` is hex and no number; one beyond 52 bits is no block, and would be remembered as none. */
function isBlockNumber(value: unknown): boolean {
  return typeof value === 'string' && /^0x[0-9a-f]{1,13}$/i.test(value);
}

/** A creation from one token's side; undefined when it is of another token or of no covered factory. */
function toKnownPool(
  { event, factory, id, currency0, currency1, fee, tickSpacing, hooks }: PoolCreation,
  token: string,
  slots: readonly Slot[],
  wrapped: Address,
): KnownPool | undefined {
  const slot = slots.find((candidate) => candidate.factory.toLowerCase() === factory.toLowerCase());
  if (!slot || (currency0 !== token && currency1 !== token)) return undefined;
  const counter = currency0 === token ? currency1 : currency0;
  const { venue } = slot;
  if (event === 'v4') {
    const native = counter === noHooks;
    const kind = native ? kinds.v4Native : kinds.v4;
    return { kind, pool: slot.factory, counter: native ? wrapped : counter, fee, tickSpacing, hooks, venue };
  }
  const kind = {
    pair: kinds.v2,
    v3: kinds.v3,
    slipstream: kinds.slipstream,
    solidly: kinds.solidly,
    algebra: kinds.algebra,
    'algebra-custom': kinds.algebra,
  };
  const told = event === 'pair' ? slot.fee : fee;
  return { kind: kind[event], pool: id as Address, counter, fee: told, tickSpacing: 0, hooks: noHooks, venue };
}

/**
 * One pool told twice is one pool. Those that a slot finds anyway (base asset, listed shape) are left to the slots; they
 * are `listed`, and a slot that does not find them contradicts its own factory.
 */
export function splitListed(
  creations: readonly PoolCreation[],
  token: Address,
  { slots, bases, wrapped }: { slots: readonly Slot[]; bases: readonly { address: Address }[]; wrapped: Address },
): { listed: KnownPool[]; unlisted: KnownPool[] } {
  const based = new Set(bases.map(({ address }) => address.toLowerCase()));
  // Later releases tell of a custom pool as of a pair's own too; that its factory does not name it is then no denial.
  const custom = new Set(creations.filter(({ event }) => event === 'algebra-custom').map(({ id }) => id));
  const split = { listed: new Map<string, KnownPool>(), unlisted: new Map<string, KnownPool>() };
  for (const creation of creations) {
    const pool = toKnownPool(creation, token.toLowerCase(), slots, wrapped);
    if (!pool || (creation.event === 'algebra' && custom.has(creation.id))) continue;
    const isListed = based.has(pool.counter.toLowerCase()) && hasSlot(creation, slots);
    split[isListed ? 'listed' : 'unlisted'].set(keyOfPool(pool), pool);
  }
  return { listed: [...split.listed.values()], unlisted: [...split.unlisted.values()] };
}

/** Tells one pool from another. */
export const keyOfPool = ({ kind, pool, counter, fee, tickSpacing, hooks }: KnownPool): string =>
  [kind, pool, counter, fee, tickSpacing, hooks].join('|').toLowerCase();
