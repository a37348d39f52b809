import { expect, test } from 'vitest';
import type { StateReading } from '../../pools/decodeStates.ts';
import type { CandidatePool } from '../../venues/candidatePool.ts';
import { deployments } from '../../venues/deployments/deployments.ts';
import { toCandidatePools } from '../../venues/families.ts';
import type { PoolStatus } from '../../venues/poolEntry.ts';
import type { PoolRef } from '../../venues/poolTypes.ts';
import type { Market } from '../market/market.ts';
import type { FailedPool } from '../plan/choosePlan.ts';
import { coverageOf } from './coverage.ts';

const { base } = deployments;
const candidatePools = toCandidatePools(base.venues);
const ofVenue = (name: string) => candidatePools.find(({ venue }) => venue === name) as CandidatePool;
/** A pool found only in logs, which is not among the chain's candidate pools. */
const unlisted: CandidatePool = { ...ofVenue('aerodrome'), venue: 'logs-only', isCustom: true };
const refOf = (candidatePool: CandidatePool, token1: PoolRef['token1'] = '0x02'): PoolRef => ({
  candidatePool,
  id: '0x0a',
  token0: '0x01',
  token1,
});
const failed = (candidatePool: CandidatePool, status: FailedPool['status']): FailedPool => ({
  ...{ ref: refOf(candidatePool), tokenIn: '0x02', tokenOut: '0x01', status, reason: '0x00000000' },
});

interface Case {
  venue?: string;
  status?: PoolStatus;
  unread?: StateReading['unread'];
  failures?: FailedPool[];
  /** The other token of the pair, which is not the query's own. */
  counter?: `0x${number}`;
  isRouted?: boolean;
  amountIn?: bigint;
  supply?: bigint;
}

/** One pair without pools, except for the given status of one venue's candidate pools. */
function coverageIn({ venue, status = 'no-pool', unread = [], failures = [], ...market }: Case) {
  const { counter = '0x02', isRouted = false, amountIn = 1n, supply = 0n } = market;
  const statuses = candidatePools.map((each): PoolStatus => (each.venue === venue ? status : 'no-pool'));
  const token = { address: '0x01', hasCode: true, decimals: 18, supply } as const;
  const states = {
    tokens: [token, { ...token, address: '0x02' }],
    pairs: [{ a: '0x01', b: counter, statuses }],
    unread,
  };
  const found = { best: isRouted ? {} : undefined, failed: failures };
  const size = { amountIn, surveyed: false };
  return coverageOf({ states, size, found } as unknown as Market, { candidatePools, deployment: base });
}

test('returns the venues that were considered, and those that were not read', () => {
  const { considered, unread } = coverageIn({ venue: 'aerodrome', status: 'unread' });
  expect(considered).toContain('uniswap-v3');
  expect(unread).toEqual(['aerodrome']);
});

test.each(['no-factory', 'not-requested'] as const)(
  'does not count a venue with the status %s as considered',
  (status) => {
    const { considered, unread } = coverageIn({ venue: 'aerodrome', status });
    expect(considered).toContain('uniswap-v3');
    expect(considered).not.toContain('aerodrome');
    expect(unread).toEqual([]);
  },
);

test('an unread pool that only logs contain makes its venue unread', () => {
  const { considered, unread } = coverageIn({ unread: [{ ref: refOf(unlisted), status: 'unread' }] });
  expect(considered).toContain('logs-only');
  expect(unread).toEqual(['logs-only']);
});

test('counts the venue of an unread listed pool once', () => {
  const entry = { ref: refOf(ofVenue('aerodrome')), status: 'unread' } as const;
  expect(coverageIn({ venue: 'aerodrome', status: 'unread', unread: [entry] }).unread).toEqual(['aerodrome']);
});

test('does not report a venue as unread if its pool has no code', () => {
  expect(coverageIn({ unread: [{ ref: refOf(unlisted), status: 'rejected' }] }).unread).toEqual([]);
});

test.each([
  ['listed', ofVenue('aerodrome'), 'aerodrome'],
  ['unlisted', unlisted, 'logs-only'],
] as const)('an execution that ran out of gas makes the venue of its %s pool unread', (_, candidatePool, venue) => {
  expect(coverageIn({ failures: [failed(candidatePool, 'out-of-gas')] }).unread).toEqual([venue]);
});

test.each(['reverted', 'partial'] as const)('an execution with the status %s leaves no venue unread', (status) => {
  const failures = [failed(ofVenue('aerodrome'), status), failed(unlisted, status)];
  expect(coverageIn({ venue: 'aerodrome', status: 'filled', failures }).unread).toEqual([]);
});

test('ignores unread pools of an unlisted token if there is a route', () => {
  const counter = '0x0123456789';
  const pools: Case = {
    venue: 'aerodrome',
    status: 'unread',
    counter,
    unread: [{ ref: refOf(unlisted, counter), status: 'unread' }],
  };
  expect(coverageIn(pools).unread).toEqual(['aerodrome', 'logs-only']);
  expect(coverageIn({ ...pools, isRouted: true }).unread).toEqual([]);
});

test.each([
  ['there is no amount', { amountIn: 0n }],
  ['the size exceeds the supply', { amountIn: 2n, supply: 1n }],
])('considers no venue if %s', (_, market) => {
  const coverage = coverageIn({ venue: 'aerodrome', status: 'unread', ...market });
  expect(coverage).toEqual({ considered: [], unread: [] });
});

test.each([
  ['0x01', '0x02', ['aerodrome']],
  ['0x01', '0x03', []],
  ['0x03', '0x02', []],
  ['0x03', '0x01', []],
  ['0x02', '0x03', []],
] as const)(
  'a swap of %s for %s that ran out of gas makes its venue unread in its own pair only',
  (sold, bought, unread) => {
    const failure = { ...failed(ofVenue('aerodrome'), 'out-of-gas'), tokenIn: sold, tokenOut: bought };
    expect(coverageIn({ failures: [failure] }).unread).toEqual(unread);
  },
);
