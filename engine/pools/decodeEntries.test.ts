import { describe, expect, test } from 'vitest';
import {
  addressOf,
  candidatePools,
  entryWords,
  pairEntry,
  query,
  rangeEntry,
  readerOf,
  tickWords,
  tokenA,
  tokenB,
  wrapped,
} from '../../tests/support/engine/testAnswer.ts';
import { kinds } from '../venues/kinds.ts';
import type { PoolEntry } from '../venues/poolEntry.ts';
import type { PoolRef } from '../venues/poolTypes.ts';
import { decodeEntries, decodeTicks, maxEntries } from './decodeEntries.ts';

const decode = (entries: readonly (typeof pairEntry)[], known = query.known): PoolEntry[] =>
  decodeEntries(readerOf([BigInt(entries.length), ...entries.flatMap(entryWords)]), {
    query: { ...query, known },
    candidatePools,
    wrappedNative: wrapped,
  });

describe('an entry', () => {
  test('contains every field at its place', () => {
    const words = { ...rangeEntry, values: [1n, 2n, 3n, 4n], fees: [500, 700], tick: -887_272, spacing: 200 } as const;
    expect(decode([words])).toEqual([
      {
        ref: { candidatePool: candidatePools[1], id: rangeEntry.id, token0: tokenA, token1: tokenB },
        pair: 0,
        candidatePool: 1,
        form: 'v3',
        status: 'filled',
        walks: 0,
        first: 1n,
        second: 2n,
        third: 3n,
        fourth: 4n,
        feePips: [500, 700],
        tick: -887_272,
        tickSpacing: 200,
        ticks: [],
        // No tick is known before its list is decoded.
        knownFrom: -887_271,
        knownTo: -887_272,
      },
    ]);
  });

  test('follows the previous one', () => {
    const second = { ...rangeEntry, status: 'unread' as const };
    expect(decode([pairEntry, second]).map(({ form, status }) => [form, status])).toEqual([
      ['v2', 'filled'],
      ['v3', 'unread'],
    ]);
  });

  test.each([
    ['form', { form: 15 }, 'Unknown form 15.'],
    ['status', { status: 10 }, 'Unknown status 10.'],
    ['pair', { pair: 2 }, 'No candidate pool 0 of pair 2 was looked up.'],
    ['candidate pool', { candidatePool: 4 }, 'No candidate pool 4 of pair 0 was looked up.'],
    ['kind', { kind: kinds.v3 }, 'No candidate pool 0 of pair 0 was looked up.'],
  ])('with another %s than the query allows is rejected', (_name, change, message) => {
    expect(() => decode([{ ...pairEntry, ...change }])).toThrow(message);
  });

  test.each([
    { a: 9, b: 1 },
    { a: 0, b: 9 },
  ])('of a pair without both tokens (%j) is rejected', (pair) => {
    const context = { query: { ...query, pairs: [{ ...pair, sells: 'a' as const }] }, candidatePools };
    const reader = readerOf([1n, ...entryWords(pairEntry)]);
    expect(() => decodeEntries(reader, { ...context, wrappedNative: wrapped })).toThrow('No candidate pool 0');
  });
});

test.each([
  ['an ERC-20 pair of v4: by address', 2, kinds.v4, 0, [tokenA, tokenB]],
  ['a native pair of v4: the native coin, as currency 0x0, first', 3, kinds.v4Native, 1, [wrapped, tokenB]],
  ['an ERC-20 pair of v4 with the wrapped coin: by address', 2, kinds.v4, 1, [tokenB, wrapped]],
])("orders the tokens of %s, and keeps v4's id of 32 bytes", (_name, candidatePool, kind, pair, tokens) => {
  const id = `0x${'d4'.repeat(32)}` as const;
  const [entry] = decode([{ ...pairEntry, form: 'v4', candidatePool, kind, pair, id }]);
  expect(entry?.ref).toEqual({
    candidatePool: candidatePools[candidatePool],
    id,
    token0: tokens[0],
    token1: tokens[1],
  });
});

describe('a known pool', () => {
  const ref: PoolRef = { candidatePool: candidatePools[0] as never, id: pairEntry.id, token0: tokenA, token1: tokenB };
  const known = [{ ref, sells: 'both' as const }];

  test('is the one of the query', () => {
    const [entry] = decode([{ ...pairEntry, pair: undefined }], known);
    expect(entry?.ref).toBe(ref);
    expect(entry?.pair).toBeUndefined();
  });

  test.each([
    ['index', { candidatePool: 1 }, 'Known pool 1'],
    ['kind', { kind: kinds.v3 }, 'Known pool 0'],
    ['address', { id: addressOf('c9') }, 'Known pool 0'],
  ])('with another %s is rejected', (_name, change, message) => {
    expect(() => decode([{ ...pairEntry, pair: undefined, ...change }], known)).toThrow(message);
  });
});

test('accepts as many entries as the lens writes, and no more', () => {
  const entries = Array.from({ length: maxEntries + 1 }, () => pairEntry);
  expect(decode(entries.slice(1))).toHaveLength(maxEntries);
  expect(() => decode(entries)).toThrow('601 pools, at most 600.');
});

describe('the ticks of a pool', () => {
  const withTicks = (...lists: bigint[][]): PoolEntry => {
    const entries = decode([pairEntry, rangeEntry]);
    decodeTicks(readerOf([BigInt(lists.length), ...lists.flat()]), entries);
    expect(entries[0]?.ticks).toEqual([]);
    return entries[1] as PoolEntry;
  };
  const below = tickWords(1, true, -100, [
    [-10, 5n],
    [-100, -(2n ** 127n)],
  ]);
  const above = tickWords(1, false, 100, [
    [10, 7n],
    [20, -1n],
  ]);
  const all = [
    { index: -100, liquidityNet: -(2n ** 127n) },
    { index: -10, liquidityNet: 5n },
    { index: 10, liquidityNet: 7n },
    { index: 20, liquidityNet: -1n },
  ];

  test.each([
    ['below, then above', [below, above]],
    ['above, then below', [above, below]],
  ])('ascend, whether the lens walked %s', (_name, lists) => {
    expect(withTicks(...lists)).toMatchObject({ ticks: all, knownFrom: -100, knownTo: 100, walks: 3 });
  });

  test('of one walk leave the other direction unknown', () => {
    expect(withTicks(below)).toMatchObject({ ticks: all.slice(0, 2), knownFrom: -100, knownTo: 0, walks: 1 });
    expect(withTicks(above)).toMatchObject({ ticks: all.slice(2), knownFrom: 1, knownTo: 100, walks: 2 });
  });

  test('of an empty walk are none, up to its end', () => {
    expect(withTicks(tickWords(1, false, 5000, []))).toMatchObject({ ticks: [], knownTo: 5000 });
  });

  test('may lie at both ends of the range, and at the lowest possible tick', () => {
    expect(withTicks(tickWords(1, true, -887_272, [[-887_272, 1n]])).ticks).toHaveLength(1);
    expect(withTicks(tickWords(1, false, 100, [[100, 1n]])).ticks).toHaveLength(1);
  });

  test.each([
    ['of a pool without an entry', [tickWords(2, true, -100, [])], 'belongs to no pool'],
    ['below, twice', [below, below], 'belongs to no pool'],
    ['above, twice', [above, above], 'belongs to no pool'],
    ['in more lists than pools have', [below, above, above, above, above], '5 lists of ticks for 2 pools'],
    [
      'out of order',
      [
        tickWords(1, false, 100, [
          [20, 1n],
          [10, 1n],
        ]),
      ],
      'out of order',
    ],
    [
      'listed twice',
      [
        tickWords(1, false, 100, [
          [20, 1n],
          [20, 1n],
        ]),
      ],
      'out of order',
    ],
    ['below the lowest possible tick', [tickWords(1, true, -887_273, [[-887_273, 1n]])], 'out of order'],
    ['below the known range', [tickWords(1, true, -99, [[-100, 1n]])], 'out of order'],
    ['above the known range', [tickWords(1, false, 99, [[100, 1n]])], 'out of order'],
  ])('%s are rejected', (_name, lists, message) => {
    expect(() => withTicks(...lists)).toThrow(message);
  });

  test('have room for two lists of each pool', () => {
    const first = [tickWords(0, true, 0, []), tickWords(0, false, 0, [])];
    const entries = decode([pairEntry, rangeEntry]);
    const lists = [...first, below, above];
    decodeTicks(readerOf([4n, ...lists.flat()]), entries);
    expect(entries.map(({ walks }) => walks)).toEqual([3, 3]);
  });
});
