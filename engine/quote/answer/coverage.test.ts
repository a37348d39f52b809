import { expect, test } from 'vitest';
import { deployments } from '../../venues/deployments/deployments.ts';
import type { PoolStatus } from '../../venues/poolStatus.ts';
import { toCandidatePools } from '../../venues/toCandidatePools.ts';
import { coverageOf } from './coverage.ts';
import type { LensReading, PoolReading } from './lensReading.ts';

const { base } = deployments;
const candidatePools = toCandidatePools(base.venues);

/** One pair without pools, except for the given status of one venue's candidate pools. */
function readingWhere(venue: string, status: PoolStatus): LensReading {
  const statuses = candidatePools.map(
    (candidatePool): PoolStatus => (candidatePool.venue === venue ? status : 'no-pool'),
  );
  const pairs = [{ tokenIn: '0x01', tokenOut: '0x02', amountIn: 1n, statuses }];
  return { pairs, pools: new Map() } as unknown as LensReading;
}

test('default: returns the venues that were considered, and those that were not read', () => {
  const { considered, unread } = coverageOf({ reading: readingWhere('aerodrome', 'unread') }, candidatePools);
  expect(considered).toContain('uniswap-v3');
  expect(unread).toEqual(['aerodrome']);
});

test.each(['no-factory', 'not-requested'] as const)(
  'does not count a venue with the status %s as considered',
  (status) => {
    const { considered, unread } = coverageOf({ reading: readingWhere('aerodrome', status) }, candidatePools);
    expect(considered).toContain('uniswap-v3');
    expect(considered).not.toContain('aerodrome');
    expect(unread).toEqual([]);
  },
);

test('counts the venue of an unread pool that only logs contain', () => {
  const custom = { ...(candidatePools[0] as (typeof candidatePools)[number]), venue: 'logs-only' };
  const reading = readingWhere('aerodrome', 'filled');
  reading.pools.set(0, { candidatePool: candidatePools.length, status: 'unread' } as PoolReading);
  const { considered, unread } = coverageOf({ reading }, [...candidatePools, custom]);
  expect(considered).toContain('logs-only');
  expect(unread).toEqual(['logs-only']);
});

test('does not report a venue as unread if one of its pools was read', () => {
  const reading = readingWhere('aerodrome', 'not-requested');
  const candidatePool = candidatePools.findIndex(({ venue }) => venue === 'aerodrome');
  reading.pools.set(0, { candidatePool, status: 'filled' } as PoolReading);
  expect(coverageOf({ reading }, candidatePools).unread).toEqual([]);
});
