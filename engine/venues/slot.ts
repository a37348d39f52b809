import type { LowerAddress } from '../lowerAddress.ts';

/** The code families of venues. A deployment row names its family; a leg shows it as `dex`. */
export type VenueFamily = 'uniswap-v2' | 'uniswap-v3' | 'uniswap-v4' | 'solidly' | 'algebra' | 'balancer-v2';

/** One place to look for a pool of a pair: what the lens gets, and the words that the answer uses for it. */
export interface Slot {
  family: VenueFamily;
  venue: string;
  /** The lens's number for how a pool is found and swapped through (contracts/lens/LensTypes.sol). */
  kind: number;
  /** Factory, or the manager of a singleton. */
  factory: LowerAddress;
  /** Fee in pips; for solidly 1 = stable, 0 = volatile; for Balancer v2 1 = of a later release. */
  fee: number;
  tickSpacing: number;
  hooks: LowerAddress;
  /** A pool of a custom deployer of Algebra Integral, which the factory does not return by its pair. */
  isCustom?: boolean;
}
