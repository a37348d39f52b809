import { createRequire } from 'node:module';

// Plain JavaScript: the packages of this folder are not in the project's install, so its type check cannot see them.
const require = createRequire(import.meta.url);
const { Protocol } = require('@uniswap/router-sdk');
const { CurrencyAmount, Percent, Token, TradeType, V2_FACTORY_ADDRESSES } = require('@uniswap/sdk-core');
const {
  AlphaRouter,
  MIXED_ROUTE_QUOTER_V1_ADDRESSES,
  NEW_QUOTER_V2_ADDRESSES,
  OnChainQuoteProvider,
  PROTOCOL_V4_QUOTER_ADDRESSES,
  StaticGasPriceProvider,
  SwapType,
  UNISWAP_MULTICALL_ADDRESSES,
  UniswapMulticallProvider,
  V2PoolProvider,
  V3PoolProvider,
  V3_CORE_FACTORY_ADDRESSES,
  V4PoolProvider,
} = require('@uniswap/smart-order-router');
const { UNIVERSAL_ROUTER_ADDRESS, UniversalRouterVersion } = require('@uniswap/universal-router-sdk');
const { BigNumber, providers } = require('ethers');

const base = 8453;

export const expected = {
  multicall: UNISWAP_MULTICALL_ADDRESSES[base],
  quoterV2: NEW_QUOTER_V2_ADDRESSES[base],
  mixedRouteQuoter: MIXED_ROUTE_QUOTER_V1_ADDRESSES[base],
  v4Quoter: PROTOCOL_V4_QUOTER_ADDRESSES[base],
  v2Factory: V2_FACTORY_ADDRESSES[base],
  v3Factory: V3_CORE_FACTORY_ADDRESSES[base],
  universalRouter: UNIVERSAL_ROUTER_ADDRESS(UniversalRouterVersion.V2_0, base),
};

/** The exact versions that this folder installs. */
export const versions = require('./package.json').dependencies;

/** More pools than any market of the comparison has, so that none is left out. */
const allPools = 50;
const selection = {
  topN: allPools,
  topNDirectSwaps: allPools,
  topNTokenInOut: allPools,
  topNSecondHop: allPools,
  topNWithEachBaseToken: allPools,
  topNWithBaseToken: allPools,
};
const efforts = {
  default: {},
  wide: {
    v2PoolSelection: selection,
    v3PoolSelection: selection,
    v4PoolSelection: selection,
    distributionPercent: 5,
    maxSplits: 7,
    maxSwapsPerPath: 3,
  },
};

export function createAlphaRouter({ rpcUrl, chainId, tokens, pools, gasPriceWei, recipient }) {
  const provider = new providers.StaticJsonRpcProvider(rpcUrl, chainId);
  const multicall = new UniswapMulticallProvider(chainId, provider, 4_000_000);
  const known = new Map(
    tokens.map(({ address, decimals, symbol }) => [
      address.toLowerCase(),
      new Token(chainId, address, decimals, symbol, symbol),
    ]),
  );
  const tokenOf = (address) => known.get(address.toLowerCase());
  const tokenProperties = { getTokensProperties: async () => ({}) };
  const of = (venue) => pools.filter((pool) => pool.venue === venue);
  const router = new AlphaRouter({
    chainId,
    provider,
    multicall2Provider: multicall,
    // The package's default quotes ten blocks before the latest one.
    onChainQuoteProvider: new OnChainQuoteProvider(
      chainId,
      provider,
      multicall,
      { retries: 2, minTimeout: 25, maxTimeout: 250 },
      () => ({ multicallChunk: 80, gasLimitPerCall: 4_000_000, quoteMinSuccessRate: 0 }),
      () => ({ multicallChunk: 20, gasLimitOverride: 12_000_000 }),
      () => ({ multicallChunk: 20, gasLimitOverride: 12_000_000 }),
      () => ({ baseBlockOffset: 0, rollback: { enabled: false } }),
    ),
    v2PoolProvider: new V2PoolProvider(chainId, multicall, tokenProperties),
    v3PoolProvider: new V3PoolProvider(chainId, multicall),
    v4PoolProvider: new V4PoolProvider(chainId, multicall),
    v2SubgraphProvider: { getPools: async () => of('uniswap-v2').map(toV2) },
    v3SubgraphProvider: { getPools: async () => of('uniswap-v3').map(toV3) },
    v4SubgraphProvider: { getPools: async () => of('uniswap-v4').map((pool) => toV4(pool, tokenOf)) },
    tokenProvider: {
      getTokens: async () => ({
        getTokenByAddress: tokenOf,
        getTokenBySymbol: (symbol) => [...known.values()].find((token) => token.symbol === symbol),
        getAllTokens: () => [...known.values()],
      }),
    },
    tokenPropertiesProvider: tokenProperties,
    gasPriceProvider: new StaticGasPriceProvider(BigNumber.from(gasPriceWei.toString())),
    // The quoter of routes that mix v4 with v2 and v3 is in no package.
    mixedCrossLiquidityV3AgainstV4Supported: [],
  });
  const protocols = [Protocol.V2, Protocol.V3, Protocol.MIXED, ...(of('uniswap-v4').length > 0 ? [Protocol.V4] : [])];

  return {
    async route({ tokenIn, tokenOut, amountIn }, effort) {
      const found = await router.route(
        CurrencyAmount.fromRawAmount(tokenOf(tokenIn), amountIn.toString()),
        tokenOf(tokenOut),
        TradeType.EXACT_INPUT,
        {
          type: SwapType.UNIVERSAL_ROUTER,
          version: UniversalRouterVersion.V2_0,
          recipient,
          slippageTolerance: new Percent(1, 100),
        },
        { ...efforts[effort], protocols, excludedProtocolsFromMixed: [Protocol.V4], useCachedRoutes: false },
      );
      return found ? toAnswer(found) : undefined;
    },
  };
}

function toAnswer({ quote, route, methodParameters }) {
  return {
    amountOut: BigInt(quote.quotient.toString()),
    routes: route.map(({ protocol, percent, amount, poolIdentifiers, tokenPath }) => ({
      protocol,
      percent,
      amountIn: BigInt(amount.quotient.toString()),
      pools: poolIdentifiers,
      tokens: tokenPath.map(({ address }) => address),
    })),
    call: { to: methodParameters.to, data: methodParameters.calldata },
  };
}

const toV2 = ({ pool, token0, token1, usd }) => ({
  id: pool.toLowerCase(),
  token0: { id: token0.toLowerCase() },
  token1: { id: token1.toLowerCase() },
  supply: usd,
  reserve: usd,
  reserveUSD: usd,
});

const toV3 = ({ pool, token0, token1, fee, liquidity, usd }) => ({
  id: pool.toLowerCase(),
  feeTier: `${fee}`,
  liquidity: `${liquidity}`,
  token0: { id: token0.toLowerCase() },
  token1: { id: token1.toLowerCase() },
  tvlETH: usd,
  tvlUSD: usd,
});

function toV4(pool, tokenOf) {
  const side = (address) => {
    const { symbol, name, decimals } = tokenOf(address);
    return { id: address.toLowerCase(), symbol, name, decimals: `${decimals}` };
  };
  return {
    ...toV3(pool),
    tickSpacing: `${pool.tickSpacing}`,
    hooks: pool.hooks,
    token0: side(pool.token0),
    token1: side(pool.token1),
  };
}
