import type { Address } from 'viem';
import type { TokenPlan } from '../chainPlan.ts';
import { honestToken } from '../tokens/honestToken.ts';
import { oddTokens } from '../tokens/oddTokens.ts';
import { usdPrices } from '../tokens/usdPrices.ts';
import { placeWrappedNative } from '../tokens/wrappedNative.ts';

/** Standard ERC-20 tokens at the addresses of real ones. */
const standIns = [
  {
    symbol: 'USDC.e',
    name: 'Bridged USDC',
    address: '0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8',
    decimals: 6,
    usd: 1,
    about: 'Stands in for bridged USDC, the predecessor of native USDC. x402 payments cannot use it.',
  },
  {
    symbol: 'USDT',
    name: 'Tether USD',
    address: '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9',
    decimals: 6,
    usd: 1,
    about: 'Stands in for Tether, in a 0.01 % pool against USDC.',
  },
  {
    symbol: 'DAI',
    name: 'Dai Stablecoin',
    address: '0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1',
    decimals: 18,
    usd: 1,
    about: 'Stands in for Dai: a USD stablecoin with 18 decimals.',
  },
  {
    symbol: 'WBTC',
    name: 'Wrapped BTC',
    address: '0x2f2a2543B76A4166549F7aaB2e75Bef0aefC5B0f',
    decimals: 8,
    usd: usdPrices.BTC,
    about: 'Stands in for WBTC, with 8 decimals, in a Uniswap v3 pool against WETH.',
  },
  {
    symbol: 'ARB',
    name: 'Arbitrum',
    address: '0x912CE59144191C1204E64559FE8253a0e49E6548',
    decimals: 18,
    usd: usdPrices.ARB,
    about: 'Stands in for ARB. The only pool of MOSS is against it.',
  },
  {
    symbol: 'GRAIL',
    name: 'Camelot Token',
    address: '0x3d9907F9a368ad0a51Be60f7Da3b97cf940982D8',
    decimals: 18,
    usd: 300,
    about: 'Stands in for GRAIL, in a Camelot v3 pool against USDC.',
  },
] as const;

/** Invented tokens. */
const invented = [
  { symbol: 'OAK', name: 'Oak', decimals: 18, usd: 2, about: 'Only Uniswap v2 has a pool for it, against USDC.' },
  { symbol: 'ELM', name: 'Elm', decimals: 8, usd: 40, about: 'Only Uniswap v3 has a pool for it, against WETH.' },
  {
    symbol: 'ASH',
    name: 'Ash',
    decimals: 18,
    usd: 0.8,
    about: 'Only Uniswap v4 has a pool for it, without a hook and against native ether.',
  },
  {
    symbol: 'LARCH',
    name: 'Larch',
    decimals: 18,
    usd: 3,
    about: "Its only pool is on Uniswap v4, with a hook that takes 1.23 % of a swap's output.",
  },
  { symbol: 'HAZEL', name: 'Hazel', decimals: 6, usd: 6, about: 'Only Camelot v3 has a pool for it, against WETH.' },
  { symbol: 'YEW', name: 'Yew', decimals: 18, usd: 7, about: 'Only PancakeSwap v3 has a pool for it, against USDC.' },
  { symbol: 'RUSH', name: 'Rush', decimals: 18, usd: 1.5, about: 'Only SushiSwap v2 has a pool for it, against WETH.' },
  { symbol: 'SEDGE', name: 'Sedge', decimals: 18, usd: 9, about: 'Only SushiSwap v3 has a pool for it, against USDC.' },
  {
    symbol: 'MOSS',
    name: 'Moss',
    decimals: 18,
    usd: 0.3,
    about: 'Two hops away from USDC and WETH: its only pool is against ARB.',
  },
  {
    symbol: 'REED',
    name: 'Reed',
    decimals: 18,
    usd: 4,
    about: 'Liquidity only within 3 % of its price, so that a large order fills in part.',
  },
  {
    symbol: 'THORN',
    name: 'Thorn',
    decimals: 18,
    usd: 25,
    about: 'Concentrated pools of several families with stepped liquidity, so that orders cross ticks and gaps.',
  },
  {
    symbol: 'DUST',
    name: 'Dust',
    decimals: 18,
    usd: 1,
    about:
      'No liquidity at its price: the only position begins 50 % above it. It can be bought at a high price, but not sold.',
  },
] as const;

/** All tokens of the Arbitrum sandbox. */
export function arbitrumTokens(usdc: Address, weth: Address, maker: Address): TokenPlan[] {
  return [
    {
      symbol: 'USDC',
      address: usdc,
      decimals: 6,
      usd: 1,
      about: "Circle's USD Coin, with EIP-3009. x402 payments use it.",
    },
    {
      symbol: 'WETH',
      address: weth,
      decimals: 18,
      usd: usdPrices.ETH,
      about: 'Wrapped ether, with a USDC pool on every venue of the chain.',
      placement: placeWrappedNative(weth),
    },
    ...[...standIns, ...invented].map((token) => honestToken(token, maker)),
    ...oddTokens(maker),
  ];
}
