import type { ChainPlan } from '../chainPlan.ts';
import { placeMulticall3 } from '../fixtures/multicall3.ts';
import { placePriceFeed } from '../fixtures/priceFeeds.ts';
import { makerAddress as maker } from '../market/maker.ts';
import { placeUsdc } from '../tokens/usdc.ts';
import { usdPrices } from '../tokens/usdPrices.ts';
import { algebraIntegral } from '../venues/algebraIntegral.ts';
import { algebraV1 } from '../venues/algebraV1.ts';
import { balancerV2, placeBalancerVault } from '../venues/balancerV2.ts';
import { uniswapV2 } from '../venues/uniswapV2.ts';
import { uniswapV3 } from '../venues/uniswapV3.ts';
import { uniswapV4 } from '../venues/uniswapV4.ts';
import { placeUniversalRouter } from '../venues/universalRouter.ts';
import { polygonPools } from './polygonPools.ts';
import { polygonTokens } from './polygonTokens.ts';

const usdc = '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359';
const wrappedNative = '0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270';

/** The first release has no rate providers. */
const balancer = balancerV2({ factory: { address: '0x8E9aa87E45e92bad84D5F8DD1bff34Fb92637dE9', release: 1 }, maker });

export async function planPolygon(): Promise<ChainPlan> {
  return {
    name: 'polygon',
    chainId: 137,
    usdc,
    wrappedNative,
    tokens: polygonTokens(usdc, wrappedNative, maker),
    venues: [...uniswapVenues(), ...quickswapVenues(), ...sushiVenues(), balancer],
    pools: polygonPools,
    fixtures: [
      ...placeUsdc(usdc),
      placeMulticall3(),
      ...feeds(),
      ...universalRouter(),
      ...placeBalancerVault(wrappedNative),
    ],
  };
}

function universalRouter() {
  return placeUniversalRouter({
    router: '0x1095692A6237d83C6a72F3F5eFEdb9A670C49223',
    wrappedNative,
    v2Factory: '0x9e5A52f57b3038F1B8EeE45F28b3C1967e22799C',
    v3Factory: '0x1F98431c8aD98523631AE4a59f267346ea31F984',
    poolManager: '0x67366782805870060151383F4BbFF9daB53e5cD6',
  });
}

function uniswapVenues() {
  return [
    uniswapV2({
      venue: 'uniswap-v2',
      factory: '0x9e5A52f57b3038F1B8EeE45F28b3C1967e22799C',
      router: '0xedf6066a2b290C185783862C7F4776A2C8077AD1',
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
      poolManager: '0x67366782805870060151383F4BbFF9daB53e5cD6',
      quoter: '0xb3d5c3Dfc3a7aEbFF71895A7191796BFfC2c81b9',
      stateView: '0x5eA1Bd7974c8A611cBAB0BDcAFcB1D9cC9b3Ba5a',
      maker,
    }),
  ];
}

function quickswapVenues() {
  return [
    uniswapV2({
      venue: 'quickswap-v2',
      factory: '0x5757371414417b8C6CAad45bAeF941aBc7d3Ab32',
      router: '0xa5E0829CaCEd8fFDD4De3c43696c57F7D7A678ff',
      wrappedNative,
      maker,
    }),
    algebraV1({
      venue: 'quickswap-v3',
      factory: '0x411b0fAcC3489691f28ad58c47006AF5E3Ab3A28',
      deployer: '0x2D98E2FA9da15aa6dC9581AB097Ced7af697CB92',
      quoter: '0xa15F0D7377B2A0C0c10db057f641beD21028FC89',
      router: '0xf5b509bB0909a69B1c207E495f687a596C168E12',
      wrappedNative,
      maker,
    }),
    algebraIntegral({
      venue: 'quickswap-v4',
      factory: '0x134c1dBE4860A9cAaf89002574fFe814772D9904',
      deployer: '0x96B31b1d17dee49e70B950dE33FFF83728f5c181',
      release: '1.2.10',
      wrappedNative,
      maker,
    }),
  ];
}

function sushiVenues() {
  return [
    uniswapV2({
      venue: 'sushiswap-v2',
      factory: '0xc35DADB65012eC5796536bD9864eD8773aBc74C4',
      router: '0x1b02dA8Cb0d097eB8D57A175b88c7D8b47997506',
      wrappedNative,
      maker,
    }),
    uniswapV3({
      venue: 'sushiswap-v3',
      factory: '0x917933899c6a5F8E37F31E19f92CdBFF7e8FF0e2',
      quoter: '0xb1E835Dc2785b52265711e17fCCb0fd018226a6e',
      router: '0x0aF89E1620b96170e2a9D0b68fEebb767eD044c3',
      wrappedNative,
      maker,
    }),
  ];
}

function feeds() {
  return [
    placePriceFeed('0xF9680D99D6C9589e2a93a78A04A279e509205945', 'ETH / USD', usdPrices.ETH),
    placePriceFeed('0xAB594600376Ec9fD91F8e885dADF0CE036862dE0', 'MATIC / USD', usdPrices.POL),
    placePriceFeed('0xc907E116054Ad103354f2D350FD2514433D57F6f', 'BTC / USD', usdPrices.BTC),
    placePriceFeed('0xfE4A8cc5b5B2366C1B58Bea3858e81843581b2F7', 'USDC / USD', 1),
    placePriceFeed('0x0A6513e40db6EB1b165753AD52E80663aeA50545', 'USDT / USD', 1),
    placePriceFeed('0x4746DeC9e833A82EC7C2C1356372CcF2cfcD2F3D', 'DAI / USD', 1),
  ];
}
