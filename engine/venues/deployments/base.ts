import type { AnyCase } from '../../lowerAddress.ts';
import type { Deployment, RoutingAsset } from '../venueTypes.ts';
import { heartbeats, usdFeeds } from './usdFeeds.ts';

const pricingAssets: readonly AnyCase<RoutingAsset>[] = [
  { symbol: 'WETH', address: '0x4200000000000000000000000000000000000006', decimals: 18 }, // 0xProject/0x-settler, 1inch/spot-price-aggregator
  { symbol: 'USDC', address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', decimals: 6, usdStable: true }, // 0xProject/0x-settler, 1inch/spot-price-aggregator
  { symbol: 'USDT', address: '0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2', decimals: 6, usdStable: true }, // DefiLlama/DefiLlama-Adapters, KyberNetwork/kyberswap-dex-lib
  { symbol: 'USDbC', address: '0xd9aAEc86B65D86f6A7B5B1b0c42FFA531710b6CA', decimals: 6, usdStable: true }, // DefiLlama/DefiLlama-Adapters, KyberNetwork/kyberswap-dex-lib
  { symbol: 'DAI', address: '0x50c5725949A6F0c72E6C4a641F24049A917DB0Cb', decimals: 18, usdStable: true }, // 1inch/spot-price-aggregator, DefiLlama/DefiLlama-Adapters
  { symbol: 'cbBTC', address: '0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf', decimals: 8 }, // DefiLlama/DefiLlama-Adapters, KyberNetwork/kyberswap-dex-lib
];

/**
 * Every address is confirmed: two independent sources list it (public ones are named beside it), or it follows from a
 * CREATE2 check against a known pool. The end of the file lists addresses that are not used, with the reason.
 */
export const base = {
  label: 'Base',
  chainId: 8453 as const,
  aliases: [] as const,
  usdc: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', // Circle's list of USDC contract addresses
  l1FeeOracle: '0x420000000000000000000000000000000000000F', // ethereum-optimism/optimism predeploys
  quoterV2: '0x3d4e44Eb1374240CE5F1B871ab261CD16335B76a', // Uniswap/contracts, VeloraDEX/paraswap-dex-lib
  tipWei: 1_000_000n,
  freshnessMs: 4_000,
  wrappedNative: '0x4200000000000000000000000000000000000006',
  sequencerFeed: '0xBCF85224fc0756B9Fa45aA7892530B47e10b6433', // balancer/balancer-deployments, bgd-labs/aave-address-book
  arbSys: false,
  venues: [
    // 1inch/spot-price-aggregator, DefiLlama/DefiLlama-Adapters
    { family: 'uniswap-v2', venue: 'uniswap-v2', factory: '0x8909Dc15e40173Ff4699343b6eB8132c65e18eC6', feePips: 3000 },
    // 0xProject/0x-settler, 1inch/spot-price-aggregator. Tiers: Uniswap/sdks (v3-sdk FeeAmount; Uniswap/interface offers
    // 200, 300 and 400 on Base only). Sources list seven; a search for an eighth found none. The verifier checks the
    // factory for others.
    {
      family: 'uniswap-v3',
      venue: 'uniswap-v3',
      factory: '0x33128a8fC17869897dcE68Ed026d694621f6FDfD',
      fees: [100, 200, 300, 400, 500, 3000, 10000],
    },
    // 0xProject/0x-settler, DefiLlama/DefiLlama-Adapters
    {
      family: 'uniswap-v4',
      venue: 'uniswap-v4',
      manager: '0x498581fF718922c3f8e6A244956aF099B2652b2b',
      positionManager: '0x7C5f5A4bBd8fD63184577525326123B519429bDc', // Uniswap/contracts, Uniswap/universal-router deploy parameters
      shapes: [
        { fee: 100, tickSpacing: 1 },
        { fee: 200, tickSpacing: 4 },
        { fee: 300, tickSpacing: 6 },
        { fee: 400, tickSpacing: 8 },
        { fee: 500, tickSpacing: 10 },
        { fee: 3000, tickSpacing: 60 },
        { fee: 10000, tickSpacing: 200 },
        // Launchpads: Clanker's keys have a dynamic fee. Spacing 200 is the default of its SDK (clanker-devco/clanker-sdk,
        // clankerTokenV4); deployers may choose another (clanker-devco/v4-contracts, PoolConfig), which is not looked up.
        { fee: 0x800000, tickSpacing: 200, hooks: '0x34a45c6B61876d739400Bd71228CbcbD4F53E8cC' }, // clanker v4.0.0 dynamic: KyberNetwork/kyberswap-dex-lib, Uniswap/hooklist
        { fee: 0x800000, tickSpacing: 200, hooks: '0xDd5EeaFf7BD481AD55Db083062b13a3cdf0A68CC' }, // clanker v4.0.0 static: KyberNetwork/kyberswap-dex-lib, Uniswap/hooklist
        { fee: 0x800000, tickSpacing: 200, hooks: '0xd60D6B218116cFd801E28F78d011a203D2b068Cc' }, // clanker v4.1.0 dynamic v2: KyberNetwork/kyberswap-dex-lib, Uniswap/hooklist
        { fee: 0x800000, tickSpacing: 200, hooks: '0xb429d62f8f3bFFb98CdB9569533eA23bF0Ba28CC' }, // clanker v4.1.0 static v2: KyberNetwork/kyberswap-dex-lib, Uniswap/hooklist
      ],
    },
    // 1inch/spot-price-aggregator, DefiLlama/DefiLlama-Adapters
    {
      family: 'solidly',
      venue: 'aerodrome',
      factory: '0x420DD381b31aEf6683db6B902084cB0FFECe40Da',
      lookUp: 'getPool(a,b,stable)',
    },
    // 0xProject/0x-settler, 1inch/spot-price-aggregator. Spacings: the constructor's five (aerodrome-finance/slipstream);
    // 10 was added later (VeloraDEX/paraswap-dex-lib#938, read from the factory).
    {
      family: 'uniswap-v3',
      venue: 'aerodrome-slipstream',
      factory: '0x5e7BB104d84c7CB9B682AaC2F3d509f5F406809A',
      tickSpacings: [1, 10, 50, 100, 200, 2000],
    },
    // 0xProject/0x-settler, DefiLlama/DefiLlama-Adapters. Spacings: VeloraDEX/paraswap-dex-lib
    {
      family: 'uniswap-v3',
      venue: 'aerodrome-slipstream',
      factory: '0xaDe65c38CD4849aDBA595a4323a8C7DdfE89716a',
      tickSpacings: [1, 10, 50, 100, 200, 500, 2000],
    },
    // DefiLlama/dimension-adapters, VeloraDEX/paraswap-dex-lib (spacings too)
    {
      family: 'uniswap-v3',
      venue: 'aerodrome-slipstream',
      factory: '0xf8f2eB4940CFE7d13603DDDD87f123820Fc061Ef',
      tickSpacings: [1, 10, 50, 100, 200, 500, 2000],
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
    // DefiLlama/DefiLlama-Adapters, sushi-7.3.15
    {
      family: 'uniswap-v2',
      venue: 'sushiswap-v2',
      factory: '0x71524B4f93c58fcbF659783284E38825f0622859',
      feePips: 3000,
    },
    // 0xProject/0x-settler, 1inch/spot-price-aggregator
    {
      family: 'uniswap-v3',
      venue: 'sushiswap-v3',
      factory: '0xc35DADB65012eC5796536bD9864eD8773aBc74C4',
      fees: [100, 500, 3000, 10000],
    },
    // DefiLlama/DefiLlama-Adapters, VeloraDEX/paraswap-dex-lib
    {
      family: 'uniswap-v2',
      venue: 'alienbase-v2',
      factory: '0x3E84D913803b02A4a7f027165E8cA42C14C0FdE7',
      feePips: 1600,
    },
    // 0xProject/0x-settler, DefiLlama/DefiLlama-Adapters
    {
      family: 'uniswap-v3',
      venue: 'alienbase-v3',
      factory: '0x0Fd83557b2be93617c9C1C1B6fd549401C74558C',
      fees: [200, 750, 3000, 10000],
    },
    // DefiLlama/DefiLlama-Adapters, VeloraDEX/paraswap-dex-lib
    { family: 'algebra', venue: 'quickswap-v4', factory: '0xC5396866754799B9720125B104AE01d935Ab9C7b' },
    // DefiLlama/DefiLlama-Adapters, and deploy scripts of Hydrex's own launchpad and plugins. Pools of custom deployers
    // (Integral's `customPoolByPair`) are found in the factories' logs. No deployer is known to be live:
    // hydrexfi/hydropump-contracts of September 2026 contains the launchpad's own and states "Nothing has been deployed";
    // VeloraDEX/paraswap-dex-lib and hydrexfi/hydrex-sdk list none for Base or Polygon.
    { family: 'algebra', venue: 'hydrex', factory: '0x36077D39cdC65E1e3FB65810430E5b2c4D5fA29E' },
  ],
  // Not seen: Maverick v1, DODO, LFJ and Curve's older registries, whose pools are contracts of their own.
  uncovered: [
    { name: 'balancer-v2', address: '0xBA12222222228d8Ba445958a75a0704d566BF2C8', kind: 'singleton' }, // DefiLlama/DefiLlama-Adapters, VeloraDEX/paraswap-dex-lib
    { name: 'balancer-v3', address: '0xbA1333333333a1BA1108E8412f11850A5C319bA9', kind: 'singleton' }, // 0xProject/0x-settler, DefiLlama/DefiLlama-Adapters
    { name: 'fluid', address: '0x52Aa899454998Be5b000Ad077a46Bbe360F4e497', kind: 'singleton' }, // DefiLlama/DefiLlama-Adapters, VeloraDEX/paraswap-dex-lib
    { name: 'pancakeswap-infinity', address: '0x238a358808379702088667322f80aC48bAd5e6c4', kind: 'singleton' }, // 0xProject/0x-settler, DefiLlama/DefiLlama-Adapters
    { name: 'curve-stable', address: '0xd2002373543Ce3527023C75e7518C274A51ce712', kind: 'curve-factory' }, // DefiLlama/DefiLlama-Adapters, npm @curvefi/api
    { name: 'curve-twocrypto', address: '0xc9Fe0C63Af9A39402e8a5514f9c43Af0322b665F', kind: 'curve-factory' }, // DefiLlama/DefiLlama-Adapters, npm @curvefi/api
    { name: 'curve-tricrypto', address: '0xA5961898870943c68037F6848d2D866Ed2016bcB', kind: 'curve-factory' }, // DefiLlama/DefiLlama-Adapters, npm @curvefi/api
    { name: 'maverick-v2', address: '0x0A7e848Aca42d879EF06507Fca0E7b33A0a63c1e', kind: 'maverick-factory' }, // 0xProject/0x-settler, DefiLlama/DefiLlama-Adapters
  ],
  pricingAssets,
  routingAssets: [
    ...pricingAssets,
    { symbol: 'VIRTUAL', address: '0x0b3e328455c4059EEb9e3f84b5543F74E24e7E1b', decimals: 18 }, // DefiLlama/DefiLlama-Adapters, KyberNetwork/kyberswap-dex-lib
    { symbol: 'AERO', address: '0x940181a94A35A4569E4529A3CDfB74e38FD98631', decimals: 18 }, // DefiLlama/DefiLlama-Adapters, VeloraDEX/paraswap-dex-lib
    { symbol: 'ZORA', address: '0x1111111111166b7FE7bd91427724B487980aFc69', decimals: 18 }, // DefiLlama/DefiLlama-Adapters, Uniswap/uniroute-public
    { symbol: 'wstETH', address: '0xc1CBa3fCea344f92D9239c08C0568f6F2F0ee452', decimals: 18 }, // VeloraDEX/paraswap-dex-lib, bgd-labs/aave-address-book
  ],
  // Feeds: bgd-labs/aave-address-book and, with heartbeats, Chainlink's own directory as bactory-tech/oracle-watch read it
  // on 8 October 2026. A third source is named beside the row. USDbC, wstETH, weETH, ZORA and CLANKER have no USD feed.
  feeds: {
    ...usdFeeds(heartbeats.twentyMinutes, [
      // ETH: balancer/balancer-deployments. Since autumn 2026 the directory lists this one as the secondary proxy of the
      // pair and 0x50015f8b17fb2C290Dde41fDc246ed0dcEE93a8b as the standard one; both return prices.
      ['0x4200000000000000000000000000000000000006', '0x71041dddad3595F9CEd3DcCFBe3D1F4b0a16Bb70', 'ETH / USD'],
      ['0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf', '0x07DA0E54543a844a80ABE69c8A12F22B3aA59f9D', 'cbBTC / USD'],
      ['0x2Ae3F1Ec7F1F5012CFEab0185bfc7aa3cf0DEc22', '0xd7818272B9e248357d13057AAb0B417aF31E817d', 'CBETH / USD'],
      // Token: DefiLlama/DefiLlama-Adapters, VenusProtocol
      ['0x0555E30da8f98308EdB960aa94C0Db47230d2B9c', '0xCCADC697c55bbB68dc5bCdf8d3CBe83CdD4E071E', 'WBTC / USD'],
    ]),
    ...usdFeeds(heartbeats.day, [
      ['0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', '0x7e860098F58bBFC8648a4311b374B1D669a2bc6B', 'USDC / USD'], // VeloraDEX/paraswap-dex-lib
      ['0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2', '0xf19d560eB8d2ADf07BD6D13ed03e1D11215721F9', 'USDT / USD'],
      ['0x50c5725949A6F0c72E6C4a641F24049A917DB0Cb', '0x591e79239a7d679378eC8c847e5038150364C78F', 'DAI / USD'],
      ['0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42', '0xDAe398520e2B67cd3f27aeF9Cf14D93D927f8250', 'EURC / USD'],
      ['0x940181a94A35A4569E4529A3CDfB74e38FD98631', '0x4EC5970fC728C5f65ba413992CD5fF6FD70fcfF0', 'AERO / USD'], // LZeroAnalytics/chainlink-package
      ['0x0b3e328455c4059EEb9e3f84b5543F74E24e7E1b', '0xEaf310161c9eF7c813A14f8FEF6Fb271434019F7', 'VIRTUAL / USD'],
      ['0x820C137fa70C8691f0e44Dc420a5e53c168921Dc', '0x2330aaE3bca5F05169d5f4597964D44522F62930', 'USDS / USD'],
      ['0x4ed4E862860beD51a9570b96d89aF5E1B0Efefed', '0xE62BcE5D7CB9d16AB8b4D622538bc0A50A5799c2', 'DEGEN / USD'],
      ['0x6Bb7a212910682DCFdbd5BCBb3e28FB4E8da10Ee', '0x42868EFcee13C0E71af89c04fF7d96f5bec479b0', 'GHO / USD'],
      ['0x236aa50979D5f3De3Bd1Eeb40E81137F22ab794b', '0x6D75BFB5A5885f841b132198C9f0bE8c872057BF', 'TBTC / USD'],
      ['0xecAc9C5F704e954931349Da37F60E39f515c11c1', '0x9e07546c9Fe8868855CD04B26051a26D1599E270', 'LBTC / USD'],
      // Tokens: smartcontractkit/documentation and DefiLlama/DefiLlama-Adapters; bgd-labs/aave-address-book and DefiLlama
      ['0x88Fb150BDc53A65fe94Dea0c9BA0a6dAf8C6e196', '0x17CAb8FE31E32f08326e5E27412894e49B0f9D65', 'LINK / USD'],
      ['0x63706e401c06ac8513145b7687A14804d17f814b', '0x3d6774EF702A10b20FCa8Ed40FC022f7E4938e07', 'AAVE / USD'],
    ]),
  },
} satisfies AnyCase<Deployment>;

// Not used: QuickSwap v2 0xEC6540261aaaE13F236A032d454dc9287E52e56A and Slipstream's first, unused factory
// 0x9592cd9b267748cbFbDe90Ac9f7df3c437A6d51b (one source each); BaseSwap v2 (its fee has no second source); Clanker's
// unpermissioned hooks 0x9A82…68cc and 0xBF5A…e8cC, Doppler's migrator (one source each); Flaunch and Doppler hooks
// (confirmed, but the fee and spacing of their keys are not). Confirmed but not read: Equalizer, SolidlyV3, SwapBased,
// DackieSwap; Balancer, Curve, Fluid, Maverick, Pancake Infinity are other families.
