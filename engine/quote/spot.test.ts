import { expect, test } from 'vitest';
import { base } from '../venues/deployments/base.ts';
import { toSlots } from '../venues/toSlots.ts';
import type { LensReading, PoolReading } from './lensReading.ts';
import { deepestMid } from './spot.ts';

const slots = toSlots(base.venues);
const slot = slots.findIndex(({ venue }) => venue === 'uniswap-v2');
const pair = { tokenIn: '0x01', tokenOut: '0x02', amountIn: 1n, statuses: [] };

/** Constant-product pools, each as its two reserves. */
function midOf(reserves: readonly [bigint, bigint][]) {
  const pools = reserves.map(
    ([price, reserveOut], index) =>
      [index, { pair: 0, slot, bandStatus: 'filled', price, reserveOut } as PoolReading] as const,
  );
  const reading = { pairs: [pair], pools: new Map(pools) } as unknown as LensReading;
  return deepestMid(reading, 0, slots, base, () => 18)?.mid;
}

test('takes the mid of the deepest pool, whatever their order', () => {
  const deep: [bigint, bigint] = [1_000n, 2_000n];
  const shallow: [bigint, bigint] = [10n, 30n];
  expect(midOf([deep, shallow])).toBe(2);
  expect(midOf([shallow, deep])).toBe(2);
});

test('has no mid without a pool, and none of an empty pool', () => {
  expect(midOf([])).toBeUndefined();
  expect(midOf([[0n, 5n]])).toBeUndefined();
});
