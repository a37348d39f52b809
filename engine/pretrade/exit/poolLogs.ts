import { type Address, getAddress, type Hex, isHex } from 'viem';
import type { RpcCall, RpcReply } from '../../chain/rpcEndpoint.ts';
import { kinds, noHooks } from '../../venues/kinds.ts';
import type { Slot } from '../../venues/venueTypes.ts';
import { decodeWords, toWord } from '../simulation/words.ts';
import type { KnownPool } from './exitTypes.ts';

/** What the covered factories' logs say of pools with one token. `unread`: the node refused the range. */
export type PoolLogs = { status: 'read'; pools: KnownPool[] } | { status: 'unread'; reason: string };

/** First topics of the events that tell of a new pool; the pair's currencies are indexed in all of them. */
const topics = {
  /** PairCreated(address indexed,address indexed,address,uint256) */
  pair: '0x0d3648bd0f6ba80134a33ba9275ac585d9d315f0ad8355cddefde31afa28d0e9',
  /** PoolCreated(address indexed,address indexed,uint24 indexed fee,int24 tickSpacing,address pool) */
  v3: '0x783cca1c0412dd0d695e784568c96da2e9c22ff989357a2e8b1d9b2b4e6b7118',
  /** PoolCreated(address indexed,address indexed,int24 indexed tickSpacing,address pool) */
  slipstream: '0xab0d57f0df537bb25e80245ef7748fa62353808c54d6e528a9dd20887aed9ac2',
  /** PoolCreated(address indexed,address indexed,bool indexed stable,address pool,uint256) */
  solidly: '0x2128d88d14c80cb081c1252a5acff7a264671bf199ce226b53788fb26065005e',
  /** Pool(address indexed,address indexed,address pool) */
  algebra: '0x91ccaa7a278130b65168c3a0c8d3bcae84cf5e43704342bd3ec0b59e59c036db',
  /** Initialize(bytes32 indexed id,address indexed,address indexed,uint24 fee,int24 tickSpacing,address hooks,uint160,int24) */
  v4: '0xdd466e674ea557f56295e2d0218a125ea4b4f0f6f3307b95f85e6110838d6438',
} as const;

interface Log {
  address: Address;
  topics: Hex[];
  data: Hex;
}

/**
 * Three calls that find every pool of a token on the covered factories, whatever its counter-asset or hook: the token
 * stands in the second, third or, in a singleton's event, fourth topic.
 */
export function toPoolLogCalls(token: Address, slots: readonly Slot[], fromBlock: bigint): RpcCall[] {
  const factories = [...new Set(slots.map(({ factory }) => factory))];
  const names = Object.values(topics);
  const word = `0x${toWord(token)}`;
  const range = { address: factories, fromBlock: `0x${fromBlock.toString(16)}`, toBlock: 'latest' };
  return [
    [names, word],
    [names, null, word],
    [[topics.v4], null, null, word],
  ].map((filter) => ({ method: 'eth_getLogs', params: [{ ...range, topics: filter }] }));
}

/** Reads the replies to those calls. One refused call leaves the whole unread. */
export function fromPoolLogReplies(
  replies: readonly (RpcReply | undefined)[],
  token: Address,
  slots: readonly Slot[],
  wrapped: Address,
): PoolLogs {
  const pools: KnownPool[] = [];
  for (const reply of replies) {
    if (!reply || 'error' in reply || !Array.isArray(reply.result)) {
      return { status: 'unread', reason: reply && 'error' in reply ? reply.error.message : 'no list of logs' };
    }
    for (const log of reply.result as Log[]) {
      const pool = toKnownPool(log, token.toLowerCase(), slots, wrapped);
      if (pool) pools.push(pool);
    }
  }
  return { status: 'read', pools };
}

function toKnownPool(log: Log, token: string, slots: readonly Slot[], wrapped: Address): KnownPool | undefined {
  const slot = slots.find(({ factory }) => factory.toLowerCase() === log.address?.toLowerCase());
  const [event, first, second, third] = log.topics ?? [];
  if (!slot || !first || !second || !isHex(log.data)) return undefined;
  const data = decodeWords(log.data, 8);
  const { venue } = slot;
  const at = (index: number) => Number(BigInt.asUintN(24, data[index] ?? 0n));
  if (event === topics.v4) {
    if (!third) return undefined;
    const [zero, one] = [toAddress(second), toAddress(third)];
    const counter = zero === token ? one : zero;
    const native = counter === noHooks;
    return {
      kind: native ? kinds.v4Native : kinds.v4,
      pool: slot.factory,
      counter: native ? wrapped : counter,
      fee: at(0),
      tickSpacing: (at(1) << 8) >> 8,
      hooks: toAddress(data[2] ?? 0n),
      venue,
    };
  }
  const [zero, one] = [toAddress(first), toAddress(second)];
  const counter = zero === token ? one : zero;
  const made = (pool: bigint | undefined, kind: number, fee: number): KnownPool => ({
    kind,
    pool: toAddress(pool ?? 0n),
    counter,
    fee,
    tickSpacing: 0,
    hooks: noHooks,
    venue,
  });
  if (event === topics.pair) return made(data[0], kinds.v2, slot.fee);
  if (event === topics.v3) return made(data[1], kinds.v3, Number(BigInt(third ?? '0x0')));
  if (event === topics.slipstream) return made(data[0], kinds.slipstream, 0);
  if (event === topics.solidly) return made(data[0], kinds.solidly, Number(BigInt(third ?? '0x0')));
  if (event === topics.algebra) return made(data[0], kinds.algebra, 0);
  return undefined;
}

function toAddress(word: Hex | bigint): Address {
  const text = typeof word === 'bigint' ? toWord(word) : word.slice(2);
  return `0x${text.slice(-40).toLowerCase()}`;
}

/**
 * One pool told twice is one pool. Those that a slot finds anyway (base asset, listed shape) are left to the slots; they
 * are `listed`, and a slot that does not find them contradicts its own factory.
 */
export function splitListed(
  pools: readonly KnownPool[],
  slots: readonly Slot[],
  bases: readonly { address: Address }[],
): { listed: KnownPool[]; unlisted: KnownPool[] } {
  const based = new Set(bases.map(({ address }) => address.toLowerCase()));
  const unique = [...new Map(pools.map((pool) => [keyOfPool(pool), pool])).values()];
  const isListed = (pool: KnownPool) => based.has(pool.counter.toLowerCase()) && hasSlot(pool, slots);
  return { listed: unique.filter(isListed), unlisted: unique.filter((pool) => !isListed(pool)) };
}

/** Tells one pool from another. */
export const keyOfPool = ({ kind, pool, counter, fee, tickSpacing, hooks }: KnownPool): string =>
  [kind, pool, counter, fee, tickSpacing, hooks].join('|').toLowerCase();

function hasSlot(pool: KnownPool, slots: readonly Slot[]): boolean {
  if (pool.kind < kinds.v4) return pool.kind !== kinds.v3 || slots.some((slot) => isV3Tier(slot, pool));
  return slots.some(
    (slot) =>
      slot.kind === pool.kind &&
      slot.fee === pool.fee &&
      slot.tickSpacing === pool.tickSpacing &&
      getAddress(slot.hooks) === getAddress(pool.hooks),
  );
}

const isV3Tier = (slot: Slot, { venue, fee }: KnownPool) => slot.venue === venue && slot.fee === fee;
