import type { QuoteOutput } from '../../router/index.ts';

const weth = '0x4200000000000000000000000000000000000006';
const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const dai = '0x50c5725949A6F0c72E6C4a641F24049A917DB0Cb';

type Leg = QuoteOutput['route']['legs'][number];

const legs: Leg[] = [
  {
    dex: 'uniswap-v3',
    venue: 'uniswap-v3',
    pool: `0x${'1'.repeat(40)}`,
    tokenIn: weth,
    tokenOut: usdc,
    feePips: 500,
    amountIn: '60000000000000000000',
    amountOut: '179500000000',
    shareBps: 6000,
  },
  {
    dex: 'solidly',
    venue: 'aerodrome',
    pool: `0x${'2'.repeat(40)}`,
    tokenIn: weth,
    tokenOut: dai,
    feePips: 3000,
    amountIn: '40000000000000000000',
    amountOut: '119600000000000000000000',
    shareBps: 4000,
  },
  {
    dex: 'uniswap-v4',
    venue: 'uniswap-v4',
    pool: `0x${'3'.repeat(64)}`,
    tokenIn: dai,
    tokenOut: usdc,
    feePips: 100,
    amountIn: '83720000000000000000000',
    amountOut: '83650000000',
    shareBps: 7000,
  },
  {
    dex: 'uniswap-v3',
    venue: 'pancakeswap-v3',
    pool: `0x${'4'.repeat(40)}`,
    tokenIn: dai,
    tokenOut: usdc,
    feePips: 100,
    amountIn: '35880000000000000000000',
    amountOut: '35850000000',
    shareBps: 3000,
  },
];

/** A split quote of 100 WETH to USDC: 60 directly, and 40 over DAI, split 70 to 30 over two DAI/USDC pools. */
export const splitQuote: QuoteOutput = {
  chain: 'base',
  tokenIn: weth,
  tokenOut: usdc,
  amountIn: '100000000000000000000',
  amountOut: '299000000000',
  executablePrice: 2990,
  spotPrice: 3000,
  priceImpactBps: 33.33,
  depthAtSize: 410,
  worstCaseSlippageBps: 64,
  route: { dex: 'mixed', path: [weth, dai, usdc], pools: legs.map(({ pool }) => pool), legs },
  confidence: 'high',
  venuesConsidered: 14,
  flags: [
    {
      code: 'SPLIT_ROUTE',
      severity: 'info',
      message: 'The split route returns 0.41 % more than the best single route.',
    },
  ],
  blockNumber: '38211450',
  decimals: { in: 18, out: 6 },
  disclaimer: 'Informational on-chain data, not financial advice.',
  ts: 1_795_254_662_000,
  validUntil: 1_795_254_666_000,
};
