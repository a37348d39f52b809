import type { LowerAddress } from '../lowerAddress.ts';
import type { AlgebraRow } from './algebra/row.ts';
import type { BalancerV2Row } from './balancerV2/row.ts';
import type { SolidlyRow } from './solidly/row.ts';
import type { UniswapV2Row } from './uniswapV2/row.ts';
import type { UniswapV3Row } from './uniswapV3/row.ts';
import type { UniswapV4Row } from './uniswapV4/row.ts';

/** A venue of a chain. A fork of a known family is a row, never code. */
export type VenueRow = UniswapV2Row | UniswapV3Row | UniswapV4Row | SolidlyRow | AlgebraRow | BalancerV2Row;

/** A Chainlink USD feed; an answer older than `heartbeatSeconds` is stale. */
export interface UsdFeed {
  address: LowerAddress;
  heartbeatSeconds: number;
  /** What the feed's own `description()` says, so that a wrong row shows. */
  description: string;
}

/** A token that many others are traded against. */
export interface BaseAsset {
  symbol: string;
  address: LowerAddress;
  decimals: number;
  /** Counted 1:1 when a size is given in USD. */
  usdStable?: boolean;
}

/**
 * A venue that the service cannot quote. A singleton keeps the tokens of all its pools, so its balance shows whether it
 * may trade a token. Curve's pools are contracts of their own: their factory is asked for one of the pair.
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
  /** Other words for the chain in requests. CAIP-2 is always one. */
  aliases: readonly string[];
  /** Native USDC, not a bridged one: payments are made in it. */
  usdc: LowerAddress;
  /** The predeploy that prices L1 data on OP Stack chains. Arbitrum's gas estimate already includes that fee. */
  l1FeeOracle?: LowerAddress;
  /**
   * Uniswap v3's QuoterV2, which quotes where a node does not run the lens. It counts only while its `factory()` is that
   * of the v3 row.
   */
  quoterV2: LowerAddress;
  /** Blocks in about 20 s. Healthy nodes of one chain differ by less. */
  farBlocks: bigint;
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
   * Assets that USD sizes and exit liquidity are valued in: each a USD stable or a token with a USD feed, so that no
   * pool's price alone decides a value. Best known first.
   */
  pricingAssets: readonly BaseAsset[];
  /** Assets that a route may go through: the pricing assets and others that tokens are traded against. */
  routingAssets: readonly BaseAsset[];
  /** USD feeds by token. */
  feeds: Readonly<Record<LowerAddress, UsdFeed>>;
}

/** A pool's state around its price, as the lens measured it. */
export interface BandReading {
  /** sqrtPriceX96 on concentrated pools, the reserve of tokenIn on pairs. */
  price: bigint;
  reserveOut: bigint;
  /** What a price fall of 1 % takes and yields, measured; on pairs worked out from the reserves. */
  bandIn: bigint;
  bandOut: bigint;
}

/** Which way a leg goes through a pool, with the tokens' decimals. */
export interface Direction {
  /** tokenIn is the pool's currency0. */
  zeroForOne: boolean;
  decimalsIn: number;
  decimalsOut: number;
}

/**
 * `mid` is base units of tokenOut for one base unit of tokenIn, without fee; `depth` is how much
 * tokenOut, in base units, a price fall of 1 % yields.
 */
export interface Mid {
  mid: number;
  depth: number;
}
