import type { AnyCase } from '../../lowerAddress.ts';
import type { Deployment, RoutingAsset } from '../venueTypes.ts';
import { heartbeats, usdFeeds } from './usdFeeds.ts';

const pricingAssets: readonly AnyCase<RoutingAsset>[] = [
  { symbol: 'WETH', address: '0x82aF49447D8a07e3bd95BD0d56f35241523fBab1', decimals: 18 }, // 0xProject/0x-settler, 1inch/spot-price-aggregator
  { symbol: 'USDC', address: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831', decimals: 6, usdStable: true }, // 0xProject/0x-settler, 1inch/spot-price-aggregator
  { symbol: 'USDC.e', address: '0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8', decimals: 6, usdStable: true }, // DefiLlama/DefiLlama-Adapters, KyberNetwork/kyberswap-dex-lib
  { symbol: 'USDT', address: '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9', decimals: 6, usdStable: true }, // DefiLlama/DefiLlama-Adapters, KyberNetwork/kyberswap-dex-lib
  { symbol: 'DAI', address: '0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1', decimals: 18, usdStable: true }, // 1inch/spot-price-aggregator, DefiLlama/DefiLlama-Adapters
  { symbol: 'WBTC', address: '0x2f2a2543B76A4166549F7aaB2e75Bef0aefC5B0f', decimals: 8 }, // DefiLlama/DefiLlama-Adapters, KyberNetwork/kyberswap-dex-lib
];

/**
 * Every address is confirmed: two independent sources list it (public ones are named beside it), or it follows from a
 * CREATE2 check against a known pool. The end of the file lists addresses that are not used, with the reason.
 */
export const arbitrum = {
  label: 'Arbitrum',
  chainId: 42161 as const,
  aliases: ['arbitrum-one', 'arb'] as const,
  usdc: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831', // Circle's list of USDC contract addresses
  quoterV2: '0x61fFE014bA17989E743c5F6cB21bF9697530B21e', // Uniswap/contracts, VeloraDEX/paraswap-dex-lib
  tipWei: 0n,
  freshnessMs: 2_000,
  wrappedNative: '0x82aF49447D8a07e3bd95BD0d56f35241523fBab1',
  sequencerFeed: '0xFdB631F5EE196F0ed6FAa767959853A9F217697D', // balancer/balancer-deployments, bgd-labs/aave-address-book
  arbSys: true,
  venues: [
    // 1inch/spot-price-aggregator, DefiLlama/DefiLlama-Adapters
    { family: 'uniswap-v2', venue: 'uniswap-v2', factory: '0xf1D7CC64Fb4452F05c498126312eBE29f30Fbcf9', feePips: 3000 },
    // 0xProject/0x-settler, 1inch/spot-price-aggregator
    {
      family: 'uniswap-v3',
      venue: 'uniswap-v3',
      factory: '0x1F98431c8aD98523631AE4a59f267346ea31F984',
      fees: [100, 500, 3000, 10000],
    },
    // 0xProject/0x-settler, DefiLlama/DefiLlama-Adapters
    {
      family: 'uniswap-v4',
      venue: 'uniswap-v4',
      manager: '0x360E68faCcca8cA495c1B759Fd9EEe466db9FB32',
      positionManager: '0xd88F38F930b7952f2DB2432Cb002E7abbF3dD869', // Uniswap/contracts, Uniswap/universal-router deploy parameters
      shapes: [
        { fee: 100, tickSpacing: 1 },
        { fee: 200, tickSpacing: 4 },
        { fee: 300, tickSpacing: 6 },
        { fee: 400, tickSpacing: 8 },
        { fee: 500, tickSpacing: 10 },
        { fee: 3000, tickSpacing: 60 },
        { fee: 10000, tickSpacing: 200 },
      ],
    },
    // DefiLlama/DefiLlama-Adapters, VeloraDEX/paraswap-dex-lib
    {
      family: 'solidly',
      venue: 'camelot-v2',
      factory: '0x6EcCab422D763aC031210895C81787E87B43A652',
      lookUp: 'getPair(a,b)',
    },
    // DefiLlama/DefiLlama-Adapters, VeloraDEX/paraswap-dex-lib
    { family: 'algebra', venue: 'camelot-v3', factory: '0x1a3c9B1d2F0529D97f2afC5136Cc23e58f1FD35B' },
    // 0xProject/0x-settler, 1inch/spot-price-aggregator
    {
      family: 'uniswap-v2',
      venue: 'sushiswap-v2',
      factory: '0xc35DADB65012eC5796536bD9864eD8773aBc74C4',
      feePips: 3000,
    },
    // 0xProject/0x-settler, DefiLlama/DefiLlama-Adapters
    {
      family: 'uniswap-v3',
      venue: 'sushiswap-v3',
      factory: '0x1af415a1EbA07a4986a52B6f2e7dE7003D82231e',
      fees: [100, 500, 3000, 10000],
    },
    // DefiLlama/DefiLlama-Adapters, pancakeswap-v2-sdk-1.2.2
    {
      family: 'uniswap-v2',
      venue: 'pancakeswap-v2',
      factory: '0x02a84c1b3BBD7401a5f7fa98a384EBC70bB5749E',
      feePips: 2500,
    },
    // DefiLlama/DefiLlama-Adapters, VeloraDEX/paraswap-dex-lib
    {
      family: 'uniswap-v3',
      venue: 'pancakeswap-v3',
      factory: '0x0BFbCF9fa4f9C56B0F40a671Ad40E0805A091865',
      fees: [100, 500, 2500, 10000],
    },
    {
      family: 'balancer-v2',
      venue: 'balancer-v2',
      factory: '0x7dFdEF5f355096603419239CE743BfaF1120312B',
      release: 'first',
    }, // release 1: npm @balancer-labs/v2-deployments, balancer/balancer-deployments
    {
      family: 'balancer-v2',
      venue: 'balancer-v2',
      factory: '0x8df6EfEc5547e31B0eb7d1291B511FF8a2bf987c',
      release: 'later',
    }, // release 2: npm @balancer-labs/v2-deployments, balancer/balancer-deployments
    {
      family: 'balancer-v2',
      venue: 'balancer-v2',
      factory: '0xf1665E19bc105BE4EDD3739F88315cC699cc5b65',
      release: 'later',
    }, // release 3: npm @balancer-labs/v2-deployments, balancer/balancer-deployments
  ],
  // Not seen: Maverick v1, DODO, LFJ and Curve's older registries, whose pools are contracts of their own.
  uncovered: [
    { name: 'balancer-v2', address: '0xBA12222222228d8Ba445958a75a0704d566BF2C8', kind: 'singleton' }, // DefiLlama/DefiLlama-Adapters, VeloraDEX/paraswap-dex-lib
    { name: 'balancer-v3', address: '0xbA1333333333a1BA1108E8412f11850A5C319bA9', kind: 'singleton' }, // 0xProject/0x-settler, DefiLlama/DefiLlama-Adapters
    { name: 'fluid', address: '0x52Aa899454998Be5b000Ad077a46Bbe360F4e497', kind: 'singleton' }, // DefiLlama/DefiLlama-Adapters, VeloraDEX/paraswap-dex-lib
    { name: 'ekubo-v3', address: '0x00000000000014aA86C5d3c41765bb24e11bd701', kind: 'singleton' }, // 0xProject/0x-settler, VeloraDEX/paraswap-dex-lib
    { name: 'curve-stable', address: '0x9AF14D26075f142eb3F292D5065EB3faa646167b', kind: 'curve-factory' }, // DefiLlama/DefiLlama-Adapters, npm @curvefi/api
    { name: 'curve-twocrypto', address: '0x98EE851a00abeE0d95D08cF4CA2BdCE32aeaAF7F', kind: 'curve-factory' }, // DefiLlama/DefiLlama-Adapters, npm @curvefi/api
    { name: 'curve-tricrypto', address: '0xbC0797015fcFc47d9C1856639CaE50D0e69FbEE8', kind: 'curve-factory' }, // DefiLlama/DefiLlama-Adapters, npm @curvefi/api
    { name: 'maverick-v2', address: '0x0A7e848Aca42d879EF06507Fca0E7b33A0a63c1e', kind: 'maverick-factory' }, // 0xProject/0x-settler, DefiLlama/DefiLlama-Adapters
  ],
  pricingAssets,
  routingAssets: [
    ...pricingAssets,
    { symbol: 'ARB', address: '0x912CE59144191C1204E64559FE8253a0e49E6548', decimals: 18 }, // VeloraDEX/paraswap-dex-lib, bgd-labs/aave-address-book
    { symbol: 'wstETH', address: '0x5979D7b546E38E414F7E9822514be443A4800529', decimals: 18 }, // VeloraDEX/paraswap-dex-lib, bgd-labs/aave-address-book
  ],
  // Feeds: bgd-labs/aave-address-book and dForce's oracle configuration (dforce-network); if that has no row, the second
  // source is named beside it. USDC.e, wstETH, GRAIL and cbBTC have no USD feed. Heartbeats: Chainlink lowered several on
  // 29 April 2026 (smartcontractkit/documentation, changelog); the numbers are those of its directory, as public code
  // read it on 2 October 2026. The changelog does not list ARB, WBTC and AAVE: older public configurations use one day.
  feeds: {
    ...usdFeeds(heartbeats.fourMinutes, [
      ['0xaf88d065e77c8cC2239327C5EDb3A432268e5831', '0x50834F3163758fcC1Df9973b6e91f0F0F0434aD3', 'USDC / USD'], // also KyberNetwork/kyberswap-dex-lib
      ['0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9', '0x3f3f5dF88dC9F13eac63DF89EC16ef6e7E25DdE7', 'USDT / USD'], // also KyberNetwork/kyberswap-dex-lib
    ]),
    ...usdFeeds(heartbeats.halfHour, [
      ['0x82aF49447D8a07e3bd95BD0d56f35241523fBab1', '0x639Fe6ab55C921f74e7fac1ee960C0B6293ba612', 'ETH / USD'], // also KyberNetwork/kyberswap-dex-lib
      ['0xf97f4df75117a78c1A5a0DBb814Af92458539FB4', '0x86E53CF1B870786351Da77A57575e79CB55812CB', 'LINK / USD'], // token: smartcontractkit/documentation, VeloraDEX/paraswap-dex-lib
    ]),
    ...usdFeeds(heartbeats.day, [
      ['0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1', '0xc5C8E77B397E531B8EC06BFb0048328B30E9eCfB', 'DAI / USD'],
      // WBTC's own feed reflects a depeg. Not used: BTC / USD, 0x6ce185860a4963106506C203335A2910413708e9.
      ['0x2f2a2543B76A4166549F7aaB2e75Bef0aefC5B0f', '0xd0C7101eACbB49F3deCcCc166d238410D6D46d57', 'WBTC / USD'],
      ['0x912CE59144191C1204E64559FE8253a0e49E6548', '0xb2A824043730FE05F3DA2efaFa1CBbe83fa548D6', 'ARB / USD'], // KyberNetwork/kyberswap-dex-lib
      ['0xba5DdD1f9d7F570dc94a51479a000E3BCE967196', '0xaD1d5344AaDE45F43E596773Bcc4c423EAbdD034', 'AAVE / USD'], // token: VeloraDEX/paraswap-dex-lib, bgd-labs
    ]),
  },
} satisfies AnyCase<Deployment>;

// Camelot's v3 pools were tested only with a build of Algebra. Its v2 pairs compute their own price (`getAmountOut`).
