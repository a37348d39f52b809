import type { Hex } from 'viem';
import type { LowerAddress } from '../lowerAddress.ts';
import type { WeightedFacts, WeightedState } from './balancerV2/weighted.ts';
import type { CandidatePool } from './candidatePool.ts';
import type { OpaqueState } from './opaque.ts';
import type { StableState } from './solidly/stable.ts';
import type { PairState } from './uniswapV2/pair.ts';
import type { ConcentratedState } from './uniswapV3/concentrated.ts';

/** A pool and the two tokens that it trades. */
export interface PoolRef {
  /** Venue, family, factory and the pool key without the tokens. */
  candidatePool: CandidatePool;
  /**
   * The pool's address in lower case; in Uniswap v4 the 32-byte pool id; for weighted pools the address and both
   * tokens.
   */
  id: Hex;
  /** The tokens in the pool's own order. A v4 pool of the native coin has the wrapped token as `token0`. */
  token0: LowerAddress;
  token1: LowerAddress;
  /** Set for weighted pools only. */
  weighted?: WeightedFacts;
}

export type PoolState = PairState | StableState | ConcentratedState | WeightedState | OpaqueState;

/** A pool and its state at one block. */
export interface Pool {
  ref: PoolRef;
  state: PoolState;
}
