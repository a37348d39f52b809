import type { Hex } from 'viem';
import { createWordReader, LensAnswerError, type WordReader } from '../../chain/wordReader.ts';
import { isConcentrated, isSingleton } from '../../venues/kinds.ts';
import { type PoolStatus, poolStatuses } from '../../venues/poolEntry.ts';
import type { BaseReading, ExitPool, ExitReading, TextReading, WordReading } from './exitTypes.ts';

const sequencerStates = ['none', 'up', 'down', 'unread'] as const;
/** `NO_CANDIDATE_POOL` of the lens: the pool is not a candidate pool. */
const noCandidatePool = 0xffff;
const maxListLength = 10_000;

/**
 * Decodes ExitLens's words, in the order in which contracts/lens/ExitLens.sol writes them.
 * @throws {LensAnswerError}
 */
export function decodeExit(words: Hex): ExitReading {
  const reader = createWordReader(words);
  const start = readStart(reader);
  const candidatePoolCount = reader.int();
  if (candidatePoolCount > noCandidatePool)
    throw new LensAnswerError(`${candidatePoolCount} candidate pools exceed the limit of the lens.`);
  const pairs = readList(reader, () => readPair(reader, candidatePoolCount));
  const exits = readList(reader, () => readExit(reader));
  const hops = readList(reader, () => ({
    exit: reader.int(),
    base: reader.int(),
    received: reader.big(),
    pool: reader.address(),
  }));
  return { ...start, pairs, exits, hops };
}

/**
 * Decodes RecheckLens's words: block, token and base assets, then the sales of known pools.
 * @throws {LensAnswerError}
 */
export function decodeRecheck(words: Hex): {
  start: Omit<ExitReading, 'exits' | 'pairs' | 'hops'>;
  sold: PoolSale[];
} {
  const reader = createWordReader(words);
  const start = readStart(reader);
  const sold = readList(reader, () => readSale(reader));
  return { start, sold };
}

/** Reads what both lenses write first: block, token and base assets. */
function readStart(reader: WordReader) {
  const block = {
    blockNumber: reader.big(),
    timestamp: reader.big(),
    parentHash: `0x${reader.hex()}` as Hex,
    baseFee: reader.big(),
  };
  const hasCode = reader.int() === 1;
  const codeHash: Hex = `0x${reader.hex()}`;
  const decimals = readDecimals(reader);
  const supply = readWord(reader);
  const owner = readWord(reader);
  const getOwner = readWord(reader);
  const control = readWord(reader);
  const token = {
    hasCode,
    codeHash,
    decimals,
    totalSupply: supply.ok ? supply.word : undefined,
    owner,
    getOwner,
    answersEverything: control.ok,
    name: readText(reader),
    symbol: readText(reader),
  };
  const getters = readList(reader, () => readWord(reader));
  const balances = readList(reader, () => readWord(reader)).map(({ ok, word }) => (ok ? word : undefined));
  const sequencer = sequencerStates[reader.int()] ?? 'unread';
  const bases = readList(reader, () => readBase(reader));
  return { ...block, ...token, getters, balances, sequencer, bases };
}

function readList<T>(reader: WordReader, read: () => T): T[] {
  const length = reader.int();
  if (length > maxListLength) {
    throw new LensAnswerError(`The answer contains a list of ${length} entries; the limit is ${maxListLength}.`);
  }
  return Array.from({ length }, read);
}

function readWord(reader: WordReader): WordReading {
  return { ok: reader.int() === 1, word: reader.big() };
}

function readDecimals(reader: WordReader): number | undefined {
  const ok = reader.int() === 1;
  const decimals = reader.decimals();
  return ok ? decimals : undefined;
}

function readText(reader: WordReader): TextReading {
  const [ok, size] = [reader.int() === 1, reader.int()];
  return { ok, size, words: `0x${Array.from({ length: 5 }, reader.hex).join('')}` };
}

function readBase(reader: WordReader): BaseReading {
  const token = reader.address();
  const decimals = readDecimals(reader);
  return {
    token,
    tokenDecimals: decimals,
    read: reader.int() === 1,
    answer: reader.big(),
    updatedAt: reader.big(),
    decimals: reader.int(),
  };
}

function readPair(reader: WordReader, candidatePoolCount: number): ExitReading['pairs'][number] {
  const counter = reader.address();
  // Each status takes four bits. The first candidate pool has the lowest four.
  const nibbles = Array.from({ length: Math.ceil(candidatePoolCount / 64) }, () => [...reader.hex()].reverse()).flat();
  return {
    counter,
    statuses: nibbles.slice(0, candidatePoolCount).map((nibble) => toStatus(Number.parseInt(nibble, 16))),
  };
}

function readExit(reader: WordReader): ExitPool {
  reader.hex(); // index of the pair
  const candidatePool = reader.int();
  const id = reader.hex();
  const kind = reader.int();
  const singleton = isSingleton(kind);
  const pool = reader.address();
  const found = {
    candidatePool: candidatePool === noCandidatePool ? undefined : candidatePool,
    id: singleton ? (`0x${id}` as Hex) : pool,
    kind,
    pool,
    counter: reader.address(),
    fee: reader.int(),
    tickSpacing: (reader.int() << 8) >> 8,
    hooks: reader.address(),
  };
  return toExitPool(found, readSale(reader));
}

type PoolSale = Pick<ExitPool, 'status' | 'used' | 'drawn' | 'price' | 'other'>;

/** Reads the result of a sale to one pool, and the pool's state. */
const readSale = (reader: WordReader): PoolSale => ({
  status: toStatus(reader.int()),
  used: reader.big(),
  drawn: reader.big(),
  price: reader.big(),
  other: reader.big(),
});

/** Adds a sale's result to a pool. */
export function toExitPool(found: Omit<ExitPool, keyof PoolSale | 'most'>, sale: PoolSale): ExitPool {
  const exit = { ...found, ...sale };
  return { ...exit, most: maxOf(exit) };
}

/** A pair pays at most its reserve. A concentrated pool may pay more below the price at which the sale stopped. */
function maxOf({ kind, status, drawn, other }: Omit<ExitPool, 'most'>): bigint | undefined {
  if (status === 'unread' || status === 'not-requested') return undefined;
  if (drawn === 0n && !isConcentrated(kind)) return 0n;
  return isConcentrated(kind) ? undefined : other;
}

function toStatus(value: number): PoolStatus {
  const status = poolStatuses[value];
  if (status === undefined) throw new LensAnswerError(`Unknown status ${value}.`);
  return status;
}
