import type { Address, Hex } from 'viem';

export interface RouterToken {
  symbol: string;
  address: Address;
  decimals: number;
}

/** A pool with its liquidity, as a subgraph would list it. */
export interface RouterPool {
  venue: 'uniswap-v2' | 'uniswap-v3' | 'uniswap-v4';
  pool: Hex;
  token0: Address;
  token1: Address;
  fee: number;
  tickSpacing: number;
  hooks: Address;
  liquidity: bigint;
  usd: number;
}

export interface RouterMarket {
  rpcUrl: string;
  chainId: number;
  tokens: readonly RouterToken[];
  pools: readonly RouterPool[];
  gasPriceWei: bigint;
  /** Receives the tokens of the encoded swap. */
  recipient: Address;
}

/** One part of the order, with the pools of its path. */
export interface RouterRoute {
  protocol: string;
  percent: number;
  amountIn: bigint;
  pools: Hex[];
  tokens: Address[];
}

export interface RouterAnswer {
  amountOut: bigint;
  routes: RouterRoute[];
  /** The swap as the router encodes it for the Universal Router. */
  call: { to: Address; data: Hex };
}

/** `default` is the package's own configuration for the chain; `wide` takes all pools and splits by 5 %. */
export type RouterEffort = 'default' | 'wide';

export interface AlphaRouterClient {
  route(
    query: { tokenIn: Address; tokenOut: Address; amountIn: bigint },
    effort: RouterEffort,
  ): Promise<RouterAnswer | undefined>;
}

export declare function createAlphaRouter(market: RouterMarket): AlphaRouterClient;

/** Addresses at which the router expects contracts that the sandbox does not place. */
export declare const expected: {
  multicall: Address;
  quoterV2: Address;
  mixedRouteQuoter: Address;
  v4Quoter: Address;
  v2Factory: Address;
  v3Factory: Address;
  universalRouter: Address;
};

export declare const versions: Record<string, string>;
