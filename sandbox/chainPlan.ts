import type { Address, Hex } from 'viem';
import type { SandboxChainName, SandboxPool } from './sandboxTypes.ts';

/** A contract to stand at a given address: its creation code runs there, so that immutables are those of that address. */
export interface Placement {
  address: Address;
  creation: Hex;
  /** Words written over what the constructor stored, by slot. */
  storage?: Readonly<Record<Hex, Hex>>;
}

/** A plain transaction or a call inside one. */
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
  /** What one whole token is worth in this market; pool prices follow from it. */
  usd: number;
  /** Absent for an address without code. */
  placement?: Placement;
}

/** One pool of the market. Sizes are per side and in USD, so that a reader can compare venues. */
export interface PoolPlan {
  venue: string;
  pair: readonly [string, string];
  /** Depth per side over the full range, or the same liquidity inside `range`. */
  usd: number;
  /** Price of the first token against the token table, in basis points; keeps venues apart within their fees. */
  skewBps?: number;
  /** Pips, for venues with fee tiers; tick spacing for venues keyed by it. */
  tier?: number;
  /** Price factors around the start price between which the liquidity lies; the whole range when absent. */
  range?: readonly [number, number];
  /** Further positions, measured the same way: orders cross their edges, and the gaps between them. */
  steps?: readonly { usd: number; range: readonly [number, number] }[];
  stable?: boolean;
  /** v4: pair against native currency instead of the wrapped token. */
  native?: boolean;
  /** v4: name of the hook. */
  hook?: 'takes-fee' | 'dynamic-fee';
  /** Slipstream: which factory. */
  generation?: 1 | 2 | 3;
}

/** A pool plan with its numbers worked out, in raw units and in the pool's own order of tokens. */
export interface PoolSeed extends PoolPlan {
  token0: Address;
  token1: Address;
  amount0: bigint;
  amount1: bigint;
}

/** How the executor swaps at a pool. */
export type SwapKind =
  | { kind: 'v2'; feePips: number }
  | { kind: 'solidly' }
  | { kind: 'concentrated' }
  | { kind: 'v4'; manager: Address };

/** A venue of one chain: what stands where, and how pools are opened and filled there. */
export interface VenuePlan {
  venue: string;
  swap: SwapKind;
  placements: readonly Placement[];
  /** Calls that the owner of the factories makes once. */
  setup?: readonly Action[];
  /** Calls that create a pool; all pools are open before the first is filled. */
  open(seed: PoolSeed): readonly Action[];
  /** Where the pool is: its id, or the call that answers its address. */
  locate(seed: PoolSeed): Action | { id: Hex; key: NonNullable<SandboxPool['key']> };
  /** Calls of the market maker that put the liquidity in. */
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
  /** Contracts that are neither token nor venue: Multicall3, feeds, precompile stubs. */
  fixtures: readonly Placement[];
}
