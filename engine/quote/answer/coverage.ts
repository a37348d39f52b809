import type { CandidatePool } from '../../venues/candidatePool.ts';
import type { LensReading } from './lensReading.ts';

/** The venues that were read, and those that could not be read in full. Each name occurs once. */
export interface Coverage {
  considered: string[];
  unread: string[];
}

export function coverageOf({ reading }: { reading: LensReading }, candidatePools: readonly CandidatePool[]): Coverage {
  const considered = new Set<string>();
  const unread = new Set<string>();
  for (const { statuses } of reading.pairs) {
    // An index loop, because this runs for thousands of statuses in each quote.
    for (let index = 0; index < statuses.length; index++) {
      const status = statuses[index];
      const venue = candidatePools[index]?.venue;
      if (venue === undefined || status === 'not-requested' || status === 'no-factory') continue;
      considered.add(venue);
      if (status === 'unread') unread.add(venue);
    }
  }
  // Pools found only in logs have no status in `pairs`.
  for (const { candidatePool, status } of reading.pools.values()) {
    const venue = candidatePools[candidatePool]?.venue;
    if (status !== 'unread' || venue === undefined) continue;
    considered.add(venue);
    unread.add(venue);
  }
  return { considered: [...considered], unread: [...unread] };
}
