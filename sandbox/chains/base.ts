import type { ChainPlan, PoolPlan, TokenPlan } from '../chainPlan.ts';
import { makerAddress as maker } from '../market/maker.ts';
import { creationCode } from '../placement/creationCode.ts';
import { published } from '../published/published.ts';
import { honestToken } from '../tokens/honestToken.ts';
import { placeUsdc } from '../tokens/usdc.ts';
import { uniswapV2 } from '../venues/uniswapV2.ts';
import { uniswapV3 } from '../venues/uniswapV3.ts';

const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const wrappedNative = '0x4200000000000000000000000000000000000006';

export function planBase(): ChainPlan {
  return {
    name: 'base',
    chainId: 8453,
    usdc,
    wrappedNative,
    tokens: tokens(),
    venues: [
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
    ],
    pools,
    fixtures: placeUsdc(usdc),
  };
}

const pools: readonly PoolPlan[] = [
  { venue: 'uniswap-v2', pair: ['WETH', 'USDC'], usd: 1_500_000, skewBps: -5 },
  { venue: 'uniswap-v3', pair: ['WETH', 'USDC'], usd: 20_000_000, tier: 500 },
  { venue: 'uniswap-v3', pair: ['WETH', 'USDC'], usd: 6_000_000, tier: 3000, skewBps: 8 },
  { venue: 'uniswap-v2', pair: ['OAK', 'USDC'], usd: 400_000 },
  { venue: 'uniswap-v3', pair: ['ELM', 'WETH'], usd: 800_000, tier: 3000 },
];

function tokens(): TokenPlan[] {
  return [
    {
      symbol: 'USDC',
      address: usdc,
      decimals: 6,
      usd: 1,
      about: "Circle's USD Coin, with EIP-3009; x402 pays with it.",
    },
    {
      symbol: 'WETH',
      address: wrappedNative,
      decimals: 18,
      usd: 3000,
      about: 'Wrapped ether, traded on every venue of the chain.',
      placement: { address: wrappedNative, creation: creationCode(published.weth9()) },
    },
    honestToken(
      { symbol: 'OAK', name: 'Oak', decimals: 18, usd: 2, about: 'Only Uniswap v2 has a pool for it, against USDC.' },
      maker,
    ),
    honestToken(
      { symbol: 'ELM', name: 'Elm', decimals: 8, usd: 40, about: 'Only Uniswap v3 has a pool for it, against WETH.' },
      maker,
    ),
  ];
}
