import type { LowerAddress } from '../../lowerAddress.ts';
import type { CandidatePool } from '../../venues/candidatePool.ts';
import type { Deployment } from '../../venues/venueTypes.ts';
import type { ExitPool, ExitReading, LoggedPool } from '../exit/exitTypes.ts';
import type { LiquidityCoverage, LiquiditySection } from '../pretradeTypes.ts';
import type { TokenReading } from '../tokenReading.ts';
import type { UsdPrices } from './usdPrices.ts';

export interface LiquidityInput
  extends Pick<TokenReading, 'enumerated' | 'dropped' | 'creationsTruncated'>,
    Partial<Pick<TokenReading, 'hinted' | 'reach' | 'outside'>> {
  token: LowerAddress;
  sizeUsd: number;
  reading: ExitReading;
  candidatePools: readonly CandidatePool[];
  deployment: Deployment;
  known: readonly LoggedPool[];
  /** Pools from the factories' logs that the look-up of `candidatePools` must also find. */
  listed: readonly LoggedPool[];
  prices: UsdPrices;
  /** Sentences on assets whose feed and pools contradict each other, so that they have no price. */
  doubts: readonly string[];
  /** Accounts of `reading.balances`, in its order. `covered`: a singleton whose pools are measured. */
  holders: readonly { name: string; address: string; covered: boolean }[];
}

/** A pool with its exit liquidity in USD; undefined: the counter-asset has no price. */
export interface PricedExit {
  exit: ExitPool;
  venue: string;
  drawnUsd: number | undefined;
}

/** `pays`: a simulated sale pays 5 % of the size; `unknown`: none could be simulated, although that much is there. */
export interface OutsideFinding {
  pool: string;
  state: 'pays' | 'unknown' | 'too little';
  drawnUsd: number;
}

export interface LiquidityFinding {
  section: LiquiditySection;
  coverage: LiquidityCoverage;
  /** Largest exit liquidity first. */
  exits: PricedExit[];
  /** USD per whole token at the mid of the deepest pool. */
  midUsd: number | null;
  reasons: string[];
  /** USD that simulated sales drew: a lower bound. */
  measuredUsd: number;
  /** Upper bound in USD of what sales can draw; null: no bound is known. */
  atMostUsd: number | null;
  /** Every pool and venue was read. */
  complete: boolean;
  /** Every covered venue was searched, although pools may be unmeasured and assets may have no price. */
  searched: boolean;
}
