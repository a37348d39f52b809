import type { LowerAddress } from '../lowerAddress.ts';

/** A venue of a chain. A fork of a known family is a row, never code. */
export type VenueRow = UniswapV2Row | UniswapV3Row | UniswapV4Row | SolidlyRow | AlgebraRow | BalancerV2Row;

/** A Chainlink USD feed; an answer older than `heartbeatSeconds` is stale. */
export interface UsdFeed {
  address: LowerAddress;
  heartbeatSeconds: number;
  /** The feed's `description()`, which tools/verify compares, so that a wrong row is found. */
  description: string;
}

/** A token that many others are traded against, so that routes may go through it. */
export interface RoutingAsset {
  symbol: string;
  address: LowerAddress;
  decimals: number;
  /** Counted 1:1 when a size is given in USD. */
  usdStable?: boolean;
}

/**
 * A venue that the service cannot quote. A singleton holds the tokens of all its pools, so its balance shows whether it may
 * trade a token. Each Curve pool is a separate contract, so the factory is queried for a pool of the pair.
 */
export interface UncoveredVenue {
  name: string;
  address: LowerAddress;
  kind: 'singleton' | 'curve-factory' | 'maverick-factory';
}

/** The data of a chain, except the RPC URLs. Data files may write addresses in any letter case. */
export interface Deployment {
  /** The chain's name in documents and messages. */
  label: string;
  /** EIP-155. */
  chainId: number;
  /** Other names of the chain in requests. The CAIP-2 id is always accepted. */
  aliases: readonly string[];
  /** Native USDC, not a bridged one: payments are made in it. */
  usdc: LowerAddress;
  /** The predeploy that prices L1 data on OP Stack chains. Arbitrum's gas estimate already includes that fee. */
  l1FeeOracle?: LowerAddress;
  /**
   * Uniswap v3's QuoterV2, the fallback if a node does not run the lens. It is used only while its `factory()` is that of
   * the v3 row.
   */
  quoterV2: LowerAddress;
  /** The usual tip in wei per gas. Arbitrum ignores tips; Polygon requires 25 gwei. */
  tipWei: bigint;
  /** Default of FRESHNESS_MS_<CHAIN>: milliseconds for which pool state and quotes are valid. */
  freshnessMs: number;
  wrappedNative: LowerAddress;
  /** Chainlink's sequencer uptime feed, on rollups that have one. */
  sequencerFeed?: LowerAddress;
  /** The block number comes from ArbSys. */
  arbSys: boolean;
  venues: readonly VenueRow[];
  uncovered: readonly UncoveredVenue[];
  /**
   * Assets in which USD sizes and exit liquidity are valued: USD stables and tokens with a USD feed, so that no pool's
   * price alone determines a value. Best known first.
   */
  pricingAssets: readonly RoutingAsset[];
  /** Assets that a route may go through: the pricing assets and others that tokens are traded against. */
  routingAssets: readonly RoutingAsset[];
  /** USD feeds by token. */
  feeds: Readonly<Record<LowerAddress, UsdFeed>>;
}

/** A pool's state around its price, as the lens measured it. */
export interface BandReading {
  /** sqrtPriceX96 on concentrated pools, the reserve of tokenIn on pairs. */
  price: bigint;
  reserveOut: bigint;
  /** Output until the price falls by 1 %; not used for pairs. */
  bandOut: bigint;
}

/** The direction of a leg through a pool, with the tokens' decimals. */
export interface Direction {
  /** tokenIn is the pool's currency0. */
  zeroForOne: boolean;
  decimalsIn: number;
  decimalsOut: number;
}

/**
 * `mid`: base units of tokenOut for one base unit of tokenIn, without fee. `depth`: output in base units until the price
 * falls by 1 %.
 */
export interface Mid {
  mid: number;
  depth: number;
}

/** Constant product, `getPair`, one fee for all pairs. */
export interface UniswapV2Row {
  family: 'uniswap-v2';
  venue: string;
  factory: LowerAddress;
  feePips: number;
}

/** Concentrated liquidity; pools keyed by fee (`getPool(a,b,uint24)`) or by tick spacing (Slipstream). */
export type UniswapV3Row = { family: 'uniswap-v3'; venue: string; factory: LowerAddress } & (
  | { fees: readonly number[] }
  | { tickSpacings: readonly number[] }
);

/** A v4 pool key without its currencies. `fee` 0x800000 = dynamic. */
export interface V4PoolShape {
  fee: number;
  tickSpacing: number;
  hooks?: LowerAddress;
}

export interface UniswapV4Row {
  family: 'uniswap-v4';
  venue: string;
  manager: LowerAddress;
  /** Returns the key of each pool that has had a position of it (`poolKeys`). */
  positionManager?: LowerAddress;
  shapes: readonly V4PoolShape[];
}

/** Pools with `getAmountOut`, found by pair and curve; those of Camelot v2 by pair alone. */
export interface SolidlyRow {
  family: 'solidly';
  venue: string;
  factory: LowerAddress;
  lookUp: 'getPool(a,b,stable)' | 'getPair(a,b,stable)' | 'getPair(a,b)';
}

/** Algebra v1, v1.9 and Integral: one pool for each pair (`poolByPair`), with a dynamic fee. */
export interface AlgebraRow {
  family: 'algebra';
  venue: string;
  factory: LowerAddress;
}

/**
 * Balancer v2's vault, which holds the tokens of all pools; the same address on every chain
 * (balancer/balancer-deployments).
 */
export const balancerVault: LowerAddress = '0xba12222222228d8ba445958a75a0704d566bf2c8';

/**
 * A factory of Balancer v2's weighted pools. It has no lookup by tokens, so `weightedList.ts` reads the tokens of all
 * pools. The first release computes every power with logarithms; later ones multiply for the exponents 1, 2 and 4.
 */
export interface BalancerV2Row {
  family: 'balancer-v2';
  venue: string;
  factory: LowerAddress;
  release: 'first' | 'later';
}
