import type { LowerAddress } from '../lowerAddress.ts';

/** The code families of venues. A deployment row names its family; responses return it as a leg's `dex`. */
export type VenueFamily = 'uniswap-v2' | 'uniswap-v3' | 'uniswap-v4' | 'solidly' | 'algebra' | 'balancer-v2';

/** A candidate pool of any pair: the key with which the lens looks it up, and its names in responses. */
export interface Slot {
  family: VenueFamily;
  venue: string;
  /** How the lens finds the pool and swaps through it: a number of contracts/lens/LensTypes.sol. */
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
