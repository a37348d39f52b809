import type { Address } from 'viem';
import type { TokenPlan } from '../chainPlan.ts';
import { honestToken } from '../tokens/honestToken.ts';
import { oddTokens } from '../tokens/oddTokens.ts';
import { usdPrices } from '../tokens/usdPrices.ts';
import { placeWrappedNative } from '../tokens/wrappedNative.ts';

/** Standard ERC-20 tokens at the addresses of real ones. */
const standIns = [
  {
    symbol: 'USDT',
    name: 'Tether USD',
    address: '0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2',
    decimals: 6,
    usd: 1,
    about: 'Stands in for Tether, in a stable pool and a 0.01 % pool against USDC.',
  },
  {
    symbol: 'DAI',
    name: 'Dai Stablecoin',
    address: '0x50c5725949A6F0c72E6C4a641F24049A917DB0Cb',
    decimals: 18,
    usd: 1,
    about: 'Stands in for Dai: a USD stablecoin with 18 decimals, in an Aerodrome stable pool against USDC.',
  },
  {
    symbol: 'cbBTC',
    name: 'Coinbase Wrapped BTC',
    address: '0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf',
    decimals: 8,
    usd: usdPrices.BTC,
    about: 'Stands in for cbBTC, with 8 decimals. The only pool of MOSS is against it.',
  },
  {
    symbol: 'AERO',
    name: 'Aerodrome',
    address: '0x940181a94A35A4569E4529A3CDfB74e38FD98631',
    decimals: 18,
    usd: usdPrices.AERO,
    about: 'Stands in for AERO, in volatile Aerodrome pools against USDC and WETH.',
  },
] as const;

/** Invented tokens. */
const invented = [
  {
    symbol: 'BIRCH',
    name: 'Birch',
    decimals: 18,
    usd: 5,
    about: 'Similar prices on three venues: Uniswap v2 and Aerodrome against WETH, Uniswap v3 against USDC.',
  },
  {
    symbol: 'PEG',
    name: 'Peg Dollar',
    decimals: 18,
    usd: 1,
    about: 'A USD stablecoin with 18 decimals. Its only pool is an Aerodrome stable pool against USDC.',
  },
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
  {
    symbol: 'FIR',
    name: 'Fir',
    decimals: 18,
    usd: 12,
    about: 'Only Aerodrome (volatile) has a pool for it, against WETH.',
  },
  {
    symbol: 'IVY',
    name: 'Ivy',
    decimals: 6,
    usd: 0.5,
    about: 'Only Slipstream (second factory) has a pool for it, against USDC.',
  },
  { symbol: 'YEW', name: 'Yew', decimals: 18, usd: 7, about: 'Only PancakeSwap v3 has a pool for it, against WETH.' },
  {
    symbol: 'PINE',
    name: 'Pine',
    decimals: 18,
    usd: 0.02,
    about: 'Only PancakeSwap v2 has a pool for it, against WETH.',
  },
  {
    symbol: 'PALM',
    name: 'Palm',
    decimals: 18,
    usd: 14,
    about:
      'Only QuickSwap v4 (Algebra Integral) has pools for it: against USDC, and with stepped liquidity against WETH.',
  },
  { symbol: 'RUSH', name: 'Rush', decimals: 18, usd: 1.5, about: 'Only SushiSwap v2 has a pool for it, against USDC.' },
  { symbol: 'SEDGE', name: 'Sedge', decimals: 18, usd: 9, about: 'Only SushiSwap v3 has a pool for it, against WETH.' },
  {
    symbol: 'MOSS',
    name: 'Moss',
    decimals: 18,
    usd: 0.3,
    about: 'Two hops away from USDC and WETH: its only pool is against cbBTC.',
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

/** All tokens of the Base sandbox. */
export function baseTokens(usdc: Address, weth: Address, maker: Address): TokenPlan[] {
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
      about: 'Wrapped ether, with a USDC pool on every venue of the chain except QuickSwap v4.',
      placement: placeWrappedNative(weth),
    },
    ...[...standIns, ...invented].map((token) => honestToken(token, maker)),
    ...oddTokens(maker),
  ];
}
