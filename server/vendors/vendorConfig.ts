/** Which vendors are asked, and where. A vendor that is absent is turned off: it is not asked, which is not the same as failing. */
export interface VendorConfig {
  /** An instance (`https://base.blockscout.com`) or the keyed gateway with the chain in its path. */
  blockscout?: { url: string; key?: string };
  etherscan?: { url: string; key: string };
  dexscreener?: { url: string };
  geckoterminal?: { url: string };
  /** Our own index over the chain's Transfer logs, read from the RPC that the engine uses. */
  logs?: LogIndexLimits;
  /** Our own index of the pools that factories' logs name, for nodes that refuse to tell of all blocks at once. */
  pools?: PoolIndexLimits;
  /** One vendor request. Shorter than the time the engine gives all vendors, so that the next one gets its turn. */
  timeoutMs: number;
}

export interface LogIndexLimits {
  /** Transfers beyond which a token is not indexed. */
  maxTransfers: number;
  /** Wallets beyond which a token is not indexed. */
  maxHolders: number;
  /** RPC requests of one pass over a token; the next pass goes on where it ended. */
  maxRequests: number;
}

export interface PoolIndexLimits {
  /** Between two requests of a scan, in milliseconds. */
  pauseMs: number;
  /** Between two passes, in milliseconds: how old the index may get beside the blocks that it leaves out. */
  everyMs: number;
}

/** At most ten requests a second beside the traffic: all of Base in ranges of 10,000 blocks takes about ten minutes. */
export const defaultPoolIndexLimits: PoolIndexLimits = { pauseMs: 100, everyMs: 20_000 };

export const defaultLogIndexLimits: LogIndexLimits = { maxTransfers: 50_000, maxHolders: 5_000, maxRequests: 300 };
