import type { BlockPace } from '../chain/blockPace.ts';
import type { LensCaller } from '../chain/lensCall.ts';
import type { PoolHints } from '../pools/poolHints.ts';
import type { StateSource } from '../pools/readPools.ts';
import type { CandidatePool } from '../venues/candidatePool.ts';
import type { Deployment } from '../venues/venueTypes.ts';
import type { FundingMemory } from './funding/fundingMemory.ts';
import type { FeeModules } from './market/feeModules.ts';
import type { PoolSearcher } from './market/foundPools.ts';
import type { MarketMemory } from './market/marketMemory.ts';
import type { ExecutorMemory } from './transaction/executorState.ts';

/** Data and caches of one chain. */
export interface ChainData {
  deployment: Deployment;
  candidatePools: readonly CandidatePool[];
  lens: LensCaller;
  states: StateSource;
  funding: FundingMemory;
  markets: MarketMemory;
  found: PoolSearcher;
  hints: PoolHints;
  feeModules: FeeModules;
  pace: BlockPace;
  /** Undefined: plans are executed at random addresses only. */
  executor?: ExecutorMemory | undefined;
  /** See `EnginePorts`. */
  oldBlockMs: number | undefined;
}
