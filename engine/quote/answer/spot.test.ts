import { expect, test } from 'vitest';
import { deployments } from '../../venues/deployments/deployments.ts';
import { kinds } from '../../venues/kinds.ts';
import { toCandidatePools } from '../../venues/toCandidatePools.ts';
import type { LensReading, PoolReading } from './lensReading.ts';
import { deepestMid } from './spot.ts';

const { base } = deployments;
const candidatePools = toCandidatePools(base.venues);
const candidatePool = candidatePools.findIndex(({ venue }) => venue === 'uniswap-v2');
const pair = { tokenIn: '0x01', tokenOut: '0x02', amountIn: 1n, statuses: [] };

/** Constant-product pools, each as its two reserves. */
function midOf(reserves: readonly [bigint, bigint][]) {
  const pools = reserves.map(
    ([price, reserveOut], index) =>
      [index, { pair: 0, candidatePool, bandStatus: 'filled', price, reserveOut } as PoolReading] as const,
  );
  const reading = { pairs: [pair], pools: new Map(pools) } as unknown as LensReading;
  return deepestMid(reading, 0, candidatePools, base, () => 18)?.mid;
}

test('returns the mid of the deepest pool, whatever the order of the pools', () => {
  const deep: [bigint, bigint] = [1_000n, 2_000n];
  const shallow: [bigint, bigint] = [10n, 30n];
  expect(midOf([deep, shallow])).toBe(2);
  expect(midOf([shallow, deep])).toBe(2);
});

test('has no mid without a pool or with an empty one', () => {
  expect(midOf([])).toBeUndefined();
  expect(midOf([[0n, 5n]])).toBeUndefined();
});

const wide = { pair: 0, candidatePool, bandStatus: 'filled', price: 1_000n, reserveOut: 2_000n } as PoolReading;
const deepest = (pools: readonly PoolReading[], pairs: readonly object[] = [pair], decimals?: number) =>
  deepestMid({ pairs, pools: new Map(pools.entries()) } as unknown as LensReading, 0, candidatePools, base, (token) =>
    token === '0x02' && decimals === undefined ? undefined : (decimals ?? 18),
  )?.mid;

test('skips a pool whose candidate pool, band or decimals are unknown', () => {
  expect(deepest([wide], [pair], 18)).toBe(2);
  expect(deepest([{ ...wide, candidatePool: 9_999 }], [pair], 18)).toBeUndefined();
  expect(deepest([{ ...wide, bandStatus: 'unread' } as PoolReading], [pair], 18)).toBeUndefined();
  expect(deepest([wide])).toBeUndefined();
  expect(deepest([wide], [{ ...pair, tokenIn: '0x02', tokenOut: '0x01' }])).toBeUndefined();
  expect(deepest([wide], [], 18)).toBeUndefined();
});

test('ignores pools of other pairs', () => {
  const other = { ...wide, pair: 1, price: 1_000_000n, reserveOut: 9_000_000n };
  expect(deepest([other, wide], [pair, pair], 18)).toBe(2);
});

test('ignores mids of deeper pools below the price that a pool pays for the whole amount', () => {
  const shallow = { ...wide, price: 10n, reserveOut: 30n, status: 'filled', arrived: 10n, nominal: 25n };
  // The deep pool's mid of 2 is more than 1 % below the 2.5 that a sale is paid.
  expect(deepest([wide, shallow as PoolReading], [pair], 18)).toBe(3);
  const partial = { ...shallow, status: 'partial' };
  const unpaid = { ...shallow, arrived: 0n };
  expect(deepest([wide, partial as PoolReading], [pair], 18)).toBe(2);
  expect(deepest([wide, unpaid as PoolReading], [pair], 18)).toBe(2);
});

test.each(['uniswap-v3', 'uniswap-v4'])('a %s price is token1 per token0, and currency 0 is native ether', (family) => {
  const at = candidatePools.findIndex((each) => each.family === family && each.kind !== kinds.v4Native);
  const pool = {
    pair: 0,
    candidatePool: at,
    bandStatus: 'filled',
    price: 2n ** 97n,
    bandIn: 1n,
    bandOut: 7n,
  } as PoolReading;
  const back = { ...pair, tokenIn: '0x02', tokenOut: '0x01' };
  expect(deepest([pool], [pair], 18)).toBe(4);
  expect(deepest([pool], [back], 18)).toBe(0.25);
  if (family !== 'uniswap-v4') return;
  const native = { ...pool, candidatePool: candidatePools.findIndex(({ kind }) => kind === kinds.v4Native) };
  const sale = { ...pair, tokenIn: base.wrappedNative.toUpperCase().replace('X', 'x'), tokenOut: '0x02' };
  // Wrapped ether is currency 0 in a native pool only.
  expect(deepest([native], [sale], 18)).toBe(4);
  expect(deepest([pool], [sale], 18)).toBe(0.25);
});
