import type { LowerAddress } from '../lowerAddress.ts';
import type { VenueRow } from './venueTypes.ts';

/** The name of a family. A deployment row contains it; responses return it as a leg's `dex`. */
export type FamilyName = VenueRow['family'];

/** A candidate pool of any pair: the key with which the lens looks it up, and its names in responses. */
export interface Slot {
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
