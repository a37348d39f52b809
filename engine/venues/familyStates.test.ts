import { describe, expect, test } from 'vitest';
import { toLowerAddress } from '../lowerAddress.ts';
import { balancerV2, toWeightedCandidatePool } from './balancerV2/family.ts';
import type { CandidatePool, FamilyName } from './candidatePool.ts';
import { families } from './families.ts';
import { kinds, noHooks } from './kinds.ts';
import type { PoolEntry, StateForm } from './poolEntry.ts';
import type { PoolRef } from './poolTypes.ts';

const addressOf = (digits: string) => toLowerAddress(`0x${digits.padStart(40, '0')}`);
const [tokenA, tokenB, pool] = [addressOf('a1'), addressOf('b2'), addressOf('c0')];
const [factory, hooks] = [addressOf('fac'), addressOf('44cc')];
const candidatePool: CandidatePool = {
  family: 'uniswap-v2',
  venue: 'test',
  kind: kinds.v2,
  factory,
  fee: 0,
  tickSpacing: 0,
  hooks,
};
const ref: PoolRef = { candidatePool, id: pool, token0: tokenA, token1: tokenB };

const entry = (change: Partial<PoolEntry> = {}): PoolEntry => ({
  ref,
  pair: 0,
  candidatePool: 0,
  form: 'none',
  status: 'filled',
  walks: 3,
  first: 11n,
  second: 22n,
  third: 10n ** 6n,
  fourth: 10n ** 18n,
  feePips: [500, 700],
  tick: 0,
  tickSpacing: 10,
  ticks: [],
  knownFrom: -100,
  knownTo: 100,
  ...change,
});
const stateOf = (family: FamilyName, form: StateForm, change?: Partial<PoolEntry>) =>
  families[family].states[form]?.(entry(change));

const reserves = { reserve0: 11n, reserve1: 22n, feePips: [500, 700] };
test.each([
  ['uniswap-v2', 'v2', { kind: 'pair', rule: 'uniswap-v2', ...reserves }],
  ['solidly', 'solidly', { kind: 'pair', rule: 'solidly', ...reserves }],
  ['solidly', 'camelot', { kind: 'pair', rule: 'camelot', ...reserves }],
  ['solidly', 'solidlyStable', { kind: 'stable', rule: 'solidly', ...reserves, unit0: 10n ** 6n, unit1: 10n ** 18n }],
  ['solidly', 'camelotStable', { kind: 'stable', rule: 'camelot', ...reserves, unit0: 10n ** 6n, unit1: 10n ** 18n }],
] as const)('a pool of %s with the form %s has its reserves and fees', (family, form, state) => {
  expect(stateOf(family, form)).toEqual(state);
});

test.each([
  ['uniswap-v3', 'v3', 'uniswap-v3'],
  ['algebra', 'algebraV1', 'algebra-v1'],
  ['algebra', 'algebraV19', 'algebra-v1'],
  ['algebra', 'algebraIntegral', 'algebra-integral'],
  ['uniswap-v4', 'v4', 'uniswap-v4'],
] as const)('a pool of %s with the form %s is concentrated', (family, form, rule) => {
  const state = stateOf(family, form, { first: 2n ** 96n, second: 5n });
  expect(state).toMatchObject({ kind: 'concentrated', rule, liquidity: 5n, feePips: [500, 700] });
});

test.each([
  ['uniswap-v2', 'unknown', { reason: 'unknown-curve', balance0: 11n, balance1: 22n }],
  ['solidly', 'unknown', { reason: 'unknown-curve', balance0: 11n, balance1: 22n }],
  ['algebra', 'unknown', { reason: 'unknown-curve', sqrtPriceX96: 11n, liquidity: 22n, balance0: 999_999n }],
  ['algebra', 'plugin', { reason: 'plugin', sqrtPriceX96: 11n, liquidity: 22n, feePips: 500 }],
  ['uniswap-v4', 'hook', { reason: 'hook', sqrtPriceX96: 11n, liquidity: 22n, feePips: 500 }],
] as const)('a pool of %s with the form %s is opaque', (family, form, state) => {
  expect(stateOf(family, form)).toMatchObject({ kind: 'opaque', ...state });
});

// Its curve divides by both units.
test('a stable pool without the decimals of a token is not usable', () => {
  expect(stateOf('solidly', 'solidlyStable', { third: 0n })).toBeUndefined();
  expect(stateOf('solidly', 'solidlyStable', { fourth: 0n })).toBeUndefined();
});

describe('a weighted pool', () => {
  const facts = { weight0: 8n * 10n ** 17n, weight1: 2n * 10n ** 17n, scale0: 1n, scale1: 10n ** 12n };
  const poolId = `${pool}00020000000000000000abcd` as const;
  const row = { family: 'balancer-v2', venue: 'balancer-v2', factory, release: 'later' } as const;
  const weighted = toWeightedCandidatePool(row);
  const pair: PoolRef = {
    ...ref,
    candidatePool: weighted,
    id: `${pool}${tokenA.slice(2)}${tokenB.slice(2)}`,
    weighted: { poolId, ...facts },
  };
  const read = (third: bigint, change: Partial<PoolRef> = {}) =>
    stateOf('balancer-v2', 'weighted', { ref: { ...pair, ...change }, third });

  test('has its balances, weights and fee', () => {
    expect(read(3n * 10n ** 15n)).toEqual({
      kind: 'weighted',
      hasFastPowers: true,
      balance0: 11n,
      balance1: 22n,
      ...facts,
      swapFee: 3n * 10n ** 15n,
      feePips: [3000, 3000],
    });
  });

  test('of the first release computes every power with logarithms', () => {
    const first = toWeightedCandidatePool({ ...row, release: 'first' });
    expect(read(0n, { candidatePool: first })).toMatchObject({ hasFastPowers: false });
    expect([weighted, first]).toEqual(
      [1, 0].map((fee) => ({
        ...candidatePool,
        family: 'balancer-v2',
        venue: 'balancer-v2',
        kind: kinds.weighted,
        fee,
        hooks: noHooks,
      })),
    );
  });

  test.each([
    [0n, 0],
    [1n, 1],
    [10n ** 12n, 1],
    [10n ** 12n + 1n, 2],
    [10n ** 18n, 1_000_000],
  ])('with the fee %d shows %d millionths, rounded up', (fee, pips) => {
    expect(read(fee)).toMatchObject({ feePips: [pips, pips] });
  });

  test('with a fee above 100 %, or without its weights, is not usable', () => {
    expect(read(10n ** 18n + 1n)).toBeUndefined();
    expect(stateOf('balancer-v2', 'weighted', { third: 0n })).toBeUndefined();
  });

  test('is swapped at its own address, and shown by its id in the vault', () => {
    const { addresses } = families['balancer-v2'];
    const end = addressOf('00020000000000000000abcd');
    expect([addresses.contractOf(pair), addresses.swapsAt(pair)]).toEqual([pool, pool]);
    expect([addresses.hooksOf(pair), addresses.otherOf(pair)]).toEqual([end, end]);
    expect(addresses.publicId(pair)).toBe(poolId);
    const { weighted: _, ...unknown } = pair;
    expect([addresses.hooksOf(unknown), addresses.publicId(unknown)]).toEqual([noHooks, pair.id]);
  });

  test('is found by no look-up and measured in no band', () => {
    expect(balancerV2.toCandidatePools(row, [])).toEqual([]);
    const band = { price: 1n, reserveOut: 1n, bandOut: 1n };
    const direction = { zeroForOne: true, decimalsIn: 18, decimalsOut: 18 };
    expect(balancerV2.bandMid(band, direction, weighted)).toBeUndefined();
  });
});

test('a v4 pool is swapped at its manager and identified by 32 bytes', () => {
  const { addresses, poolKey } = families['uniswap-v4'];
  const key = { ...candidatePool, kind: kinds.v4Native, fee: 500, tickSpacing: 10 };
  const v4 = { ...ref, candidatePool: key };
  expect(addresses.toId('d4'.repeat(32))).toBe(`0x${'d4'.repeat(32)}`);
  expect([addresses.swapsAt(v4), addresses.otherOf(v4)]).toEqual([factory, hooks]);
  expect(poolKey(key, [tokenA, tokenB], tokenB)).toEqual({
    currency0: noHooks,
    currency1: tokenA,
    fee: 500,
    tickSpacing: 10,
    hooks,
  });
});

test.each(['uniswap-v2', 'uniswap-v3', 'solidly', 'algebra'] as const)('a pool of %s is a contract', (name) => {
  const { addresses, poolKey } = families[name];
  expect(addresses.toId(`${'0'.repeat(24)}${pool.slice(2)}`)).toBe(pool);
  expect([addresses.swapsAt(ref), addresses.otherOf(ref), addresses.publicId(ref)]).toEqual([pool, factory, pool]);
  expect(poolKey(candidatePool, [tokenA, tokenB], tokenA)).toBeUndefined();
});

describe('the candidate pools of a row', () => {
  const row = { venue: 'test', factory };
  const fields = { venue: 'test', factory, fee: 0, tickSpacing: 0, hooks: noHooks };
  test.each([
    ['uniswap-v2', { feePips: 3000 }, [{ kind: kinds.v2, fee: 3000 }]],
    [
      'uniswap-v3',
      { fees: [100, 500] },
      [
        { kind: kinds.v3, fee: 100 },
        { kind: kinds.v3, fee: 500 },
      ],
    ],
    ['uniswap-v3', { tickSpacings: [50] }, [{ kind: kinds.slipstream, tickSpacing: 50 }]],
    ['solidly', { lookUp: 'getPool(a,b,stable)' }, [{ kind: kinds.solidly }, { kind: kinds.solidly, fee: 1 }]],
    ['solidly', { lookUp: 'getPair(a,b,stable)' }, [{ kind: kinds.solidlyPair }, { kind: kinds.solidlyPair, fee: 1 }]],
    ['solidly', { lookUp: 'getPair(a,b)' }, [{ kind: kinds.selfPricedPair }]],
    ['algebra', {}, [{ kind: kinds.algebra }]],
  ] as const)('of %s with %j', (family, own, expected) => {
    const found = families[family].toCandidatePools({ ...row, family, ...own } as never, []);
    expect(found).toEqual(expected.map((each) => ({ family, ...fields, ...each })));
  });

  test('of uniswap-v4 are two for each shape, without a hook unless the shape has one', () => {
    const shapes = [{ fee: 500, tickSpacing: 10 }];
    const v4 = { family: 'uniswap-v4' as const, venue: 'test', manager: factory, shapes };
    const found = families['uniswap-v4'].toCandidatePools(v4, [{ fee: 100, tickSpacing: 1, hooks }]);
    expect(found.map(({ kind, fee, tickSpacing, hooks: own }) => [kind, fee, tickSpacing, own])).toEqual([
      [kinds.v4, 500, 10, noHooks],
      [kinds.v4Native, 500, 10, noHooks],
      [kinds.v4, 100, 1, hooks],
      [kinds.v4Native, 100, 1, hooks],
    ]);
  });
});
