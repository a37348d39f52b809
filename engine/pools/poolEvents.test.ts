import { type AbiEvent, encodeAbiParameters, encodeEventTopics, getAddress, type Hex, parseAbiItem } from 'viem';
import { describe, expect, test } from 'vitest';
import { addressOf, candidatePools as rows, tokenA, tokenB } from '../../tests/support/engine/testAnswer.ts';
import { deployments } from '../venues/deployments/deployments.ts';
import type { EventName } from '../venues/families.ts';
import { kinds, nativeCurrency, noHooks } from '../venues/kinds.ts';
import {
  customPools,
  factoriesOf,
  hasCandidatePool,
  type PoolLog,
  poolEventsOf,
  toPoolCreation,
} from './poolEvents.ts';
import type { PoolCreation } from './poolIndex.ts';

const [pool, hooks, deployer] = [addressOf('c0'), addressOf('44cc'), addressOf('de')];
const pairId = `0x${'d4'.repeat(32)}` as const;
const factory = addressOf('fac');

/** The events as the factories declare them, and the fields of the pool that each creates. */
const cases: Record<EventName, { abi: string; args: readonly unknown[]; fields: Partial<PoolCreation> }> = {
  pair: {
    abi: 'event PairCreated(address indexed token0, address indexed token1, address pair, uint256 count)',
    args: [tokenA, tokenB, pool, 9n],
    fields: { id: pool },
  },
  v3: {
    abi: 'event PoolCreated(address indexed token0, address indexed token1, uint24 indexed fee, int24 spacing, address pool)',
    args: [tokenA, tokenB, 500, 10, pool],
    fields: { id: pool, fee: 500 },
  },
  slipstream: {
    abi: 'event PoolCreated(address indexed token0, address indexed token1, int24 indexed spacing, address pool)',
    args: [tokenA, tokenB, 200, pool],
    fields: { id: pool, tickSpacing: 200 },
  },
  solidly: {
    abi: 'event PoolCreated(address indexed token0, address indexed token1, bool indexed stable, address pool, uint256 count)',
    args: [tokenA, tokenB, true, pool, 9n],
    fields: { id: pool, fee: 1 },
  },
  algebra: {
    abi: 'event Pool(address indexed token0, address indexed token1, address pool)',
    args: [tokenA, tokenB, pool],
    fields: { id: pool },
  },
  'algebra-custom': {
    abi: 'event CustomPool(address indexed deployer, address indexed token0, address indexed token1, address pool)',
    args: [deployer, tokenA, tokenB, pool],
    fields: { id: pool },
  },
  v4: {
    abi: 'event Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, uint24 fee, int24 spacing, address hooks, uint160 price, int24 tick)',
    args: [pairId, tokenA, tokenB, 0x800000, 60, hooks, 2n ** 96n, -5],
    fields: { id: pairId, fee: 0x800000, tickSpacing: 60, hooks },
  },
};
const names = Object.keys(cases) as EventName[];

/** The log as a node returns it, encoded by viem. */
function logOf(name: EventName, replaced?: readonly unknown[]): PoolLog & { blockNumber: number } {
  const { abi, args } = cases[name];
  const item = parseAbiItem(abi) as AbiEvent;
  const values = replaced ?? args;
  const indexed = Object.fromEntries(item.inputs.map(({ name: key }, index) => [key, values[index]]));
  return {
    address: getAddress(factory),
    topics: encodeEventTopics({ abi: [item], args: indexed } as never) as Hex[],
    data: encodeAbiParameters(
      item.inputs.filter((input) => !input.indexed),
      values.filter((_, index) => !item.inputs[index]?.indexed),
    ),
    blockNumber: 77,
  };
}
const creationOf = (name: EventName, replaced?: readonly unknown[]) =>
  toPoolCreation(logOf(name, replaced)) as PoolCreation;

test.each(names)('decodes the event %s', (name) => {
  const none = { fee: 0, tickSpacing: 0, hooks: noHooks };
  expect(creationOf(name)).toEqual({
    event: name,
    factory,
    currency0: tokenA,
    currency1: tokenB,
    blockNumber: 77,
    ...none,
    ...cases[name].fields,
  });
});

test('decodes a volatile pool of Solidly, and a negative tick spacing', () => {
  expect(creationOf('solidly', [tokenA, tokenB, false, pool, 9n]).fee).toBe(0);
  expect(creationOf('slipstream', [tokenA, tokenB, -5, pool]).tickSpacing).toBe(-5);
});

describe('no pool is decoded from', () => {
  const log = logOf('v3');
  test.each([
    ['another event', { topics: [pairId, ...log.topics.slice(1)] }],
    ['an event without topics', { topics: [] }],
    ['topics that are no list', { topics: 'none' }],
    ['a topic of 31 bytes', { topics: [...log.topics.slice(0, 3), log.topics[3]?.slice(0, 64)] }],
    ['a topic that is not hex', { topics: [...log.topics.slice(0, 3), `0x${'zz'.repeat(32)}`] }],
    ['an event without currencies', { topics: log.topics.slice(0, 1) }],
    ['an event with one currency', { topics: log.topics.slice(0, 2) }],
    ['an address that is not hex', { address: 'factory' }],
    ['data that is not hex', { data: 'none' }],
  ])('%s', (_name, change) => {
    expect(toPoolCreation({ ...log, ...change } as typeof log)).toBeUndefined();
  });
});

test('decodes topics in capitals', () => {
  const log = logOf('v3');
  const topics = log.topics.map((topic) => `0x${topic.slice(2).toUpperCase()}` as Hex);
  expect(toPoolCreation({ ...log, topics })).toEqual(creationOf('v3'));
});

describe('a look-up by pair finds', () => {
  const base = { venue: 'test', factory, fee: 0, tickSpacing: 0, hooks: noHooks } as const;
  const v3 = { ...base, family: 'uniswap-v3', kind: kinds.v3, fee: 500 } as const;
  const slipstream = { ...base, family: 'uniswap-v3', kind: kinds.slipstream, tickSpacing: 200 } as const;
  const stable = { ...base, family: 'solidly', kind: kinds.solidly, fee: 1 } as const;
  const algebra = { ...base, family: 'algebra', kind: kinds.algebra } as const;
  const v4 = { ...base, family: 'uniswap-v4', kind: kinds.v4, fee: 0x800000, tickSpacing: 60, hooks } as const;
  const native = { ...v4, kind: kinds.v4Native } as const;
  const inCoin = [pairId, nativeCurrency, tokenB, 0x800000, 60, hooks, 2n ** 96n, -5];

  test.each([
    ['a pair of v2, whatever its fee', creationOf('pair'), rows[0]],
    ['a v3 pool with a listed fee', creationOf('v3'), v3],
    ['a Slipstream pool with a listed spacing', creationOf('slipstream'), slipstream],
    ['a stable pool', creationOf('solidly'), stable],
    ['the default pool of Algebra', creationOf('algebra'), algebra],
    ['a v4 pool of two tokens', creationOf('v4'), v4],
    ['a v4 pool of the native coin', creationOf('v4', inCoin), native],
  ] as const)('%s', (_name, creation, row) => {
    expect(hasCandidatePool(creation, [row as typeof v3])).toBe(true);
    expect(hasCandidatePool(creation, [{ ...(row as typeof v3), factory: addressOf('fad') }])).toBe(false);
  });

  test.each([
    ['a v3 pool with another fee', creationOf('v3'), { ...v3, fee: 501 }],
    ['a Slipstream pool with another spacing', creationOf('slipstream'), { ...slipstream, tickSpacing: 100 }],
    ['a volatile pool', creationOf('solidly', [tokenA, tokenB, false, pool, 9n]), stable],
    ['a custom pool of Algebra', creationOf('algebra-custom'), algebra],
    ['a v4 pool with another hook', creationOf('v4'), { ...v4, hooks: noHooks }],
    ['a v4 pool with another fee', creationOf('v4'), { ...v4, fee: 500 }],
    ['a v4 pool with another spacing', creationOf('v4'), { ...v4, tickSpacing: 10 }],
    ['a v4 pool of two tokens among native ones', creationOf('v4'), native],
    ['a v4 pool of the native coin among those of two tokens', creationOf('v4', inCoin), v4],
  ] as const)('not %s', (_name, creation, row) => {
    expect(hasCandidatePool(creation, [row])).toBe(false);
  });
});

test('an index of a chain omits pools that each read of a token finds', () => {
  const { filter, toCreation } = poolEventsOf('base');
  const { venues, usdc } = deployments.base;
  const listed = venues.find((row) => row.family === 'uniswap-v3' && row.venue === 'uniswap-v3');
  const address = (listed as { factory: Hex }).factory;
  const read = (currency0: string, currency1: string, fee: number) =>
    toCreation({ ...logOf('v3', [currency0, currency1, fee, 10, pool]), address })?.id;
  expect(filter.address).toContain(address);
  expect(new Set(filter.topics[0])).toEqual(new Set(names.map((name) => logOf(name).topics[0])));
  expect(read(usdc, tokenB, 500)).toBeUndefined();
  expect(read(tokenA, usdc, 500)).toBeUndefined();
  // The factory has no such fee, or no read of the token looks this pair up.
  expect(read(usdc, tokenB, 501)).toBe(pool);
  expect(read(tokenA, tokenB, 500)).toBe(pool);
  expect(toCreation({ ...logOf('v3'), address, topics: [] })).toBeUndefined();
  const { manager } = venues.find((row) => row.family === 'uniswap-v4') as { manager: Hex };
  const readV4 = (fee: number) =>
    toCreation({ ...logOf('v4', [pairId, nativeCurrency, tokenB, fee, 10, noHooks, 1n, 0]), address: manager })?.id;
  expect([readV4(500), readV4(501)]).toEqual([undefined, pairId]);
});

test('an index has another scope on another chain and with another venue', () => {
  const withVenue = (address: Hex) =>
    poolEventsOf('base', { extraVenues: { base: [{ family: 'algebra', venue: 'integral', factory: address }] } });
  const scopes = [poolEventsOf('base'), poolEventsOf('polygon'), withVenue(getAddress(factory)), withVenue(pool)];
  expect(new Set(scopes.map(({ scope }) => scope)).size).toBe(4);
  expect(scopes[2]?.filter.address).toContain(factory);
  const extraV4Shapes = { base: [{ fee: 123, tickSpacing: 7 }] };
  expect(poolEventsOf('base', { extraV4Shapes }).scope).not.toBe(scopes[0]?.scope);
});

test('lists each factory once, and the ids of custom pools', () => {
  expect(factoriesOf(rows)).toEqual([factory]);
  expect(customPools([creationOf('algebra'), creationOf('v3')])).toEqual(new Set());
  expect(customPools([creationOf('algebra-custom'), creationOf('v4')])).toEqual(new Set([pool]));
});
