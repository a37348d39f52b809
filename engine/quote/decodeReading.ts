import type { Hex } from 'viem';
import { createWordReader, LensAnswerError, type WordReader } from '../chain/wordReader.ts';
import type { CandidatePool } from '../venues/candidatePool.ts';
import { families } from '../venues/families.ts';
import { type PoolStatus, poolStatuses } from '../venues/poolStatus.ts';
import type { LensReading, MeasuredRoute, PairReading, PoolReading } from './lensReading.ts';

/** The first word of an answer (`_write` of contracts/lens/QuoteLens.sol). */
export const layoutVersion = 8;

/**
 * Decodes the words of the lens, in the order of `_write` of contracts/lens/QuoteLens.sol.
 * @throws {LensAnswerError}
 */
export function decodeReading(words: Hex, candidatePools: readonly CandidatePool[]): LensReading {
  const reader = createWordReader(words);
  const version = reader.int();
  if (version !== layoutVersion) throw new LensAnswerError(`Layout version ${version}, expected ${layoutVersion}.`);
  const flags = reader.int();
  const has = (bit: number) => (flags & bit) !== 0;
  const blockNumber = reader.big();
  const timestamp = reader.big();
  const parentHash: Hex = `0x${reader.hex()}`;
  const decimalsIn = reader.decimals();
  const decimalsOut = reader.decimals();
  return {
    tokenIn: { hasCode: has(1), decimals: has(2) ? decimalsIn : undefined },
    tokenOut: { hasCode: has(4), decimals: has(8) ? decimalsOut : undefined },
    isSizeTruncated: has(16),
    doesSizeOverflow: has(32),
    isDepthLowerBound: has(64),
    blockNumber,
    timestamp,
    parentHash,
    amountIn: reader.big(),
    payerFunded: decodeFlag(reader),
    twice: { status: toStatus(reader.int()), received: reader.big() },
    depth: reader.big(),
    supply: reader.big(),
    // The lens does not read price feeds; `readMarket` fills these fields.
    feed: { read: false, answer: 0n, updatedAt: 0n, decimals: 0 },
    sequencer: 'none',
    pairs: decodeList(reader, () => decodePair(reader, candidatePools.length)),
    pools: new Map(decodeList(reader, () => decodePool(reader, candidatePools)).map((pool) => [pool.index, pool])),
    routes: decodeList(reader, () => decodeRoute(reader)),
    gasUsed: reader.big(),
  };
}

function decodeFlag(reader: WordReader): boolean {
  const value = reader.int();
  if (value > 1) throw new LensAnswerError(`A flag must be 0 or 1, got ${value}.`);
  return value === 1;
}

/** Far more than the lens returns; prevents a malicious node from filling memory. */
const maxInList = 10_000;

function decodeList<T>(reader: WordReader, decode: () => T): T[] {
  const length = reader.int();
  if (!(length <= maxInList)) throw new LensAnswerError(`A list has ${length} entries, at most ${maxInList}.`);
  const list: T[] = [];
  for (let index = 0; index < length; index++) list.push(decode());
  return list;
}

function decodePair(reader: WordReader, candidatePoolCount: number): PairReading {
  const tokenIn = reader.address();
  const tokenOut = reader.address();
  const amountIn = reader.big();
  const words = decodeList(reader, () => reader.hex());
  // Four bits for each candidate pool, the first one lowest. A pair that was not read has no words.
  const statuses = Array.from({ length: words.length === 0 ? 0 : candidatePoolCount }, (_, candidatePool) => {
    const nibble = words[candidatePool >> 6]?.charCodeAt(63 - (candidatePool & 63)) ?? Number.NaN;
    return toStatus(nibble < letterA ? nibble - digit0 : nibble - letterA + 10);
  });
  return { tokenIn, tokenOut, amountIn, statuses };
}

const digit0 = 48;
const letterA = 97;

function decodePool(reader: WordReader, candidatePools: readonly CandidatePool[]): PoolReading {
  const index = reader.int();
  const packed = reader.int();
  const candidatePool = (packed >>> 16) & 0xffff;
  const id = reader.hex();
  const pool: Hex = toPoolId(id, candidatePools[candidatePool]);
  const [used, nominal, received] = [reader.big(), reader.big(), reader.big()];
  const arrived = reader.big();
  const [price, reserveOut, bandIn, bandOut] = [reader.big(), reader.big(), reader.big(), reader.big()];
  const feePips = reader.int();
  const reason: Hex = `0x${reader.hex().slice(-8)}`;
  return {
    index,
    pair: Math.floor(packed / 2 ** 32),
    candidatePool,
    status: toStatus(packed & 0xff),
    bandStatus: toStatus((packed >>> 8) & 0xff),
    pool,
    used,
    nominal,
    received,
    arrived,
    price,
    reserveOut,
    bandIn,
    bandOut,
    feePips,
    reason,
  };
}

const toPoolId = (word: string, candidatePool: CandidatePool | undefined): Hex =>
  candidatePool ? families[candidatePool.family].addresses.toId(word) : `0x${word.slice(24)}`;

function decodeRoute(reader: WordReader): MeasuredRoute {
  const legs = reader.int();
  const [first, second] = [reader.int(), reader.int()];
  const pools = legs === 2 ? [first, second] : [first];
  return { pools, received: reader.big(), gas: reader.int() };
}

function toStatus(value: number): PoolStatus {
  const status = poolStatuses[value];
  if (status === undefined) throw new LensAnswerError(`Unknown status ${value}.`);
  return status;
}
