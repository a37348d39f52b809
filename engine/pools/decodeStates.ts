import type { Hex } from 'viem';
import { createWordReader, LensAnswerError, type WordReader } from '../chain/wordReader.ts';
import type { LowerAddress } from '../lowerAddress.ts';
import type { CandidatePool } from '../venues/candidatePool.ts';
import { families } from '../venues/families.ts';
import type { PoolEntry, PoolStatus } from '../venues/poolEntry.ts';
import type { Pool, PoolRef, PoolState } from '../venues/poolTypes.ts';
import { decodeEntries, decodeTicks, toStatus } from './decodeEntries.ts';
import type { StateQuery } from './stateQuery.ts';

/** The latest round of a Chainlink feed. */
export interface FeedReading {
  read: boolean;
  /** 0 when the feed's answer is not above zero. */
  answer: bigint;
  /** Seconds since the epoch. */
  updatedAt: bigint;
  decimals: number;
}

const sequencerStates = ['none', 'up', 'down', 'unread'] as const;
export type SequencerState = (typeof sequencerStates)[number];

/** The first word of an answer of contracts/lens/StateLens.sol. */
const layoutVersion = 3;

interface TokenState {
  address: LowerAddress;
  hasCode: boolean;
  /** Undefined if the token does not report them. */
  decimals: number | undefined;
  /** 0 = not read. */
  supply: bigint;
}

/** A pair whose candidate pools were all looked up. `statuses` is in their order, `filled` where a state was read. */
export interface PairStatuses {
  a: LowerAddress;
  b: LowerAddress;
  statuses: PoolStatus[];
}

/** A pool that exists and has no usable state. */
interface UnreadPool {
  ref: PoolRef;
  status: PoolStatus;
}

/** Routes that the call executed after it read the states. */
export interface TriedRoutes {
  /** The pools of each route, in the order of its legs. */
  routes: PoolRef[][];
  /** The answer of the plan lens. */
  words: Hex;
}

/** States of many pools at one block. */
export interface StateReading {
  block: { number: bigint; timestamp: bigint; parentHash: Hex; baseFee: bigint };
  sequencer: SequencerState;
  /** The token sold and the token bought. */
  tokens: TokenState[];
  feeds: (FeedReading & { address: LowerAddress })[];
  pairs: PairStatuses[];
  pools: Pool[];
  unread: UnreadPool[];
  gasUsed: bigint;
  /** Undefined if the query contains no trial, or no route was executed. */
  tried?: TriedRoutes | undefined;
}

/**
 * Decodes the words that contracts/lens/StateLens.sol returns. Values that the lens cannot return throw. An invalid value
 * that a pool can have reported only drops that pool's state.
 * @throws {LensAnswerError}
 */
export function decodeStates(
  words: Hex,
  query: StateQuery,
  candidatePools: readonly CandidatePool[],
  wrappedNative: LowerAddress,
  earlier?: { words: Hex; states: StateReading },
): StateReading {
  const reader = createWordReader(words);
  expectCount('layout version', reader.int(), layoutVersion);
  reader.hex();
  const block = {
    number: reader.big(),
    timestamp: reader.big(),
    parentHash: `0x${reader.hex()}` as const,
    baseFee: reader.big(),
  };
  const sequencer = sequencerStates[reader.int()] ?? 'unread';
  const tokens = query.tokens.slice(0, 2).map(({ address }) => decodeToken(reader, address));
  expectCount('feeds', reader.int(), query.feeds.length);
  const feeds = query.feeds.map((address) => ({ address, ...decodeFeed(reader) }));
  const pairs = decodePairs(reader, query, candidatePools.length);
  if (query.pairs.length === 0 && earlier && hasSamePools(words, earlier.words, reader.position())) {
    const { pools, unread } = earlier.states;
    return { block, sequencer, tokens, feeds, pairs, pools, unread, gasUsed: BigInt(`0x${words.slice(-wordChars)}`) };
  }
  const entries = decodeEntries(reader, { query, candidatePools, wrappedNative });
  decodeTicks(reader, entries);
  const pools: Pool[] = [];
  const unread: UnreadPool[] = [];
  for (const entry of entries) {
    // Skip a pool that is listed twice: a split would sell to it twice.
    const isFoundBefore = entry.pair === undefined && pools.some(({ ref }) => ref.id === entry.ref.id);
    if (isFoundBefore) continue;
    const state = entry.status === 'filled' ? toState(entry) : undefined;
    if (state) {
      pools.push({ ref: entry.ref, state });
      continue;
    }
    const status = entry.status === 'filled' ? 'unread' : entry.status;
    const statuses = entry.pair === undefined ? undefined : pairs[entry.pair]?.statuses;
    if (statuses) statuses[entry.candidatePool] = status;
    unread.push({ ref: entry.ref, status });
  }
  const reading = { block, sequencer, tokens, feeds, pairs, pools, unread, gasUsed: reader.big() };
  const tried = query.trial && decodeTried(reader, entries, words);
  return tried ? { ...reading, tried } : reading;
}

/** The state of a pool that was read; undefined if it reported values that no pool can have. */
function toState(entry: PoolEntry): PoolState | undefined {
  if (entry.feePips.some((fee) => fee > 1_000_000)) return undefined;
  return families[entry.ref.candidatePool.family].states[entry.form]?.(entry);
}

/** `ROUTES` of contracts/lens/RouteTrials.sol. */
const maxTried = 8;

/** Undefined if no route was executed. Each is packed into a word: the number of legs (8 bits), their entries (16 each). */
function decodeTried(reader: WordReader, entries: readonly PoolEntry[], words: Hex): TriedRoutes | undefined {
  const count = reader.int();
  if (count === 0) return undefined;
  if (!(count <= maxTried)) throw new LensAnswerError(`${count} routes were executed, at most ${maxTried}.`);
  const routes = Array.from({ length: count }, () => {
    const packed = reader.big();
    return Array.from({ length: Number(packed & 0xffn) }, (_, leg) => {
      const entry = entries[Number((packed >> BigInt(8 + 16 * leg)) & 0xffffn)];
      if (!entry) throw new LensAnswerError('An executed route contains a pool without an entry.');
      return entry.ref;
    });
  });
  return { routes, words: `0x${words.slice(reader.position())}` };
}

const wordChars = 64;

/** Whether all words from `from` on are the same, except the last one, the gas: then no pool changed. */
const hasSamePools = (words: Hex, earlier: Hex, from: number): boolean =>
  words.slice(from, -wordChars) === earlier.slice(from, -wordChars);

/** Whether the answer contains only its head: the block is still the one in the query. */
export const isUnchanged = (words: Hex): boolean => words.charAt(2 + 2 * wordChars - 1) === '1';

function expectCount(what: string, seen: number, expected: number): void {
  if (seen !== expected) throw new LensAnswerError(`${what}: got ${seen}, expected ${expected}.`);
}

function decodeToken(reader: WordReader, address: LowerAddress): TokenState {
  const packed = reader.int();
  const decimals = Math.floor(packed / 256);
  if (!(decimals <= 255) || (packed & 0xfc) !== 0)
    throw new LensAnswerError(`Invalid flags or decimals of a token: ${packed}.`);
  return {
    address,
    hasCode: (packed & 1) !== 0,
    decimals: (packed & 2) !== 0 ? decimals : undefined,
    supply: reader.big(),
  };
}

function decodeFeed(reader: WordReader): FeedReading {
  return { read: reader.int() === 1, answer: reader.big(), updatedAt: reader.big(), decimals: reader.int() };
}

function decodePairs(reader: WordReader, { tokens, pairs }: StateQuery, candidatePoolCount: number): PairStatuses[] {
  expectCount('pairs', reader.int(), pairs.length);
  expectCount('candidate pools', reader.int(), candidatePoolCount);
  return pairs.map(({ a, b }) => {
    const words = Array.from({ length: Math.ceil(candidatePoolCount / 64) }, () => reader.hex());
    // Four bits for each candidate pool, the first one lowest.
    const statuses = Array.from({ length: candidatePoolCount }, (_, candidatePool) =>
      toStatus(Number.parseInt(words[candidatePool >> 6]?.charAt(63 - (candidatePool & 63)) ?? '', 16)),
    );
    return { a: tokens[a]?.address ?? '0x', b: tokens[b]?.address ?? '0x', statuses };
  });
}
