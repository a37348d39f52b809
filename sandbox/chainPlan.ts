import type { Address, Hex } from 'viem';
import type { SandboxChainName, SandboxPool } from './sandboxPool.ts';

/** A contract at a chosen address. Its creation code runs there, so that immutables match the address. */
export interface Placement {
  address: Address;
  creation: Hex;
  /** Storage words to overwrite after the constructor, by slot. */
  storage?: Readonly<Record<Hex, Hex>>;
}

/** A transaction or an internal call. */
export interface Action {
  to: Address;
  data?: Hex;
  value?: bigint;
}

export interface TokenPlan {
  symbol: string;
  address: Address;
  decimals: number;
  about: string;
  /** Value of one whole token; pool prices follow from it. */
  usd: number;
  /** Undefined for an address without code. */
  placement?: Placement;
}

/** A pool of the market. Sizes are USD per side, so that venues compare. */
export interface PoolPlan {
  venue: string;
  pair: readonly [string, string];
  /** Depth per side over the full range, or the same liquidity within `range`. */
  usd: number;
  /** Offset of the price from the token table, in basis points; smaller than the venues' fees. */
  skewBps?: number;
  /** Fee in pips for venues with fee tiers; tick spacing for venues with spacings. */
  tier?: number;
  /** Bounds of the liquidity as factors of the start price; the full range when undefined. */
  range?: readonly [number, number];
  /** Further positions in the same units, so that orders cross position edges and gaps. */
  steps?: readonly { usd: number; range: readonly [number, number] }[];
  stable?: boolean;
  /** Balancer: percent of each token of the pair. */
  weights?: readonly [number, number];
  /** v4: pairs with native currency instead of the wrapped token. */
  native?: boolean;
  /** v4: name of the hook. */
  hook?: 'takes-fee' | 'dynamic-fee';
  /** Slipstream: name of the factory. */
  generation?: 1 | 2 | 3;
}

/** A pool plan with amounts in base units, in the order of the pool's tokens. */
export interface PoolSeed extends PoolPlan {
  token0: Address;
  token1: Address;
  amount0: bigint;
  amount1: bigint;
}

/** How the executor swaps in a pool. */
export type SwapKind =
  | { kind: 'v2'; feePips: number }
  | { kind: 'solidly' }
  | { kind: 'concentrated' }
  | { kind: 'v4'; manager: Address }
  | { kind: 'balancer-v2' };

/** A venue of one chain: its contracts, and the calls that create and fill pools. */
export interface VenuePlan {
  venue: string;
  swap: SwapKind;
  placements: readonly Placement[];
  /** One-time calls of the factories' owner. */
  setup?: readonly Action[];
  /** Calls that create a pool; all pools are created before the first is filled. */
  open(seed: PoolSeed): readonly Action[];
  /** The pool's id, or a call that returns its address. */
  locate(seed: PoolSeed): Action | { id: Hex; key: NonNullable<SandboxPool['key']> };
  /** Calls of the market maker that add liquidity. */
  fill(seed: PoolSeed, pool: Hex): readonly Action[];
}

export interface ChainPlan {
  name: SandboxChainName;
  chainId: number;
  usdc: Address;
  wrappedNative: Address;
  tokens: readonly TokenPlan[];
  venues: readonly VenuePlan[];
  pools: readonly PoolPlan[];
  /** Contracts that are neither tokens nor venues: Multicall3, feeds, precompile stubs. */
  fixtures: readonly Placement[];
}
