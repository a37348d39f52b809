import { expect, test } from 'vitest';
import type { StateReading } from '../../pools/decodeStates.ts';
import type { CandidatePool } from '../../venues/candidatePool.ts';
import { deployments } from '../../venues/deployments/deployments.ts';
import type { PoolRef } from '../../venues/poolTypes.ts';
import { toCandidatePools } from '../../venues/toCandidatePools.ts';
import { coverageOf } from './coverage.ts';
import { toPlanReading } from './toPlanReading.ts';

const { base } = deployments;
const candidatePools = toCandidatePools(base.venues);
const [listed] = candidatePools as [CandidatePool];
/** A pool found only in logs, which is not among the chain's candidate pools. */
const unlisted: CandidatePool = { ...listed, venue: 'logs-only', isCustom: true };
const refOf = (candidatePool: CandidatePool): PoolRef => ({
  candidatePool,
  id: '0x0a',
  token0: '0x01',
  token1: '0x02',
});

/** The coverage of a reading in which this pool was not read and no other candidate pool exists. */
function coverageWithout(ref: PoolRef) {
  const statuses = candidatePools.map((candidatePool) =>
    candidatePool === ref.candidatePool ? ('unread' as const) : ('no-pool' as const),
  );
  const token = { address: '0x01', hasCode: true, decimals: 18, supply: 0n } as const;
  const states: StateReading = {
    block: { number: 1n, timestamp: 1n, parentHash: '0x', baseFee: 0n },
    sequencer: 'none',
    tokens: [token, { ...token, address: '0x02' }],
    feeds: [],
    pairs: [{ a: '0x01', b: '0x02', statuses }],
    pools: [],
    unread: [{ ref, status: 'unread' }],
    gasUsed: 0n,
  };
  const size = { amountIn: 1n, requested: 1n, cut: false, overflow: false, surveyed: false, feedRefused: false };
  const all = [...new Set([...candidatePools, ref.candidatePool])];
  return coverageOf(
    { reading: toPlanReading({ states, size, candidatePools: all, deployment: base, found: undefined, isPaid: true }) },
    all,
  );
}

test('an unread pool that only logs contain makes its venue unread', () => {
  expect(coverageWithout(refOf(unlisted)).unread).toEqual(['logs-only']);
});

test('counts the venue of an unread listed pool once', () => {
  expect(coverageWithout(refOf(listed)).unread).toEqual([listed.venue]);
});
