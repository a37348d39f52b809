import type { Address, Hex } from 'viem';
import type { ChainName } from '../chain/chains.ts';
import type { LowerAddress } from '../lowerAddress.ts';
import type { FamilyName } from '../venues/candidatePool.ts';
import type { V4PoolKey } from '../venues/uniswapV4/poolKey.ts';
import type { FlagCode } from './answer/flagTable.ts';
import type { DecimalSize, ParsedSize } from './query/parseSize.ts';

/** A quote request. `nativeCoin` stands for the wrapped native token. */
export interface QuoteRequest {
  chain: ChainName;
  tokenIn: Address;
  tokenOut: Address;
  size: { tokenIn: DecimalSize } | { usd: DecimalSize };
}

/** The normal form of a request: equivalent requests have equal queries. */
export interface QuoteQuery {
  chain: ChainName;
  tokenIn: LowerAddress;
  tokenOut: LowerAddress;
  size: ParsedSize & { unit: 'token' | 'usd' };
}

/** One swap. `pool` is the pool's address, or the 32-byte pool id (uniswap-v4, balancer-v2). */
export interface Leg {
  dex: FamilyName;
  venue: string;
  pool: Hex;
  tokenIn: Address;
  tokenOut: Address;
  feePips: number;
  /** Base units sent into the pool. */
  amountIn: bigint;
  /** Base units received from it. */
  amountOut: bigint;
  /** Part of the plan's total sale of `tokenIn`, in basis points; the parts of one token sum to 10000. */
  shareBps: number;
  /** Set for uniswap-v4 only. */
  poolKey?: V4PoolKey;
}

/**
 * Legs in an executable order. `path` lists the distinct tokens from tokenIn to tokenOut, `pools` the pool of each leg; all
 * are empty if there is no route. Several legs of a split may sell the same token.
 */
export interface Route {
  dex: FamilyName | 'mixed' | 'none';
  path: Address[];
  pools: Hex[];
  legs: Leg[];
}

export type Confidence = 'high' | 'medium' | 'low';

/** On the wire, `facts` are fields beside code, severity and message. JSON values only. */
export interface Flag {
  code: FlagCode;
  severity: 'info' | 'warn' | 'critical';
  message: string;
  facts?: Record<string, unknown>;
}

/** The whole answer, amounts as bigints. `router/quote/quoteOutput.ts` describes the fields. */
export interface QuoteAnswer {
  chain: ChainName;
  tokenIn: Address;
  tokenOut: Address;
  amountIn: bigint;
  amountOut: bigint;
  executablePrice: number;
  spotPrice: number | null;
  priceImpactBps: number | null;
  depthAtSize: number;
  worstCaseSlippageBps: number | null;
  route: Route;
  confidence: Confidence;
  venuesConsidered: number;
  flags: Flag[];
  blockNumber: bigint;
  decimals: { in: number; out: number };
  ts: number;
  validUntil: number;
}
