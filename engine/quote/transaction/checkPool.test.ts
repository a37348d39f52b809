import type { Address, Hex } from 'viem';
import { expect, test } from 'vitest';
import { knownPools } from '../../../tools/verify/knownPools.ts';
import { lowerAddresses, toLowerAddress } from '../../lowerAddress.ts';
import { type ChainName, deployments } from '../../venues/deployments/deployments.ts';
import { checkPool, type PoolClaim, type VenueFacts } from './checkPool.ts';

const factsOf = (chain: ChainName, standIns: readonly string[] = []): VenueFacts => ({
  chain,
  venues: deployments[chain].venues,
  wrappedNative: deployments[chain].wrappedNative,
  standIns: new Set(standIns),
});

/** Pools whose addresses block explorers publish, as claims. The variant of a claim is not part of a leg, except a fee. */
const known = (['base', 'polygon', 'arbitrum'] as const).flatMap((chain) =>
  knownPools[chain].flatMap(({ factory, pair: [tokenIn, tokenOut], variant, pool }) => {
    const row = deployments[chain].venues.find((each) => 'factory' in each && each.factory === toLowerAddress(factory));
    if (!row) return [];
    const claim: PoolClaim = { dex: row.family, venue: row.venue, pool, tokenIn, tokenOut, feePips: variant };
    return [{ chain, row, claim, factory: toLowerAddress(factory), name: `${chain} ${row.venue} ${pool}` }];
  }),
);
const stranger: Address = `0x${'ab'.repeat(20)}`;

test('the known pools are of all families with a formula', () => {
  expect([...new Set(known.map(({ row }) => row.family))].sort()).toEqual([
    'algebra',
    'solidly',
    'uniswap-v2',
    'uniswap-v3',
  ]);
});

test.each(known)('$name is confirmed in both directions and any letter case', ({ chain, claim }) => {
  const { tokenIn, tokenOut, pool } = claim;
  const upper = `0x${pool.slice(2).toUpperCase()}` as const;
  for (const same of [claim, { ...claim, tokenIn: tokenOut, tokenOut: tokenIn }, { ...claim, pool: upper }])
    expect(checkPool(same, factsOf(chain))).toBe('confirmed');
});

test.each(known)('$name is not the pool of another token, nor is another address its pool', ({ chain, claim }) => {
  for (const other of [{ tokenIn: stranger }, { tokenOut: stranger }, { pool: stranger }])
    expect(checkPool({ ...claim, ...other }, factsOf(chain))).toBe('not of the venue');
});

test('the fee of a claim must be that of a pool with fee tiers', () => {
  const tiered = known.filter(({ row }) => 'fees' in row);
  expect(tiered.length).toBeGreaterThan(3);
  for (const { chain, claim } of tiered)
    expect(checkPool({ ...claim, feePips: claim.feePips + 1 }, factsOf(chain))).toBe('not of the venue');
});

test('a stable pool of Aerodrome is confirmed: the curve is part of its address', () => {
  const claim: PoolClaim = {
    ...{ dex: 'solidly', venue: 'aerodrome', feePips: 500, pool: '0x27a8Afa3Bd49406e48a074350fB7b2020c43B2bD' },
    ...{ tokenIn: deployments.base.usdc, tokenOut: '0xd9aAEc86B65D86f6A7B5B1b0c42FFA531710b6CA' },
  };
  expect(checkPool(claim, factsOf('base'))).toBe('confirmed');
});

test('no formula exists for a factory with other code than on the real chain', () => {
  for (const { chain, claim, factory } of known)
    for (const pool of [claim.pool, stranger])
      expect(checkPool({ ...claim, pool }, factsOf(chain, [factory]))).toBe('no formula');
});

test('a pool of one factory is confirmed although another factory of the venue has no formula', () => {
  const [first] = known;
  if (!first) throw new RangeError('No known pool.');
  const { chain, claim, row } = first;
  const facts = factsOf(chain);
  const unknown = { ...row, factory: toLowerAddress(stranger) } as typeof row;
  const both = { ...facts, venues: [unknown, row] };
  expect(checkPool(claim, both)).toBe('confirmed');
  expect(checkPool({ ...claim, pool: stranger }, both)).toBe('no formula');
});

test('a name of another family, or of no venue, is unknown', () => {
  for (const { chain, claim } of known) {
    expect(checkPool({ ...claim, venue: 'my-venue' }, factsOf(chain))).toBe('unknown venue');
    expect(checkPool({ ...claim, dex: 'balancer-v2' }, factsOf(chain))).toBe('unknown venue');
  }
});

test('an id of a Balancer pool has no formula', () => {
  const claim: PoolClaim = {
    ...{ dex: 'balancer-v2', venue: 'balancer-v2', feePips: 0 },
    ...{ pool: `0x${'ab'.repeat(32)}`, tokenIn: stranger, tokenOut: deployments.polygon.usdc },
  };
  expect(checkPool(claim, factsOf('polygon'))).toBe('no formula');
});

// The pool of ETH and USDC with a fee of 0.05 % on Ethereum, as Uniswap's interface shows it.
const usdc = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
const weth = '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2';
const zero: Address = `0x${'0'.repeat(40)}`;
const ethereum: VenueFacts = { ...factsOf('base'), wrappedNative: toLowerAddress(weth) };
const ofV4: PoolClaim = {
  ...{ dex: 'uniswap-v4', venue: 'uniswap-v4', tokenIn: weth, tokenOut: usdc, feePips: 500 },
  pool: '0x21c67e77068de97969ba93d4aab21826d33ca12bb9f565d8496e8fda8a82ca27',
  poolKey: { currency0: zero, currency1: usdc, fee: 500, tickSpacing: 10, hooks: zero },
};

test('a v4 pool of the native coin is confirmed by its id for the wrapped token, in both directions', () => {
  const upper = `0x${ofV4.pool.slice(2).toUpperCase()}` as Hex;
  for (const same of [ofV4, { ...ofV4, tokenIn: usdc, tokenOut: weth } as const, { ...ofV4, pool: upper }])
    expect(checkPool(same, ethereum)).toBe('confirmed');
});

test.each<[string, Partial<PoolClaim>]>([
  ['another id', { pool: `0x${'ab'.repeat(32)}` }],
  ['another token sold', { tokenIn: stranger }],
  ['another token bought', { tokenOut: stranger }],
  ['another fee', { poolKey: { currency0: zero, currency1: usdc, fee: 501, tickSpacing: 10, hooks: zero } }],
  ['a hook', { poolKey: { currency0: zero, currency1: usdc, fee: 500, tickSpacing: 10, hooks: stranger } }],
])('a v4 pool is not of the venue with %s', (_, change) => {
  expect(checkPool({ ...ofV4, ...change }, ethereum)).toBe('not of the venue');
});

test('a v4 pool without its key is not of the venue', () => {
  const { poolKey: _, ...without } = ofV4;
  expect(checkPool(without, ethereum)).toBe('not of the venue');
});

test('a v4 pool of the wrapped token itself does not stand for one of the native coin', () => {
  const [currency0, currency1] = [usdc, weth] as const;
  const claim = { ...ofV4, poolKey: { currency0, currency1, fee: 500, tickSpacing: 10, hooks: zero } };
  expect(checkPool(lowerAddresses<PoolClaim>(claim), ethereum)).toBe('not of the venue');
});
