import type { LowerAddress } from '../lowerAddress.ts';
import type { VenueRow } from './venueTypes.ts';

/** The name of a family. A deployment row contains it; responses return it as a leg's `dex`. */
export type FamilyName = VenueRow['family'];

/**
 * A pool that any pair may have: its factory (or singleton) and the pool key without the two tokens. A pair has at most one
 * pool for each. The lens looks it up by these fields.
 */
export interface CandidatePool {
  family: FamilyName;
  venue: string;
  /** How the lens finds the pool and swaps through it: one of `kinds`. */
  kind: number;
  /** Factory, or the manager of a singleton. */
  factory: LowerAddress;
  /** Fee in pips; for solidly 1 = stable, 0 = volatile; for Balancer v2 1 = a later release, 0 = the first. */
  fee: number;
  tickSpacing: number;
  hooks: LowerAddress;
  /** A pool of a custom deployer of Algebra Integral, which `poolByPair` does not return. */
  isCustom?: boolean;
}
