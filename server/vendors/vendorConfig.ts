/**
 * The enabled vendors and their URLs. An absent vendor is disabled: values from it are `not requested`, not `read
 * failed`.
 */
export interface VendorConfig {
  /** An instance (`https://base.blockscout.com`) or the keyed gateway with the chain in its path. */
  blockscout?: { url: string; key?: string };
  etherscan?: { url: string; key: string };
  dexscreener?: { url: string };
  geckoterminal?: { url: string };
  /** Whether the market vendors are also asked for a token's pools. */
  poolHints?: boolean;
  /** Our own index over Transfer logs, read from the engine's RPC. */
  logs?: LogIndexLimits;
  /** Our own index of pools from factory logs, for nodes that reject log queries over all blocks. */
  pools?: PoolIndexLimits;
  /** Timeout of one request; shorter than the engine's timeout for all vendors, so that the next vendor can be tried. */
  timeoutMs: number;
}

export interface LogIndexLimits {
  /** Transfers beyond which a token is not indexed. */
  maxTransfers: number;
  /** Wallets beyond which a token is not indexed. */
  maxHolders: number;
  /** RPC requests of one pass over a token; the next pass continues where it ended. */
  maxRequests: number;
}

export interface PoolIndexLimits {
  /** Pause between requests of a scan, in milliseconds. */
  pauseMs: number;
  /** Pause between passes, in milliseconds. The index lags by this time and the unsettled blocks. */
  everyMs: number;
}

/**
 * At most ten background requests per second. Base has 432,000 blocks a day: in ranges of 10,000 blocks a day takes 43
 * requests, and all its blocks until November 2026, about 40 million, at least seven minutes.
 */
export const defaultPoolIndexLimits: PoolIndexLimits = { pauseMs: 100, everyMs: 20_000 };

export const defaultLogIndexLimits: LogIndexLimits = { maxTransfers: 50_000, maxHolders: 5_000, maxRequests: 300 };
