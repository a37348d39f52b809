import { expect, test } from 'vitest';
import { deployments } from '../../venues/deployments/deployments.ts';
import { kinds, noHooks } from '../../venues/kinds.ts';
import type { ExitPool } from '../exit/exitTypes.ts';
import type { LiquidityInput } from './liquidityTypes.ts';
import { midUsdOf } from './midUsd.ts';

const { base } = deployments;
const token = '0x00000000000000000000000000000000000b0b0b';
const counter = base.usdc;

/** Pairs of a token with 18 decimals, each with its price and what sales draw from it in USD. */
function midOf(pools: readonly [usdPerToken: number, drawnUsd: number][]): number | null {
  const exits = pools.map(([usdPerToken, drawnUsd]) => {
    const [price, other] = [10n ** 21n, BigInt(Math.round(usdPerToken * 1e9))];
    const exit = { kind: kinds.v2, pool: token, counter, fee: 0, tickSpacing: 0, hooks: noHooks, price, other };
    return { exit: exit as unknown as ExitPool, venue: 'uniswap-v2', drawnUsd };
  });
  const input = {
    ...{ token, candidatePools: [], deployment: base },
    prices: new Map([[counter, { usdPerUnit: 1e-6, source: 'stable' }]]),
    reading: { decimals: 18, bases: [{ token: counter, tokenDecimals: 6 }] },
  } as unknown as LiquidityInput;
  return midUsdOf(exits, input);
}

test('returns the mid of the pool with the largest exit liquidity', () => {
  expect(
    midOf([
      [2, 500],
      [2.01, 400],
      [1.99, 300],
    ]),
  ).toBeCloseTo(2, 9);
});

test('ignores a pool at half the price if another pool has an eighth of its liquidity at the market price', () => {
  expect(
    midOf([
      [1, 8_000],
      [2, 1_000],
    ]),
  ).toBeCloseTo(2, 9);
  expect(
    midOf([
      [1, 8_001],
      [2, 1_000],
    ]),
  ).toBeCloseTo(1, 9);
});

test('returns null without a priced pool', () => {
  expect(midOf([])).toBeNull();
  expect(midOf([[2, 0]])).toBeNull();
});

const x96 = 2n ** 96n;
/** One pool of any kind, at a square-root price of 2 for token1 or with even reserves. */
function midAt(exit: object, change: Partial<Record<'token' | 'candidatePools' | 'reading' | 'prices', unknown>> = {}) {
  const pool = { kind: kinds.v3, pool: token, counter, fee: 0, tickSpacing: 0, hooks: noHooks, drawn: 7n, other: 0n };
  const input = {
    ...{ token, candidatePools: [], deployment: base },
    prices: new Map([[counter, { usdPerUnit: 1, source: 'stable' }]]),
    reading: { decimals: 0, bases: [{ token: counter, tokenDecimals: 0 }] },
    ...change,
  } as unknown as LiquidityInput;
  return midUsdOf(
    [{ exit: { ...pool, price: 2n * x96, ...exit } as unknown as ExitPool, venue: 'a', drawnUsd: 9 }],
    input,
  );
}

test.each([kinds.v3, kinds.slipstream, kinds.algebra, kinds.v4, kinds.v4Native])(
  'reads kind %s as a square-root price of token1 in token0',
  (kind) => {
    // The token's address is below the counter's.
    expect(midAt({ kind })).toBe(4);
    expect(midAt({ kind }, { token: '0xffffffffffffffffffffffffffffffffffffffff' })).toBe(0.25);
  },
);

test.each([
  [kinds.v2, 3],
  [kinds.solidly, 3],
  [kinds.solidlyPair, 3],
])('reads kind %s as reserves', (kind, mid) => {
  expect(midAt({ kind, price: 1_000n, other: 3_000n })).toBeCloseTo(mid, 9);
});

test('the counter-asset of a native pool is currency 0, that of another pool is not', () => {
  const counterPrice = new Map([[base.wrappedNative, { usdPerUnit: 1, source: 'feed' }]]);
  const reading = { decimals: 0, bases: [{ token: base.wrappedNative, tokenDecimals: 0 }] };
  const at = (kind: number) => midAt({ kind, counter: base.wrappedNative }, { prices: counterPrice, reading });
  expect(at(kinds.v4)).toBe(4);
  expect(at(kinds.v4Native)).toBe(0.25);
  // Only the wrapped native token.
  expect(midAt({ kind: kinds.v4Native })).toBe(4);
});

test('prefers the candidate pool to the kind in the reading', () => {
  const stablePool = { family: 'solidly', venue: 'a', kind: kinds.solidly, fee: 1 };
  const pool = { kind: kinds.solidly, price: 1_000n, other: 4_000n };
  const flat = (3 * 4 + 4 ** 3) / (1 + 3 * 4 ** 2);
  expect(midAt({ ...pool, candidatePool: 0 }, { candidatePools: [stablePool] })).toBeCloseTo(flat, 9);
  expect(midAt({ ...pool, candidatePool: 5 }, { candidatePools: [stablePool] })).toBeCloseTo(4, 9);
  expect(midAt(pool, { candidatePools: [stablePool] })).toBeCloseTo(4, 9);
});

test.each([
  ['an unpriced counter-asset', { prices: new Map() }],
  ['a token without decimals', { reading: { bases: [{ token: counter, tokenDecimals: 0 }] } }],
  ['a counter-asset without decimals', { reading: { decimals: 0, bases: [{ token: counter }] } }],
  ['a counter-asset that was not read', { reading: { decimals: 0, bases: [] } }],
  ['decimals of another asset only', { reading: { decimals: 0, bases: [{ token, tokenDecimals: 0 }] } }],
])('returns null with %s', (_, change) => {
  expect(midAt({}, change)).toBeNull();
});

test('returns null for a pool without a mid', () => {
  expect(midAt({ price: 0n })).toBeNull();
});

test('multiplies by the decimals of the token and the price of the asset', () => {
  const prices = new Map([[counter, { usdPerUnit: 0.5, source: 'stable' }]]);
  const reading = { decimals: 2, bases: [{ token: counter, tokenDecimals: 0 }] };
  expect(midAt({}, { prices, reading })).toBe(4 * 100 * 0.5);
});
