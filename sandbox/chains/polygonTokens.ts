import type { Address } from 'viem';
import type { TokenPlan } from '../chainPlan.ts';
import { honestToken } from '../tokens/honestToken.ts';
import { oddTokens } from '../tokens/oddTokens.ts';
import { usdPrices } from '../tokens/usdPrices.ts';
import { placeRenamedWrappedNative } from '../tokens/wrappedNative.ts';

/** Standard ERC-20 tokens at the addresses of real ones. */
const standIns = [
  {
    symbol: 'WETH',
    name: 'Wrapped Ether',
    address: '0x7ceB23fD6bC0adD59E62ac25578270cFf1b9f619',
    decimals: 18,
    usd: usdPrices.ETH,
    about: 'Stands in for bridged ether, with a USDC pool on every venue of the chain.',
  },
  {
    symbol: 'USDC.e',
    name: 'USD Coin (PoS)',
    address: '0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174',
    decimals: 6,
    usd: 1,
    about: 'Stands in for bridged USDC, the predecessor of native USDC. x402 payments cannot use it.',
  },
  {
    symbol: 'USDT',
    name: 'Tether USD',
    address: '0xc2132D05D31c914a87C6611C10748AEb04B58e8F',
    decimals: 6,
    usd: 1,
    about: 'Stands in for Tether. Its only pool here is on QuickSwap v3.',
  },
  {
    symbol: 'DAI',
    name: 'Dai Stablecoin',
    address: '0x8f3Cf7ad23Cd3CaDbD9735AFf958023239c6A063',
    decimals: 18,
    usd: 1,
    about: 'Stands in for Dai: a USD stablecoin with 18 decimals.',
  },
  {
    symbol: 'WBTC',
    name: 'Wrapped BTC',
    address: '0x1BFD67037B42Cf73acF2047067bd4F2C47D9BfD6',
    decimals: 8,
    usd: usdPrices.BTC,
    about: 'Stands in for WBTC, with 8 decimals. The only pool of MOSS is against it.',
  },
  {
    symbol: 'QUICK',
    name: 'QuickSwap',
    address: '0xB5C064F955D8e7F38fE0460C556a72987494eE17',
    decimals: 18,
    usd: 0.04,
    about: 'Stands in for QUICK, in a QuickSwap v2 pool against WPOL.',
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
    about: 'Only Uniswap v4 has a pool for it, without a hook and against native POL.',
  },
  {
    symbol: 'LARCH',
    name: 'Larch',
    decimals: 18,
    usd: 3,
    about: "Its only pool is on Uniswap v4, with a hook that takes 1.23 % of a swap's output.",
  },
  { symbol: 'TEAK', name: 'Teak', decimals: 18, usd: 0.6, about: 'Only QuickSwap v2 has a pool for it, against WPOL.' },
  { symbol: 'FIG', name: 'Fig', decimals: 6, usd: 1.1, about: 'Only QuickSwap v3 has a pool for it, against USDC.' },
  { symbol: 'PALM', name: 'Palm', decimals: 18, usd: 14, about: 'Only QuickSwap v4 has a pool for it, against WPOL.' },
  { symbol: 'RUSH', name: 'Rush', decimals: 18, usd: 1.5, about: 'Only SushiSwap v2 has a pool for it, against WETH.' },
  { symbol: 'SEDGE', name: 'Sedge', decimals: 18, usd: 9, about: 'Only SushiSwap v3 has a pool for it, against WPOL.' },
  {
    symbol: 'MOSS',
    name: 'Moss',
    decimals: 18,
    usd: 0.3,
    about: 'Two hops away from WETH: its only pool is against WBTC.',
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

/** All tokens of the Polygon sandbox. */
export function polygonTokens(usdc: Address, wpol: Address, maker: Address): TokenPlan[] {
  return [
    {
      symbol: 'USDC',
      address: usdc,
      decimals: 6,
      usd: 1,
      about: "Circle's USD Coin, with EIP-3009. x402 payments use it.",
    },
    {
      symbol: 'WPOL',
      address: wpol,
      decimals: 18,
      usd: usdPrices.POL,
      about: 'Wrapped POL, the native currency.',
      placement: placeRenamedWrappedNative(wpol, 'Wrapped Polygon Ecosystem Token', 'WPOL'),
    },
    ...[...standIns, ...invented].map((token) => honestToken(token, maker)),
    ...oddTokens(maker),
  ];
}
