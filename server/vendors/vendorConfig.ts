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
  /** RPC requests of one check; after them a search continues in the background. */
  maxRequests: number;
  search: LogSearchLimits;
}

/** Limits of searches in the background. One of them runs at a time. */
export interface LogSearchLimits {
  /** Pause before each request, in milliseconds. */
  pauseMs: number;
  /** Pause after a failure of all nodes, in milliseconds; it doubles with each further one. */
  retryMs: number;
  /** RPC requests of one search, and its time in milliseconds. The search of a later check continues where it ended. */
  maxRequests: number;
  maxMs: number;
  /** Tokens that wait. */
  maxWaiting: number;
  /** RPC requests of all searches in 24 hours. */
  maxRequestsPerDay: number;
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

/**
 * A search of 6,000 requests reads 60 million blocks in ranges of 10,000, in 15 minutes at 50 ms a request. Where a request
 * has 60 units and a million units cost 0.45 USD, it costs at most 0.16 USD, and all searches of a day 1.62 USD.
 */
export const defaultLogIndexLimits: LogIndexLimits = {
  maxTransfers: 50_000,
  maxHolders: 5_000,
  maxRequests: 300,
  search: {
    pauseMs: 100,
    retryMs: 5_000,
    maxRequests: 6_000,
    maxMs: 1_800_000,
    maxWaiting: 20,
    maxRequestsPerDay: 60_000,
  },
};
