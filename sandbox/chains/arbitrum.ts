import type { ChainPlan } from '../chainPlan.ts';
import { placeArbSys } from '../fixtures/arbSys.ts';
import { placeMulticall3 } from '../fixtures/multicall3.ts';
import { placePriceFeed, placeSequencerFeed } from '../fixtures/priceFeeds.ts';
import { makerAddress as maker } from '../market/maker.ts';
import { placeUsdc } from '../tokens/usdc.ts';
import { usdPrices } from '../tokens/usdPrices.ts';
import { algebraV1 } from '../venues/algebraV1.ts';
import { balancerV2, placeBalancerVault } from '../venues/balancerV2.ts';
import { pancakeV3 } from '../venues/pancakeV3.ts';
import { uniswapV2 } from '../venues/uniswapV2.ts';
import { uniswapV3 } from '../venues/uniswapV3.ts';
import { uniswapV4 } from '../venues/uniswapV4.ts';
import { placeUniversalRouter } from '../venues/universalRouter.ts';
import { arbitrumPools } from './arbitrumPools.ts';
import { arbitrumTokens } from './arbitrumTokens.ts';

const usdc = '0xaf88d065e77c8cC2239327C5EDb3A432268e5831';
const wrappedNative = '0x82aF49447D8a07e3bd95BD0d56f35241523fBab1';

const balancer = balancerV2({ factory: { address: '0xf1665E19bc105BE4EDD3739F88315cC699cc5b65', release: 3 }, maker });

export async function planArbitrum(): Promise<ChainPlan> {
  return {
    name: 'arbitrum',
    chainId: 42161,
    usdc,
    wrappedNative,
    tokens: arbitrumTokens(usdc, wrappedNative, maker),
    venues: [...uniswapVenues(), ...otherVenues(), balancer],
    pools: arbitrumPools,
    fixtures: [
      ...placeUsdc(usdc),
      placeMulticall3(),
      placeArbSys(),
      ...feeds(),
      ...universalRouter(),
      ...placeBalancerVault(wrappedNative),
    ],
  };
}

function universalRouter() {
  return placeUniversalRouter({
    router: '0xA51afAFe0263b40EdaEf0Df8781eA9aa03E381a3',
    wrappedNative,
    v2Factory: '0xf1D7CC64Fb4452F05c498126312eBE29f30Fbcf9',
    v3Factory: '0x1F98431c8aD98523631AE4a59f267346ea31F984',
    poolManager: '0x360E68faCcca8cA495c1B759Fd9EEe466db9FB32',
  });
}

function uniswapVenues() {
  return [
    uniswapV2({
      venue: 'uniswap-v2',
      factory: '0xf1D7CC64Fb4452F05c498126312eBE29f30Fbcf9',
      router: '0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24',
      wrappedNative,
      maker,
    }),
    uniswapV3({
      venue: 'uniswap-v3',
      factory: '0x1F98431c8aD98523631AE4a59f267346ea31F984',
      quoter: '0x61fFE014bA17989E743c5F6cB21bF9697530B21e',
      wrappedNative,
      maker,
    }),
    uniswapV4({
      poolManager: '0x360E68faCcca8cA495c1B759Fd9EEe466db9FB32',
      quoter: '0x3972C00f7ed4885e145823eb7C655375d275A1C5',
      stateView: '0x76Fd297e2D437cd7f76d50F01AfE6160f86e9990',
      maker,
    }),
  ];
}

function otherVenues() {
  return [
    // Camelot runs Algebra 1.9, which no package contains; Algebra v1 replaces it, see venues/algebraV1.ts.
    algebraV1({
      venue: 'camelot-v3',
      factory: '0x1a3c9B1d2F0529D97f2afC5136Cc23e58f1FD35B',
      deployer: '0x6Dd3FB9653B10e806650F107C3B5A0a6fF974F65',
      quoter: '0x0Fc73040b26E9bC8514fA028D998E73A254Fa76E',
      router: '0x1F721E2E82F6676FCE4eA07A5958cF098D339e18',
      wrappedNative,
      maker,
    }),
    pancakeV3(wrappedNative, maker),
    uniswapV2({
      venue: 'sushiswap-v2',
      factory: '0xc35DADB65012eC5796536bD9864eD8773aBc74C4',
      router: '0x1b02dA8Cb0d097eB8D57A175b88c7D8b47997506',
      wrappedNative,
      maker,
    }),
    uniswapV3({
      venue: 'sushiswap-v3',
      factory: '0x1af415a1EbA07a4986a52B6f2e7dE7003D82231e',
      quoter: '0x0524E833cCD057e4d7A296e3aaAb9f7675964Ce1',
      router: '0x8A21F6768C1f8075791D08546Dadf6daA0bE820c',
      wrappedNative,
      maker,
    }),
  ];
}

function feeds() {
  return [
    placePriceFeed('0x639Fe6ab55C921f74e7fac1ee960C0B6293ba612', 'ETH / USD', usdPrices.ETH),
    placePriceFeed('0x6ce185860a4963106506C203335A2910413708e9', 'BTC / USD', usdPrices.BTC),
    placePriceFeed('0x50834F3163758fcC1Df9973b6e91f0F0F0434aD3', 'USDC / USD', 1),
    placePriceFeed('0x3f3f5dF88dC9F13eac63DF89EC16ef6e7E25DdE7', 'USDT / USD', 1),
    placePriceFeed('0xc5C8E77B397E531B8EC06BFb0048328B30E9eCfB', 'DAI / USD', 1),
    placePriceFeed('0xb2A824043730FE05F3DA2efaFa1CBbe83fa548D6', 'ARB / USD', usdPrices.ARB),
    placeSequencerFeed('0xFdB631F5EE196F0ed6FAa767959853A9F217697D'),
  ];
}
