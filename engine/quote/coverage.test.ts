import { expect, test } from 'vitest';
import { deployments } from '../venues/deployments/deployments.ts';
import type { SlotStatus } from '../venues/slotStatus.ts';
import { toSlots } from '../venues/toSlots.ts';
import { coverageOf } from './coverage.ts';
import type { LensReading, PoolReading } from './lensReading.ts';

const { base } = deployments;
const slots = toSlots(base.venues);

/** One pair without a pool in any slot, except the given status in the slots of one venue. */
function readingWhere(venue: string, status: SlotStatus): LensReading {
  const statuses = slots.map((slot): SlotStatus => (slot.venue === venue ? status : 'no-pool'));
  const pairs = [{ tokenIn: '0x01', tokenOut: '0x02', amountIn: 1n, statuses }];
  return { pairs, pools: new Map() } as unknown as LensReading;
}

test('default: returns the venues that were considered, and those that were not read', () => {
  const { considered, unread } = coverageOf({ reading: readingWhere('aerodrome', 'unread') }, slots);
  expect(considered).toContain('uniswap-v3');
  expect(unread).toEqual(['aerodrome']);
});

test.each(['no-factory', 'not-requested'] as const)('does not count a venue as considered that is %s', (status) => {
  const { considered, unread } = coverageOf({ reading: readingWhere('aerodrome', status) }, slots);
  expect(considered).toContain('uniswap-v3');
  expect(considered).not.toContain('aerodrome');
  expect(unread).toEqual([]);
});

test('counts the venue of an unread pool that only logs contain', () => {
  const custom = { ...(slots[0] as (typeof slots)[number]), venue: 'logs-only' };
  const reading = readingWhere('aerodrome', 'filled');
  reading.pools.set(0, { slot: slots.length, status: 'unread' } as PoolReading);
  const { considered, unread } = coverageOf({ reading }, [...slots, custom]);
  expect(considered).toContain('logs-only');
  expect(unread).toEqual(['logs-only']);
});

test('does not count a pool that was read as unread', () => {
  const reading = readingWhere('aerodrome', 'not-requested');
  const slot = slots.findIndex(({ venue }) => venue === 'aerodrome');
  reading.pools.set(0, { slot, status: 'filled' } as PoolReading);
  expect(coverageOf({ reading }, slots).unread).toEqual([]);
});
