import type { AnyCase } from '../../lowerAddress.ts';
import type { Deployment, RoutingAsset } from '../venueTypes.ts';
import { heartbeats, usdFeeds } from './usdFeeds.ts';

const pricingAssets: readonly AnyCase<RoutingAsset>[] = [
  { symbol: 'WPOL', address: '0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270', decimals: 18 }, // 0xProject/0x-settler, 1inch/spot-price-aggregator
  { symbol: 'USDC', address: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359', decimals: 6, usdStable: true }, // 1inch/spot-price-aggregator, DefiLlama/DefiLlama-Adapters
  { symbol: 'USDC.e', address: '0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174', decimals: 6, usdStable: true }, // 1inch/spot-price-aggregator, DefiLlama/DefiLlama-Adapters
  { symbol: 'USDT', address: '0xc2132D05D31c914a87C6611C10748AEb04B58e8F', decimals: 6, usdStable: true }, // 1inch/spot-price-aggregator, DefiLlama/DefiLlama-Adapters
  { symbol: 'WETH', address: '0x7ceB23fD6bC0adD59E62ac25578270cFf1b9f619', decimals: 18 }, // 1inch/spot-price-aggregator, DefiLlama/DefiLlama-Adapters
  { symbol: 'DAI', address: '0x8f3Cf7ad23Cd3CaDbD9735AFf958023239c6A063', decimals: 18, usdStable: true }, // DefiLlama/DefiLlama-Adapters, KyberNetwork/kyberswap-dex-lib
  { symbol: 'WBTC', address: '0x1BFD67037B42Cf73acF2047067bd4F2C47D9BfD6', decimals: 8 }, // DefiLlama/DefiLlama-Adapters, VeloraDEX/paraswap-dex-lib
];

/**
 * Every address is confirmed: two independent sources list it (public ones are named beside it), or it follows from a
 * CREATE2 check against a known pool. The end of the file lists addresses that are not used, with the reason.
 */
export const polygon = {
  label: 'Polygon',
  chainId: 137 as const,
  aliases: ['matic'] as const,
  usdc: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359', // Circle's list of USDC contract addresses
  quoterV2: '0x61fFE014bA17989E743c5F6cB21bF9697530B21e', // Uniswap/contracts, VeloraDEX/paraswap-dex-lib
  tipWei: 30_000_000_000n,
  freshnessMs: 5_000,
  wrappedNative: '0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270',
  arbSys: false,
  venues: [
    // 1inch/spot-price-aggregator, DefiLlama/DefiLlama-Adapters
    { family: 'uniswap-v2', venue: 'uniswap-v2', factory: '0x9e5A52f57b3038F1B8EeE45F28b3C1967e22799C', feePips: 3000 },
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
      manager: '0x67366782805870060151383F4BbFF9daB53e5cD6',
      positionManager: '0x1Ec2eBf4F37E7363FDfe3551602425af0B3ceef9', // Uniswap/contracts, Uniswap/universal-router deploy parameters
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
    // 1inch/spot-price-aggregator, DefiLlama/DefiLlama-Adapters
    {
      family: 'uniswap-v2',
      venue: 'quickswap-v2',
      factory: '0x5757371414417b8C6CAad45bAeF941aBc7d3Ab32',
      feePips: 3000,
    },
    // DefiLlama/DefiLlama-Adapters, VeloraDEX/paraswap-dex-lib
    { family: 'algebra', venue: 'quickswap-v3', factory: '0x411b0fAcC3489691f28ad58c47006AF5E3Ab3A28' },
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
      factory: '0x917933899c6a5F8E37F31E19f92CdBFF7e8FF0e2',
      fees: [100, 500, 3000, 10000],
    },
    {
      family: 'balancer-v2',
      venue: 'balancer-v2',
      factory: '0x8E9aa87E45e92bad84D5F8DD1bff34Fb92637dE9',
      release: 'first',
    }, // release 1: npm @balancer-labs/v2-deployments, balancer/balancer-deployments
    {
      family: 'balancer-v2',
      venue: 'balancer-v2',
      factory: '0x0e39C3D9b2ec765eFd9c5c70BB290B1fCD8536E3',
      release: 'later',
    }, // release 2: npm @balancer-labs/v2-deployments, balancer/balancer-deployments
    {
      family: 'balancer-v2',
      venue: 'balancer-v2',
      factory: '0x82e4cFaef85b1B6299935340c964C942280327f4',
      release: 'later',
    }, // release 3: npm @balancer-labs/v2-deployments, balancer/balancer-deployments
  ],
  // Not seen: Maverick v1, DODO, LFJ and Curve's older registries, whose pools are contracts of their own.
  uncovered: [
    { name: 'balancer-v2', address: '0xBA12222222228d8Ba445958a75a0704d566BF2C8', kind: 'singleton' }, // DefiLlama/DefiLlama-Adapters, VeloraDEX/paraswap-dex-lib
    { name: 'fluid', address: '0x52Aa899454998Be5b000Ad077a46Bbe360F4e497', kind: 'singleton' }, // DefiLlama/DefiLlama-Adapters, VeloraDEX/paraswap-dex-lib
    { name: 'curve-stable', address: '0x1764ee18e8B3ccA4787249Ceb249356192594585', kind: 'curve-factory' }, // DefiLlama/DefiLlama-Adapters, npm @curvefi/api
    { name: 'curve-twocrypto', address: '0x98EE851a00abeE0d95D08cF4CA2BdCE32aeaAF7F', kind: 'curve-factory' }, // DefiLlama/DefiLlama-Adapters, npm @curvefi/api
    { name: 'curve-tricrypto', address: '0xC1b393EfEF38140662b91441C6710Aa704973228', kind: 'curve-factory' }, // DefiLlama/DefiLlama-Adapters, npm @curvefi/api
  ],
  pricingAssets,
  // No source ranks assets by liquidity after the pricing assets; LINK and AAVE were chosen because they have a USD feed.
  routingAssets: [
    ...pricingAssets,
    { symbol: 'wstETH', address: '0x03b54A6e9a984069379fae1a4fC4dBAE93B3bCCD', decimals: 18 }, // DefiLlama/DefiLlama-Adapters, bgd-labs/aave-address-book
    { symbol: 'LINK', address: '0x53E0bca35eC356BD5ddDFebbD1Fc0fD03FaBad39', decimals: 18 }, // VeloraDEX/paraswap-dex-lib, bgd-labs/aave-address-book
    { symbol: 'AAVE', address: '0xD6DF932A45C0f255f85145f286eA0b292B21C90B', decimals: 18 }, // VeloraDEX/paraswap-dex-lib, bgd-labs/aave-address-book
  ],
  // Feeds: bgd-labs/aave-address-book and dForce's oracle configuration (dforce-network). USDC.e and QUICK have no USD
  // feed. No sequencer feed: Polygon PoS is not a rollup. Heartbeats: 27 s for POL and ETH, from public code that cites
  // Chainlink's pages (its directory gave 27 s for BTC / USD in 2026). UNSOURCED for the others: assumed to be 27 s
  // too.
  feeds: usdFeeds(heartbeats.halfMinute, [
    ['0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270', '0xAB594600376Ec9fD91F8e885dADF0CE036862dE0', 'MATIC / USD'],
    ['0x7ceB23fD6bC0adD59E62ac25578270cFf1b9f619', '0xF9680D99D6C9589e2a93a78A04A279e509205945', 'ETH / USD'],
    ['0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359', '0xfE4A8cc5b5B2366C1B58Bea3858e81843581b2F7', 'USDC / USD'],
    ['0xc2132D05D31c914a87C6611C10748AEb04B58e8F', '0x0A6513e40db6EB1b165753AD52E80663aeA50545', 'USDT / USD'],
    ['0x8f3Cf7ad23Cd3CaDbD9735AFf958023239c6A063', '0x4746DeC9e833A82EC7C2C1356372CcF2cfcD2F3D', 'DAI / USD'],
    // WBTC's own feed reflects a depeg. Not used: BTC / USD, 0xc907E116054Ad103354f2D350FD2514433D57F6f.
    ['0x1BFD67037B42Cf73acF2047067bd4F2C47D9BfD6', '0xDE31F8bFBD8c84b5360CFACCa3539B938dd78ae6', 'WBTC / USD'],
    ['0x53E0bca35eC356BD5ddDFebbD1Fc0fD03FaBad39', '0xd9FFdb71EbE7496cC440152d43986Aae0AB76665', 'LINK / USD'], // token: VeloraDEX/paraswap-dex-lib, bgd-labs
    ['0xD6DF932A45C0f255f85145f286eA0b292B21C90B', '0x72484B12719E23115761D5DA1646945632979bB6', 'AAVE / USD'], // token: VeloraDEX/paraswap-dex-lib, bgd-labs
  ]),
} satisfies AnyCase<Deployment>;

// PancakeSwap, Slipstream and Balancer v3 are not deployed on Polygon PoS.
// Not used: QuickSwap v4 (Algebra Integral) 0x134c1dBE4860A9cAaf89002574fFe814772D9904, and its deployer
// 0x96B31b1d17dee49e70B950dE33FFF83728f5c181: one source each. `EnginePorts.extraVenues` can add it.
