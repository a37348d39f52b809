import type { Hex } from 'viem';
import type { LowerAddress } from '../lowerAddress.ts';
import type { Slot } from '../venues/slot.ts';

/** A pool and the two tokens that it trades. */
export interface PoolRef {
  /** Venue, family, factory and pool key. */
  slot: Slot;
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

/** Immutable facts of a weighted pool, for one pair of its tokens. */
interface WeightedFacts {
  poolId: Hex;
  /** Normalised weights: those of all tokens of the pool sum to 10^18. */
  weight0: bigint;
  weight1: bigint;
  /** 10^(18 - decimals). */
  scale0: bigint;
  scale1: bigint;
}

/** Reserves of a constant-product pair: Uniswap v2 and its forks, Camelot's pairs, Solidly's volatile pairs. */
export interface PairState {
  kind: 'pair';
  /** How the pair rounds: Solidly deducts the fee, rounded down, before the formula; the others round once (pair.ts). */
  rule: 'uniswap-v2' | 'camelot' | 'solidly';
  reserve0: bigint;
  reserve1: bigint;
  /** Millionths of the input: when token0 is sold, when token1 is sold. */
  feePips: readonly [number, number];
}

/** Solidly's stable pair: x³y + y³x = k over reserves of 18 decimals. */
export interface StableState {
  kind: 'stable';
  rule: 'solidly' | 'camelot';
  reserve0: bigint;
  reserve1: bigint;
  /** 10^decimals of each token, as the pair keeps them. */
  unit0: bigint;
  unit1: bigint;
  feePips: readonly [number, number];
  /** Camelot: share of the fee that leaves the pair, in 1/100,000 (`feeInfo` of the factory). Undefined: unread, the
   * maths assumes the whole fee. */
  ownerFeeShare?: number | undefined;
}

/** An initialised tick. */
export interface Tick {
  index: number;
  liquidityNet: bigint;
}

/** A concentrated pool: Uniswap v3 and its forks, Slipstream, PancakeSwap v3, Algebra, Uniswap v4 without a hook. */
export interface ConcentratedState {
  kind: 'concentrated';
  rule: 'uniswap-v3' | 'uniswap-v4' | 'algebra-v1' | 'algebra-integral';
  sqrtPriceX96: bigint;
  tick: number;
  liquidity: bigint;
  tickSpacing: number;
  /** Millionths of the input that a swap is charged, protocol fee included: when token0 is sold, when token1 is sold. */
  feePips: readonly [number, number];
  /** The initialised ticks from `knownFrom` to `knownTo`, ascending. Ticks outside this range were not read. */
  ticks: readonly Tick[];
  knownFrom: number;
  knownTo: number;
}

/** A weighted pool of Balancer v2, for one pair of its tokens. */
export interface WeightedState extends Omit<WeightedFacts, 'poolId'> {
  kind: 'weighted';
  /** Releases since 2022 multiply for exponents 1, 2 and 4, where the first one computes a logarithm. */
  hasFastPowers: boolean;
  balance0: bigint;
  balance1: bigint;
  /** Fee as a fraction of the input, scaled by 10^18. */
  swapFee: bigint;
  /** The same in millionths, rounded up. */
  feePips: readonly [number, number];
}

/** A pool that this code has no formula for (hook, dynamic plugin): its output must be simulated. */
export interface OpaqueState {
  kind: 'opaque';
  reason: 'hook' | 'plugin' | 'unknown-curve';
  /** Upper bounds of the pool's output, by its balances; undefined if unread. */
  balance0?: bigint | undefined;
  balance1?: bigint | undefined;
  /** Price and liquidity where the pool reports them, for ranking only. */
  sqrtPriceX96?: bigint | undefined;
  liquidity?: bigint | undefined;
  feePips?: number | undefined;
}

export type PoolState = PairState | StableState | ConcentratedState | WeightedState | OpaqueState;

/** A pool and its state at one block. */
export interface Pool {
  ref: PoolRef;
  state: PoolState;
}

/** Result of a swap of the whole amount. */
export interface SwapResult {
  amountOut: bigint;
  /** The state after the swap. */
  state: PoolState;
  /** Initialised ticks that the swap crossed: each costs gas. */
  ticksCrossed: number;
}

/**
 * The exact result of selling `amountIn` base units into a pool. For Algebra Integral it is an estimate, because a plugin
 * can charge another fee than `fee()`. Undefined if the pool cannot take the whole amount, if the swap leaves the known
 * ticks, or for an opaque pool.
 */
export type Swap = (state: PoolState, zeroForOne: boolean, amountIn: bigint) => SwapResult | undefined;
