import type { Hex } from 'viem';
import type { LowerAddress } from '../lowerAddress.ts';
import type { Slot } from '../venues/slot.ts';

/** A pool and the two tokens that it trades. */
export interface PoolRef {
  /** Venue, family, factory and pool key. */
  slot: Slot;
  /** The pool's address, lower case; on Uniswap v4 the 32-byte pool id; of weighted pools the address and both tokens. */
  id: Hex;
  /** The tokens in the pool's own order. A v4 pool of the native coin has the wrapped token as `token0`. */
  token0: LowerAddress;
  token1: LowerAddress;
  /** Of weighted pools. */
  weighted?: WeightedFacts;
}

/** What never changes of a weighted pool, seen by two of its tokens. */
interface WeightedFacts {
  poolId: Hex;
  /** Of all tokens they add up to 10^18. */
  weight0: bigint;
  weight1: bigint;
  /** 10^(18 - decimals). */
  scale0: bigint;
  scale1: bigint;
}

/** Reserves of a constant-product pair: Uniswap v2 and its forks, Camelot's pairs, Solidly's volatile pairs. */
export interface PairState {
  kind: 'pair';
  /** How the pair rounds: Solidly cuts the fee from the input first, Camelot has one fee for each direction. */
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
  /** Camelot: hundred-thousandths of the fee that leave the pair (`feeInfo` of the factory); if unread, all of it. */
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

/** A weighted pool of Balancer v2, seen by two of its tokens. */
export interface WeightedState extends Omit<WeightedFacts, 'poolId'> {
  kind: 'weighted';
  /** Releases since 2022 multiply for exponents 1, 2 and 4, where the first one computes a logarithm. */
  hasFastPowers: boolean;
  balance0: bigint;
  balance1: bigint;
  /** Part of the input, of 10^18. */
  swapFee: bigint;
  /** The same in millionths, rounded up. */
  feePips: readonly [number, number];
}

/** A pool without maths here (hook, dynamic plugin): only an execution measures its output. */
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
 * Result of selling `amountIn` base units into a pool, to the unit. Not exact for Algebra Integral, whose plugin can charge
 * another fee than `fee()`. Returns undefined if the pool cannot take the whole amount, if the swap leaves the known ticks, or without exact maths.
 */
export type Swap = (state: PoolState, zeroForOne: boolean, amountIn: bigint) => SwapResult | undefined;
