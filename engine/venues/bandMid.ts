import type { CandidatePool } from './candidatePool.ts';
import { families } from './families.ts';
import type { BandReading, Direction, Mid } from './venueTypes.ts';

/** The fee-free mid of a pool; undefined if it has no reliable one or if it exceeds a double. */
export function bandMidOf(candidatePool: CandidatePool, reading: BandReading, direction: Direction): Mid | undefined {
  const found = families[candidatePool.family].bandMid(reading, direction, candidatePool);
  // A token may report 255 decimals, for which the curve of a stable pair exceeds a double.
  return found && Number.isFinite(found.mid) && found.mid > 0 && Number.isFinite(found.depth) ? found : undefined;
}
