import type { ChainPlan } from '../chainPlan.ts';
import { placeGasPriceOracle } from '../fixtures/gasPriceOracle.ts';
import { placeMulticall3 } from '../fixtures/multicall3.ts';
import { placePriceFeed, placeSequencerFeed } from '../fixtures/priceFeeds.ts';
import { makerAddress as maker } from '../market/maker.ts';
import { placeUsdc } from '../tokens/usdc.ts';
import { usdPrices } from '../tokens/usdPrices.ts';
import { aerodrome, placeAerodromeRegistry } from '../venues/aerodrome.ts';
import { algebraIntegral } from '../venues/algebraIntegral.ts';
import { pancakeV2Router, takePancakeFee } from '../venues/pancakeV2.ts';
import { pancakeV3 } from '../venues/pancakeV3.ts';
import { slipstream } from '../venues/slipstream.ts';
import { uniswapV2 } from '../venues/uniswapV2.ts';
import { uniswapV3 } from '../venues/uniswapV3.ts';
import { uniswapV4 } from '../venues/uniswapV4.ts';
import { placeUniversalRouter } from '../venues/universalRouter.ts';
import { basePools } from './basePools.ts';
import { baseTokens } from './baseTokens.ts';

const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const wrappedNative = '0x4200000000000000000000000000000000000006';

export async function planBase(): Promise<ChainPlan> {
  const registry = placeAerodromeRegistry();
  const [aerodromeVenue, slipstreamVenue] = await Promise.all([
    aerodrome(wrappedNative, maker),
    slipstream(wrappedNative, maker),
  ]);
  return {
    name: 'base',
    chainId: 8453,
    usdc,
    wrappedNative,
    tokens: baseTokens(usdc, wrappedNative, maker),
    venues: [...uniswapVenues(), aerodromeVenue, slipstreamVenue, ...otherVenues()],
    pools: basePools,
    fixtures: [
      ...placeUsdc(usdc),
      placeMulticall3(),
      placeGasPriceOracle(),
      ...registry,
      ...feeds(),
      ...universalRouter(),
    ],
  };
}

function universalRouter() {
  return placeUniversalRouter({
    router: '0x6fF5693b99212Da76ad316178A184AB56D299b43',
    wrappedNative,
    v2Factory: '0x8909Dc15e40173Ff4699343b6eB8132c65e18eC6',
    v3Factory: '0x33128a8fC17869897dcE68Ed026d694621f6FDfD',
    poolManager: '0x498581fF718922c3f8e6A244956aF099B2652b2b',
  });
}

function uniswapVenues() {
  return [
    uniswapV2({
      venue: 'uniswap-v2',
      factory: '0x8909Dc15e40173Ff4699343b6eB8132c65e18eC6',
      router: '0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24',
      wrappedNative,
      maker,
    }),
    uniswapV3({
      venue: 'uniswap-v3',
      factory: '0x33128a8fC17869897dcE68Ed026d694621f6FDfD',
      quoter: '0x3d4e44Eb1374240CE5F1B871ab261CD16335B76a',
      wrappedNative,
      maker,
    }),
    uniswapV4({
      poolManager: '0x498581fF718922c3f8e6A244956aF099B2652b2b',
      quoter: '0x0d5e0F971ED27FBfF6c2837bf31316121532048D',
      stateView: '0xA3c0c9b65baD0b08107Aa264b0f3dB444b867A71',
      maker,
    }),
  ];
}

function otherVenues() {
  return [
    pancakeV3(wrappedNative, maker),
    uniswapV2({
      venue: 'pancakeswap-v2',
      factory: '0x02a84c1b3BBD7401a5f7fa98a384EBC70bB5749E',
      wrappedNative,
      maker,
      router: '0x8cFe327CEc66d1C090Dd72bd0FF11d690C33a2Eb',
      routerCode: pancakeV2Router(),
      patchFactory: takePancakeFee,
      feePips: 2500,
    }),
    uniswapV2({
      venue: 'sushiswap-v2',
      factory: '0x71524B4f93c58fcbF659783284E38825f0622859',
      router: '0x6BDED42c6DA8FBf0d2bA55B2fa120C5e0c8D7891',
      wrappedNative,
      maker,
    }),
    uniswapV3({
      venue: 'sushiswap-v3',
      factory: '0xc35DADB65012eC5796536bD9864eD8773aBc74C4',
      quoter: '0xb1E835Dc2785b52265711e17fCCb0fd018226a6e',
      router: '0xFB7eF66a7e61224DD6FcD0D7d9C3be5C8B049b9f',
      wrappedNative,
      maker,
    }),
    // Source of the quoter: VeloraDEX/paraswap-dex-lib. The deployer is confirmed by CREATE2: with the pool code of 1.2.5 it
    // yields 0x5a9Ad2BB…02be1a, which VeloraDEX/paraswap-dex-lib and rotki list as QuickSwap v4's WETH/USDC pool.
    algebraIntegral({
      venue: 'quickswap-v4',
      factory: '0xC5396866754799B9720125B104AE01d935Ab9C7b',
      deployer: '0xE08026Fd8537d67C501199610c42D08bB34eAa75',
      quoter: '0xA8a1dA1279ea63535c7B3BE8D20241483BC61009',
      router: '0xe6c9bb24ddB4aE5c6632dbE0DE14e3E474c6Cb04',
      release: '1.2.5',
      wrappedNative,
      maker,
    }),
  ];
}

function feeds() {
  return [
    placePriceFeed('0x71041dddad3595F9CEd3DcCFBe3D1F4b0a16Bb70', 'ETH / USD', usdPrices.ETH),
    placePriceFeed('0x64c911996D3c6aC71f9b455B1E8E7266BcbD848F', 'BTC / USD', usdPrices.BTC),
    placePriceFeed('0x07DA0E54543a844a80ABE69c8A12F22B3aA59f9D', 'cbBTC / USD', usdPrices.BTC),
    placePriceFeed('0x7e860098F58bBFC8648a4311b374B1D669a2bc6B', 'USDC / USD', 1),
    placePriceFeed('0xf19d560eB8d2ADf07BD6D13ed03e1D11215721F9', 'USDT / USD', 1),
    placePriceFeed('0x591e79239a7d679378eC8c847e5038150364C78F', 'DAI / USD', 1),
    placePriceFeed('0x4EC5970fC728C5f65ba413992CD5fF6FD70fcfF0', 'AERO / USD', usdPrices.AERO),
    placeSequencerFeed('0xBCF85224fc0756B9Fa45aA7892530B47e10b6433'),
  ];
}
