import type { Hex } from 'viem';
import { createWordReader } from '../../../engine/chain/wordReader.ts';
import { toWord } from '../../../engine/chain/words.ts';
import { toLowerAddress } from '../../../engine/lowerAddress.ts';
import { noPair } from '../../../engine/pools/decodeEntries.ts';
import type { StateQuery } from '../../../engine/pools/stateQuery.ts';
import type { CandidatePool } from '../../../engine/venues/candidatePool.ts';
import { kinds, noHooks } from '../../../engine/venues/kinds.ts';
import { type PoolStatus, poolStatuses, type StateForm, stateForms } from '../../../engine/venues/poolEntry.ts';

/** An address that ends with these digits. */
export const addressOf = (digits: string) => toLowerAddress(`0x${digits.padStart(40, '0')}`);

export const [tokenA, tokenB, wrapped] = [addressOf('a1'), addressOf('b2'), addressOf('ee')] as const;

const candidatePool = { venue: 'test', factory: addressOf('fac'), fee: 0, tickSpacing: 0, hooks: noHooks } as const;

export const candidatePools: readonly CandidatePool[] = [
  { ...candidatePool, family: 'uniswap-v2', kind: kinds.v2, fee: 3000 },
  { ...candidatePool, family: 'uniswap-v3', kind: kinds.v3, fee: 500 },
  { ...candidatePool, family: 'uniswap-v4', kind: kinds.v4, fee: 500, tickSpacing: 10 },
  { ...candidatePool, family: 'uniswap-v4', kind: kinds.v4Native, fee: 500, tickSpacing: 10 },
];

/** Looks up both pairs of token B, and reads no known pool. */
export const query: StateQuery = {
  tokens: [{ address: tokenB }, { address: tokenA }, { address: wrapped }],
  pairs: [
    { a: 0, b: 1, sells: 'a' },
    { a: 0, b: 2, sells: 'a' },
  ],
  known: [],
  listedCount: 3,
  earlyCount: 0,
  feeds: [],
  ticks: 128,
};

interface EntryFields {
  form: StateForm | number;
  status: PoolStatus | number;
  kind: number;
  candidatePool: number;
  pair: number | undefined;
  id: Hex;
  values: readonly [first: bigint, second: bigint, third: bigint, fourth: bigint];
  fees: readonly [number, number];
  tick: number;
  spacing: number;
}

/** The pool of token A and token B in the first candidate pool. */
export const pairEntry: EntryFields = {
  form: 'v2',
  status: 'filled',
  kind: kinds.v2,
  candidatePool: 0,
  pair: 0,
  id: addressOf('c0'),
  values: [1_000n, 2_000n, 0n, 0n],
  fees: [3000, 3000],
  tick: 0,
  spacing: 0,
};

/** Their pool in the second candidate pool: price 1, with more than enough balance. */
export const rangeEntry: EntryFields = {
  ...pairEntry,
  form: 'v3',
  kind: kinds.v3,
  candidatePool: 1,
  id: addressOf('c1'),
  values: [2n ** 96n, 1_000_000n, 10n ** 12n, 10n ** 12n],
  fees: [500, 500],
  spacing: 10,
};

/** Bit fields from the lowest bit, each with its size in bits. */
const pack = (...fields: readonly (readonly [value: number | bigint, bits: number])[]): bigint =>
  fields.reduceRight((word, [value, bits]) => (word << BigInt(bits)) | BigInt.asUintN(bits, BigInt(value)), 0n);

const numberOf = <T extends string>(names: readonly T[], value: T | number) =>
  typeof value === 'number' ? value : names.indexOf(value);

/** The words of `PoolEntry` in contracts/lens/StateTypes.sol. */
export function entryWords(entry: EntryFields): bigint[] {
  const [first, second, third, fourth] = entry.values;
  const [form, status] = [numberOf(stateForms, entry.form), numberOf(poolStatuses, entry.status)];
  const head = pack(
    [form, 8],
    [status, 8],
    [3, 8],
    [entry.kind, 8],
    [entry.candidatePool, 16],
    [entry.pair ?? noPair, 16],
  );
  const shape = pack([entry.fees[0], 32], [entry.fees[1], 32], [entry.tick, 24], [entry.spacing, 24]);
  return [head, BigInt(entry.id), first, second, shape, third, fourth];
}

/** A list of ticks, as contracts/lens/TickWalks.sol writes it. `known` is the last tick that the walk reached. */
export function tickWords(entry: number, isDown: boolean, known: number, ticks: readonly [number, bigint][]): bigint[] {
  const head = pack([entry, 16], [ticks.length, 16], [known, 24], [isDown ? 1 : 0, 8]);
  return [head, ...ticks.map(([index, net]) => pack([index, 24], [net < 0n ? (-1n - net) * 2n + 1n : net * 2n, 129]))];
}

/** Statuses of consecutive candidate pools, four bits each. */
export const packStatuses = (statuses: readonly PoolStatus[]): bigint =>
  pack(...statuses.map((status) => [poolStatuses.indexOf(status), 4] as const));

export const toAnswer = (words: readonly bigint[]): Hex => `0x${words.map(toWord).join('')}`;
export const readerOf = (words: readonly bigint[]) => createWordReader(toAnswer(words));
