import { describe, expect, test } from 'vitest';
import {
  addressOf,
  candidatePools,
  entryWords,
  packStatuses,
  pairEntry,
  query,
  rangeEntry,
  tickWords,
  toAnswer,
  tokenA,
  tokenB,
  wrapped,
} from '../../tests/support/engine/testAnswer.ts';
import type { PoolStatus } from '../venues/poolEntry.ts';
import type { PoolRef } from '../venues/poolTypes.ts';
import { decodeStates, isUnchanged, type StateReading } from './decodeStates.ts';
import type { StateQuery } from './stateQuery.ts';

type Part = 'head' | 'sequencer' | 'tokens' | 'feeds' | 'pairs' | 'entries' | 'ticks' | 'gas' | 'trial';
const parentHash = BigInt(`0x${'ab'.repeat(32)}`);
const statuses: readonly PoolStatus[] = ['filled', 'filled', 'no-pool', 'unread'];

/** The parts of an answer to `query`, in their order. */
const parts: Record<Part, readonly bigint[]> = {
  head: [3n, 0n, 123n, 1_700_000_000n, parentHash, 7n],
  sequencer: [1n],
  tokens: [0x1203n, 10n ** 24n, 0x0603n, 0n],
  feeds: [0n],
  pairs: [2n, 4n, packStatuses(statuses), packStatuses(['no-pool', 'no-pool', 'no-pool', 'no-pool'])],
  entries: [2n, ...entryWords(pairEntry), ...entryWords(rangeEntry)],
  ticks: [0n],
  gas: [555n],
  trial: [],
};
const answer = (change: Partial<typeof parts> = {}) => toAnswer(Object.values({ ...parts, ...change }).flat());
const decode = (change: Partial<typeof parts> = {}, part: Partial<StateQuery> = {}): StateReading =>
  decodeStates(answer(change), { ...query, ...part }, candidatePools, wrapped);

test('decodes the block, the sequencer, the tokens, the pairs and the gas', () => {
  expect(decode()).toMatchObject({
    block: { number: 123n, timestamp: 1_700_000_000n, parentHash: `0x${'ab'.repeat(32)}`, baseFee: 7n },
    sequencer: 'up',
    tokens: [
      { address: tokenB, hasCode: true, decimals: 18, supply: 10n ** 24n },
      { address: tokenA, hasCode: true, decimals: 6, supply: 0n },
    ],
    feeds: [],
    pairs: [
      { a: tokenB, b: tokenA, statuses },
      { a: tokenB, b: wrapped, statuses: ['no-pool', 'no-pool', 'no-pool', 'no-pool'] },
    ],
    gasUsed: 555n,
  });
  expect(decode()).not.toHaveProperty('tried');
});

test.each([
  [0n, 'none'],
  [1n, 'up'],
  [2n, 'down'],
  [3n, 'unread'],
  [4n, 'unread'],
] as const)('reads the sequencer status %d as %s', (word, state) => {
  expect(decode({ sequencer: [word] }).sequencer).toBe(state);
});

test.each([
  ['without code', 0n, { hasCode: false, decimals: undefined }],
  ['that reports no decimals', 0x1201n, { hasCode: true, decimals: undefined }],
  ['with the most decimals', 0xff03n, { hasCode: true, decimals: 255 }],
])('decodes a token %s', (_name, word, token) => {
  expect(decode({ tokens: [word, 0n, 0x0603n, 0n] }).tokens[0]).toMatchObject(token);
});

test.each([
  ['more decimals than the lens reports', 0x1_0003n],
  ['an unknown flag', 0x1207n],
])('rejects a token with %s', (_name, word) => {
  expect(() => decode({ tokens: [word, 0n, 0x0603n, 0n] })).toThrow('Invalid flags or decimals of a token');
});

test('decodes the feeds of the query', () => {
  const feeds = [addressOf('f1'), addressOf('f2')];
  const words = [2n, 1n, 300n, 1_699_999_999n, 8n, 0n, 0n, 0n, 0n];
  expect(decode({ feeds: words }, { feeds }).feeds).toEqual([
    { address: feeds[0], read: true, answer: 300n, updatedAt: 1_699_999_999n, decimals: 8 },
    { address: feeds[1], read: false, answer: 0n, updatedAt: 0n, decimals: 0 },
  ]);
});

test.each([
  ['of another layout', { head: [2n, ...parts.head.slice(1)] }, 'layout version: got 2, expected 3.'],
  ['with another number of feeds', { feeds: [1n] }, 'feeds: got 1, expected 0.'],
  ['with another number of pairs', { pairs: [1n, ...parts.pairs.slice(1)] }, 'pairs: got 1, expected 2.'],
  ['with other candidate pools', { pairs: [2n, 5n, ...parts.pairs.slice(2)] }, 'candidate pools: got 5, expected 4.'],
  ['that is too short', { gas: [] }, 'The answer ends at word'],
])('rejects an answer %s', (_name, change, message) => {
  expect(() => decode(change)).toThrow(message);
});

test('the statuses of more than 64 candidate pools continue in the next word', () => {
  const many = Array.from({ length: 66 }, () => candidatePools[0] as never);
  const words = [packStatuses(Array(64).fill('no-factory')), packStatuses(['empty', 'rejected'])];
  const change = { pairs: [1n, 66n, ...words], entries: [0n] };
  const one = { ...query, pairs: query.pairs.slice(0, 1) };
  const [pair] = decodeStates(answer(change), one, many, wrapped).pairs;
  expect(pair?.statuses).toEqual([...Array(64).fill('no-factory'), 'empty', 'rejected']);
});

describe('pools', () => {
  test('have the state of their family', () => {
    const { pools, unread } = decode({ ticks: [1n, ...tickWords(1, false, 100, [[50, -3n]])] });
    expect(unread).toEqual([]);
    expect(pools.map(({ ref }) => ref.id)).toEqual([pairEntry.id, rangeEntry.id]);
    expect(pools[0]?.state).toMatchObject({ kind: 'pair', reserve0: 1_000n, reserve1: 2_000n, feePips: [3000, 3000] });
    expect(pools[1]?.state).toMatchObject({ kind: 'concentrated', ticks: [{ index: 50, liquidityNet: -3n }] });
  });

  test('without a usable state are unread, and keep the reason', () => {
    const entries = [2n, ...entryWords({ ...pairEntry, status: 'thin' }), ...entryWords(rangeEntry)];
    const { pools, unread, pairs } = decode({ entries });
    expect(pools).toHaveLength(1);
    expect(unread).toMatchObject([{ ref: { id: pairEntry.id }, status: 'thin' }]);
    expect(pairs[0]?.statuses).toEqual(['thin', 'filled', 'no-pool', 'unread']);
  });

  test.each([
    ['a fee of 100 %', { fees: [1_000_000, 1_000_000] as const }, 0],
    ['a fee above 100 %', { fees: [0, 1_000_001] as const }, 1],
    ['a form that its family does not have', { form: 'weighted' as const }, 1],
  ])('with %s: %s, of which %d is unread', (_name, change, count) => {
    const entries = [1n, ...entryWords({ ...pairEntry, ...change })];
    const { pools, unread, pairs } = decode({ entries });
    expect(unread).toHaveLength(count);
    expect(pools).toHaveLength(1 - count);
    expect(pairs[0]?.statuses[0]).toBe(count === 0 ? 'filled' : 'unread');
  });

  // Otherwise a split would sell to one pool twice.
  test('known and looked up count once', () => {
    const ref = { candidatePool: candidatePools[0], id: pairEntry.id, token0: tokenA, token1: tokenB } as PoolRef;
    const known = [{ ref, sells: 'both' as const }];
    const again = { ...pairEntry, pair: undefined };
    expect(decode({ entries: [2n, ...entryWords(pairEntry), ...entryWords(again)] }, { known }).pools).toHaveLength(1);
    const both = decode({ entries: [2n, ...entryWords(rangeEntry), ...entryWords(again)] }, { known });
    expect(both.pools.map(({ ref: { id } }) => id)).toEqual([rangeEntry.id, pairEntry.id]);
    const failed = decode({ entries: [1n, ...entryWords({ ...again, status: 'unread' })] }, { known });
    expect(failed.unread).toEqual([{ ref, status: 'unread' }]);
    expect(failed.pairs[0]?.statuses).toEqual(statuses);
  });
});

describe('executed routes', () => {
  const trial = { lens: tokenA, payer: tokenA, secondPayer: tokenB, amount: 1n } as const;
  const oneLeg = 1n | (1n << 8n);
  const twoLegs = 2n | (1n << 8n) | (0n << 24n);

  test('are those that the lens tried, followed by the answer of the plan lens', () => {
    const { tried } = decode({ trial: [2n, oneLeg, twoLegs, 99n] }, { trial });
    expect(tried?.routes.map((refs) => refs.map(({ id }) => id))).toEqual([
      [rangeEntry.id],
      [rangeEntry.id, pairEntry.id],
    ]);
    expect(tried?.words).toBe(toAnswer([99n]));
  });

  test('are undefined if the lens executed none, or the query requests none', () => {
    expect(decode({ trial: [0n] }, { trial })).not.toHaveProperty('tried');
    expect(decode({ trial: [1n, oneLeg] })).not.toHaveProperty('tried');
  });

  test('are at most eight, as many as the lens executes', () => {
    const routes = (count: number) => ({ trial: [BigInt(count), ...Array<bigint>(count).fill(oneLeg)] });
    expect(decode(routes(8), { trial }).tried?.routes).toHaveLength(8);
    expect(() => decode(routes(9), { trial })).toThrow('9 routes were executed, at most 8.');
  });

  test('with a pool without an entry are rejected', () => {
    expect(() => decode({ trial: [1n, 1n | (2n << 8n)] }, { trial })).toThrow('a pool without an entry');
  });
});

describe('a repeated read of known pools', () => {
  const ref = { candidatePool: candidatePools[0], id: pairEntry.id, token0: tokenA, token1: tokenB } as PoolRef;
  const known = { ...query, pairs: [], known: [{ ref, sells: 'both' as const }] };
  const own = { pairs: [0n, 4n], entries: [1n, ...entryWords({ ...pairEntry, pair: undefined })] };
  const words = answer(own);
  const states = decodeStates(words, known, candidatePools, wrapped);
  const repeat = (change: Partial<typeof parts>) =>
    decodeStates(answer({ ...own, ...change }), known, candidatePools, wrapped, { words, states });

  test('keeps the states of unchanged pools, so that their curves stay cached', () => {
    const head = [3n, 0n, 124n, 1_700_000_002n, parentHash, 8n];
    const again = repeat({ head, gas: [444n] });
    expect(again.pools).toBe(states.pools);
    expect(again.unread).toBe(states.unread);
    expect(again).toMatchObject({ block: { number: 124n, baseFee: 8n }, gasUsed: 444n });
  });

  test('decodes changed pools', () => {
    const changed = { ...pairEntry, pair: undefined, values: [1_001n, 2_000n, 0n, 0n] as const };
    expect(repeat({ entries: [1n, ...entryWords(changed)] }).pools[0]?.state).toMatchObject({ reserve0: 1_001n });
    expect(repeat({ entries: [0n] }).pools).toEqual([]);
  });

  test('decodes an answer with look-ups', () => {
    const earlier = { words: answer(), states: decode() };
    const again = decodeStates(answer(), query, candidatePools, wrapped, earlier);
    expect(again.pools).not.toBe(earlier.states.pools);
    expect(again).toEqual(earlier.states);
  });
});

test('only the second word of an answer shows whether the block changed', () => {
  expect(isUnchanged(toAnswer([2n, 1n, 0n]))).toBe(true);
  expect(isUnchanged(toAnswer([2n, 0n, 1n]))).toBe(false);
});
