import { LensAnswerError, type WordReader } from '../chain/wordReader.ts';
import type { LowerAddress } from '../lowerAddress.ts';
import type { CandidatePool } from '../venues/candidatePool.ts';
import { families } from '../venues/families.ts';
import { kinds } from '../venues/kinds.ts';
import { type PoolEntry, type PoolStatus, poolStatuses, stateForms } from '../venues/poolEntry.ts';
import type { PoolRef } from '../venues/poolTypes.ts';
import type { Tick } from '../venues/uniswapV3/concentrated.ts';
import { maxTick } from '../venues/uniswapV3/tickMaths.ts';
import { contractOf } from './contractOf.ts';
import type { StateQuery } from './stateQuery.ts';

interface Context {
  query: StateQuery;
  candidatePools: readonly CandidatePool[];
  wrappedNative: LowerAddress;
}

/** Entries in an answer. The lens leaves further pools unread. */
export const maxEntries = 600;
/** In place of the pair of an entry whose pool the query contains. */
export const noPair = 0xffff;

/** @throws {LensAnswerError} */
export function decodeEntries(reader: WordReader, context: Context): PoolEntry[] {
  const count = reader.int();
  if (!(count <= maxEntries)) throw new LensAnswerError(`${count} pools, at most ${maxEntries}.`);
  return Array.from({ length: count }, () => decodeEntry(reader, context));
}

function decodeEntry(reader: WordReader, context: Context): PoolEntry {
  const head = reader.hex();
  const byte = (index: number, bytes = 1) => Number.parseInt(head.slice(64 - 2 * (index + bytes), 64 - 2 * index), 16);
  const [form, pair, candidatePool] = [stateForms[byte(0)], byte(6, 2), byte(4, 2)];
  if (form === undefined) throw new LensAnswerError(`Unknown form ${byte(0)}.`);
  const ref = toRef(context, { pair, candidatePool, kind: byte(3) }, reader.hex());
  const [first, second] = [reader.big(), reader.big()];
  const shape = reader.hex();
  const [third, fourth] = [reader.big(), reader.big()];
  const tick = toSigned24(shape.slice(42, 48));
  const feePips = [Number.parseInt(shape.slice(56), 16), Number.parseInt(shape.slice(48, 56), 16)] as const;
  return {
    ref,
    pair: pair === noPair ? undefined : pair,
    candidatePool,
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
  { query, candidatePools, wrappedNative }: Context,
  { pair, candidatePool, kind }: { pair: number; candidatePool: number; kind: number },
  id: string,
): PoolRef {
  if (pair === noPair) {
    const ref = query.known[candidatePool]?.ref;
    if (!ref || ref.candidatePool.kind !== kind || BigInt(contractOf(ref)) !== BigInt(`0x${id}`)) {
      throw new LensAnswerError(`Known pool ${candidatePool} is not ${id}.`);
    }
    return ref;
  }
  const [indices, row] = [query.pairs[pair], candidatePools[candidatePool]];
  const [a, b] = [query.tokens[indices?.a ?? -1]?.address, query.tokens[indices?.b ?? -1]?.address];
  if (!row || !a || !b || row.kind !== kind)
    throw new LensAnswerError(`No candidate pool ${candidatePool} of pair ${pair} was looked up.`);
  const aIsFirst = kind === kinds.v4Native ? a === wrappedNative : a < b;
  const [token0, token1] = aIsFirst ? [a, b] : [b, a];
  return { candidatePool: row, id: families[row.family].addresses.toId(id), token0, token1 };
}

/**
 * Decodes the lists of ticks into their entries. Each list starts with a head: its entry, direction and length.
 * @throws {LensAnswerError}
 */
export function decodeTicks(reader: WordReader, entries: readonly PoolEntry[]): void {
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
    const ticks = Array.from({ length }, () => decodeTick(reader));
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

function decodeTick(reader: WordReader): Tick {
  const text = reader.hex();
  // The sign is in the lowest bit; a negative number has the bits of -1 - net.
  const packed = BigInt(`0x${text.slice(0, 58)}`);
  const liquidityNet = packed & 1n ? -1n - (packed >> 1n) : packed >> 1n;
  return { index: toSigned24(text.slice(58)), liquidityNet: BigInt.asIntN(128, liquidityNet) };
}

function assertAscending({ ref, ticks, knownFrom, knownTo }: PoolEntry): void {
  const ordered = ticks.every(({ index }, at) => index > (ticks[at - 1]?.index ?? -maxTick - 1));
  const [lowest, highest] = [ticks[0], ticks.at(-1)];
  const covered = !lowest || !highest || (lowest.index >= knownFrom && highest.index <= knownTo);
  if (!ordered || !covered) throw new LensAnswerError(`The ticks of pool ${ref.id} are out of order.`);
}

/** @throws {LensAnswerError} */
export function toStatus(value: number): PoolStatus {
  const status = poolStatuses[value];
  if (status === undefined) throw new LensAnswerError(`Unknown status ${value}.`);
  return status;
}
