import type { Address, Hex } from 'viem';
import { type FeedReading, type SequencerState, type SlotStatus, slotStatuses } from '../quote/lensReading.ts';
import { createWordReader, LensAnswerError, type WordReader } from '../quote/wordReader.ts';
import { kinds } from '../venues/kinds.ts';
import type { Slot } from '../venues/venueTypes.ts';
import type { ConcentratedState, Pool, PoolRef, PoolState, Tick } from './poolTypes.ts';
import { depthWithinOnePercent } from './price.ts';
import type { StateQuestion } from './stateQuestion.ts';

/** The first word of an answer of contracts/lens/StateLens.sol. */
const layoutVersion = 2;
const sequencerStates = ['none', 'up', 'down', 'unread'] as const;

interface TokenState {
  address: Address;
  hasCode: boolean;
  /** Undefined if the token does not report them. */
  decimals: number | undefined;
  /** 0 = not read. */
  supply: bigint;
}

/** A pair that was looked up in all slots; `statuses` is in the order of the slots, `filled` where a state was read. */
export interface PairStatuses {
  a: Address;
  b: Address;
  statuses: SlotStatus[];
}

/** A pool that exists and has no usable state. */
interface UnreadPool {
  ref: PoolRef;
  status: SlotStatus;
}

/** States of many pools at one block. */
export interface StateReading {
  block: { number: bigint; timestamp: bigint; parentHash: Hex; baseFee: bigint };
  sequencer: SequencerState;
  /** The token sold and the token bought. */
  tokens: TokenState[];
  feeds: (FeedReading & { address: Address })[];
  pairs: PairStatuses[];
  pools: Pool[];
  unread: UnreadPool[];
  gasUsed: bigint;
}

/**
 * Decodes the words that contracts/lens/StateLens.sol returns. Values that the lens cannot return throw. An invalid value
 * that a pool can have reported only drops that pool's state.
 * @throws {LensAnswerError}
 */
export function decodeStates(
  words: Hex,
  question: StateQuestion,
  slots: readonly Slot[],
  wrappedNative: Address,
  earlier?: { words: Hex; states: StateReading },
): StateReading {
  const reader = createWordReader(words);
  expectCount('layout version', reader.int(), layoutVersion);
  reader.hex();
  const block = {
    number: reader.big(),
    timestamp: reader.big(),
    parentHash: toHex(reader.hex()),
    baseFee: reader.big(),
  };
  const sequencer = sequencerStates[reader.int()] ?? 'unread';
  const tokens = question.tokens.slice(0, 2).map(({ address }) => readToken(reader, address));
  expectCount('feeds', reader.int(), question.feeds.length);
  const feeds = question.feeds.map((address) => ({ address, ...readFeed(reader) }));
  const pairs = readPairs(reader, question, slots.length);
  if (question.pairs.length === 0 && earlier && hasSamePools(words, earlier.words, reader.position())) {
    const { pools, unread } = earlier.states;
    return { block, sequencer, tokens, feeds, pairs, pools, unread, gasUsed: BigInt(`0x${words.slice(-wordChars)}`) };
  }
  const entries = readEntries(reader, { question, slots, wrappedNative: wrappedNative.toLowerCase() as Address });
  readTicks(reader, entries);
  const pools: Pool[] = [];
  const unread: UnreadPool[] = [];
  for (const entry of entries) {
    // Counted twice, a pool would be sold to twice.
    const isFoundBefore = entry.pair === undefined && pools.some(({ ref }) => ref.id === entry.ref.id);
    if (isFoundBefore) continue;
    const state = entry.status === 'filled' ? toState(entry) : undefined;
    if (state) {
      pools.push({ ref: entry.ref, state });
      continue;
    }
    const status = entry.status === 'filled' ? 'unread' : entry.status;
    const statuses = entry.pair === undefined ? undefined : pairs[entry.pair]?.statuses;
    if (statuses) statuses[entry.slot] = status;
    unread.push({ ref: entry.ref, status });
  }
  return { block, sequencer, tokens, feeds, pairs, pools, unread, gasUsed: reader.big() };
}

const wordChars = 64;

/** Whether all words from `from` on are the same, but for the last one, the gas. Then the pools, their curves included, are. */
const hasSamePools = (words: Hex, earlier: Hex, from: number): boolean =>
  words.length === earlier.length && words.slice(from, -wordChars) === earlier.slice(from, -wordChars);

/** No block followed the one that the question named: the answer is a head only. */
export const isUnchanged = (words: Hex): boolean => words.charAt(2 + 2 * wordChars - 1) === '1';

function expectCount(what: string, seen: number, expected: number): void {
  if (seen !== expected) throw new LensAnswerError(`${what}: got ${seen}, expected ${expected}.`);
}

const toHex = (text: string): Hex => `0x${text}`;

function readToken(reader: WordReader, address: Address): TokenState {
  const packed = reader.int();
  const decimals = Math.floor(packed / 256);
  if (!(decimals <= 255) || (packed & 0xfc) !== 0) throw new LensAnswerError(`A token's word ${packed}.`);
  return {
    address,
    hasCode: (packed & 1) !== 0,
    decimals: (packed & 2) !== 0 ? decimals : undefined,
    supply: reader.big(),
  };
}

function readFeed(reader: WordReader): FeedReading {
  return { read: reader.int() === 1, answer: reader.big(), updatedAt: reader.big(), decimals: reader.int() };
}

function readPairs(reader: WordReader, { tokens, pairs }: StateQuestion, slotCount: number): PairStatuses[] {
  expectCount('pairs', reader.int(), pairs.length);
  expectCount('slots', reader.int(), slotCount);
  return pairs.map(({ a, b }) => {
    const words = Array.from({ length: Math.ceil(slotCount / 64) }, () => reader.hex());
    // Four bits a slot, the first slot lowest.
    const statuses = Array.from({ length: slotCount }, (_, slot) =>
      toStatus(Number.parseInt(words[slot >> 6]?.charAt(63 - (slot & 63)) ?? '', 16)),
    );
    return { a: tokens[a]?.address ?? '0x', b: tokens[b]?.address ?? '0x', statuses };
  });
}

function toStatus(value: number): SlotStatus {
  const status = slotStatuses[value];
  if (status === undefined) throw new LensAnswerError(`Unknown status ${value}.`);
  return status;
}

/** Numbers of contracts/lens/StateLens.sol. */
const forms = {
  none: 0,
  v2: 1,
  camelot: 2,
  solidly: 3,
  camelotStable: 4,
  solidlyStable: 5,
  v3: 6,
  v4: 7,
  algebraV1: 8,
  algebraV19: 9,
  integral: 10,
  hook: 11,
  plugin: 12,
  unknown: 13,
} as const;

interface Entry {
  ref: PoolRef;
  /** Undefined for known pools. */
  pair: number | undefined;
  slot: number;
  form: number;
  status: SlotStatus;
  /** Bit 0: the ticks below were read, bit 1: those above. */
  walks: number;
  first: bigint;
  second: bigint;
  third: bigint;
  fourth: bigint;
  feePips: readonly [number, number];
  tick: number;
  tickSpacing: number;
  ticks: Tick[];
  knownFrom: number;
  knownTo: number;
}

interface Context {
  question: StateQuestion;
  slots: readonly Slot[];
  wrappedNative: Address;
}

/** `MOST_ENTRIES` of the lens. */
const mostEntries = 600;
const noPair = 0xffff;

function readEntries(reader: WordReader, context: Context): Entry[] {
  const count = reader.int();
  if (!(count <= mostEntries)) throw new LensAnswerError(`${count} pools, at most ${mostEntries}.`);
  return Array.from({ length: count }, () => readEntry(reader, context));
}

function readEntry(reader: WordReader, context: Context): Entry {
  const place = reader.hex();
  const byte = (index: number, bytes = 1) => Number.parseInt(place.slice(64 - 2 * (index + bytes), 64 - 2 * index), 16);
  const [form, pair, slot] = [byte(0), byte(6, 2), byte(4, 2)];
  if (form > forms.unknown) throw new LensAnswerError(`Unknown form ${form}.`);
  const ref = toRef(context, { pair, slot, kind: byte(3) }, reader.hex());
  const [first, second] = [reader.big(), reader.big()];
  const shape = reader.hex();
  const [third, fourth] = [reader.big(), reader.big()];
  const tick = toSigned24(shape.slice(42, 48));
  const feePips = [Number.parseInt(shape.slice(56), 16), Number.parseInt(shape.slice(48, 56), 16)] as const;
  return {
    ref,
    pair: pair === noPair ? undefined : pair,
    slot,
    form,
    status: toStatus(byte(1)),
    walks: 0,
    first,
    second,
    third,
    fourth,
    feePips,
    tick,
    tickSpacing: Number.parseInt(shape.slice(36, 42), 16),
    ticks: [],
    knownFrom: tick + 1,
    knownTo: tick,
  };
}

const toSigned24 = (text: string): number => (Number.parseInt(text, 16) << 8) >> 8;

function toRef(
  { question, slots, wrappedNative }: Context,
  { pair, slot, kind }: { pair: number; slot: number; kind: number },
  id: string,
): PoolRef {
  if (pair === noPair) {
    const ref = question.known[slot]?.ref;
    if (!ref || ref.slot.kind !== kind || BigInt(ref.id) !== BigInt(`0x${id}`)) {
      throw new LensAnswerError(`Known pool ${slot} is not ${id}.`);
    }
    return ref;
  }
  const [asked, row] = [question.pairs[pair], slots[slot]];
  const [a, b] = [question.tokens[asked?.a ?? -1]?.address, question.tokens[asked?.b ?? -1]?.address];
  if (!row || !a || !b || row.kind !== kind) throw new LensAnswerError(`A pool of slot ${slot}, pair ${pair}.`);
  const aIsFirst = kind === kinds.v4Native ? a === wrappedNative : a < b;
  const [token0, token1] = aIsFirst ? [a, b] : [b, a];
  return { slot: row, id: kind >= kinds.v4 ? toHex(id) : toHex(id.slice(24)), token0, token1 };
}

const maxTick = 887_272;

/** Lists of ticks: each belongs to an entry and a direction, and starts with a head. */
function readTicks(reader: WordReader, entries: readonly Entry[]): void {
  const count = reader.int();
  if (!(count <= 2 * entries.length)) throw new LensAnswerError(`${count} lists of ticks for ${entries.length} pools.`);
  for (let at = 0; at < count; at += 1) {
    const head = reader.hex();
    const entry = entries[Number.parseInt(head.slice(60), 16)];
    const length = Number.parseInt(head.slice(56, 60), 16);
    const known = toSigned24(head.slice(50, 56));
    const bit = head.charAt(49) === '1' ? 1 : 2;
    if (!entry || (entry.walks & bit) !== 0) throw new LensAnswerError('A list of ticks belongs to no pool.');
    entry.walks |= bit;
    const ticks = Array.from({ length }, () => readTick(reader));
    if (bit === 1) {
      entry.ticks = [...ticks.reverse(), ...entry.ticks];
      entry.knownFrom = known;
    } else {
      entry.ticks = [...entry.ticks, ...ticks];
      entry.knownTo = known;
    }
  }
  for (const entry of entries) assertAscending(entry);
}

function readTick(reader: WordReader): Tick {
  const text = reader.hex();
  return { index: toSigned24(text.slice(58)), liquidityNet: BigInt.asIntN(128, BigInt(`0x${text.slice(24, 56)}`)) };
}

function assertAscending({ ref, ticks, knownFrom, knownTo }: Entry): void {
  const ordered = ticks.every(({ index }, at) => index > (ticks[at - 1]?.index ?? -maxTick - 1));
  const [lowest, highest] = [ticks[0], ticks.at(-1)];
  const covered = !lowest || !highest || (lowest.index >= knownFrom && highest.index <= knownTo);
  if (!ordered || !covered) throw new LensAnswerError(`The ticks of pool ${ref.id} are out of order.`);
}

function toState(entry: Entry): PoolState | undefined {
  const { form, first, second, third, fourth, feePips } = entry;
  if (feePips.some((fee) => fee > 1_000_000)) return undefined;
  if (form >= forms.hook) return toOpaque(entry);
  if (form >= forms.v3) return toConcentrated(entry);
  const reserves = { reserve0: first, reserve1: second, feePips };
  if (form === forms.v2) return { kind: 'pair', rule: 'uniswap-v2', ...reserves };
  if (form === forms.camelot) return { kind: 'pair', rule: 'camelot', ...reserves };
  if (form === forms.solidly) return { kind: 'pair', rule: 'solidly', ...reserves };
  if (third === 0n || fourth === 0n) return undefined;
  const rule = form === forms.camelotStable ? 'camelot' : 'solidly';
  return { kind: 'stable', rule, ...reserves, unit0: third, unit1: fourth };
}

const rules: Record<number, ConcentratedState['rule']> = {
  [forms.v3]: 'uniswap-v3',
  [forms.v4]: 'uniswap-v4',
  [forms.algebraV1]: 'algebra-v1',
  [forms.algebraV19]: 'algebra-v1',
  [forms.integral]: 'algebra-integral',
};

const [minSqrt, maxSqrt] = [4_295_128_739n, 1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_342n];

function toConcentrated(entry: Entry): PoolState | undefined {
  const { form, first, second, third, fourth, feePips, tick, tickSpacing, ticks, knownFrom, knownTo } = entry;
  const rule = rules[form];
  const sound = first >= minSqrt && first <= maxSqrt && second >> 128n === 0n && Math.abs(tick) <= maxTick;
  if (!rule || !sound || tickSpacing === 0) return undefined;
  const price = { sqrtPriceX96: first, tick, liquidity: second, tickSpacing, feePips };
  const state: ConcentratedState = { kind: 'concentrated', rule, ...price, ticks, knownFrom, knownTo };
  // A pool that reports more than it holds has no maths. A singleton's balance bounds nothing.
  const holds = (word: bigint, zeroForOne: boolean) => depthWithinOnePercent(state, zeroForOne) < word;
  if (form === forms.v4 || (holds(third, false) && holds(fourth, true))) return state;
  return toOpaque({ ...entry, form: forms.unknown });
}

function toOpaque({ form, ref, first, second, third, fourth, feePips }: Entry): PoolState | undefined {
  if (form === forms.hook) {
    return { kind: 'opaque', reason: 'hook', sqrtPriceX96: first, liquidity: second, feePips: feePips[0] };
  }
  const reason = form === forms.plugin ? 'plugin' : 'unknown-curve';
  if (!hasPrice(ref.slot.kind)) return { kind: 'opaque', reason, balance0: first, balance1: second };
  const held = (word: bigint) => (word > 1n ? word - 1n : undefined);
  return {
    kind: 'opaque',
    reason,
    balance0: held(third),
    balance1: held(fourth),
    sqrtPriceX96: first,
    liquidity: second,
    feePips: feePips[0] || undefined,
  };
}

const hasPrice = (kind: number) => kind === kinds.algebra || kind === kinds.v3 || kind === kinds.slipstream;
