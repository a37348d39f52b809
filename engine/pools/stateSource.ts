import type { LensCaller } from '../chain/lensCall.ts';
import type { CandidatePool } from '../venues/candidatePool.ts';
import type { Deployment } from '../venues/venueTypes.ts';
import type { StateEncoder } from './encodeStateCall.ts';
import type { PairMemory } from './pairMemory.ts';

/** Inputs of the state lens for one chain. */
export interface StateSource {
  deployment: Deployment;
  candidatePools: readonly CandidatePool[];
  encoder: StateEncoder;
  lens: LensCaller;
  now: () => number;
  /** Undefined: each read looks up all pairs. */
  pairs: PairMemory | undefined;
}
