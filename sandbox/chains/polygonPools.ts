import type { PoolPlan } from '../chainPlan.ts';
import { unevenLiquidity } from '../market/unevenLiquidity.ts';
import { oddPools } from '../tokens/oddTokens.ts';

/** Pairs with pools on several venues. Depths differ widely; prices differ by less than the fees. */
const contested: readonly PoolPlan[] = [
  { venue: 'uniswap-v2', pair: ['WETH', 'USDC'], usd: 250_000, skewBps: -6 },
  { venue: 'uniswap-v3', pair: ['WETH', 'USDC'], usd: 7_000_000, tier: 500 },
  { venue: 'uniswap-v4', pair: ['WETH', 'USDC'], usd: 1_500_000, tier: 500, skewBps: -1 },
  { venue: 'uniswap-v4', pair: ['WETH', 'USDC'], usd: 700_000, tier: 3000, hook: 'takes-fee', skewBps: 4 },
  { venue: 'uniswap-v4', pair: ['WETH', 'USDC'], usd: 600_000, tier: 3000, hook: 'dynamic-fee', skewBps: 3 },
  { venue: 'quickswap-v2', pair: ['WETH', 'USDC'], usd: 900_000, skewBps: 9 },
  { venue: 'quickswap-v3', pair: ['WETH', 'USDC'], usd: 3_000_000, skewBps: 1 },
  { venue: 'quickswap-v4', pair: ['WETH', 'USDC'], usd: 1_200_000, skewBps: -1 },
  { venue: 'sushiswap-v2', pair: ['WETH', 'USDC'], usd: 150_000, skewBps: 7 },
  { venue: 'sushiswap-v3', pair: ['WETH', 'USDC'], usd: 500_000, tier: 500, skewBps: 1 },
  { venue: 'uniswap-v4', pair: ['WPOL', 'USDC'], usd: 1_000_000, tier: 500, native: true },
  { venue: 'uniswap-v3', pair: ['WPOL', 'USDC'], usd: 2_500_000, tier: 500, skewBps: 1 },
  { venue: 'quickswap-v3', pair: ['WPOL', 'USDC'], usd: 2_000_000, skewBps: -1 },
  { venue: 'quickswap-v2', pair: ['WPOL', 'WETH'], usd: 700_000 },
  { venue: 'uniswap-v3', pair: ['WPOL', 'WETH'], usd: 1_800_000, tier: 3000, skewBps: 5 },
];

/** Pools of bridged USDC, stablecoins, WBTC and QUICK: intermediate tokens of routes. */
const bridges: readonly PoolPlan[] = [
  { venue: 'uniswap-v3', pair: ['USDC.e', 'WETH'], usd: 4_000_000, tier: 500 },
  { venue: 'uniswap-v3', pair: ['USDC.e', 'USDC'], usd: 5_000_000, tier: 100 },
  { venue: 'quickswap-v2', pair: ['WPOL', 'USDC.e'], usd: 800_000 },
  { venue: 'quickswap-v3', pair: ['USDT', 'USDC'], usd: 3_000_000 },
  { venue: 'uniswap-v3', pair: ['DAI', 'USDC'], usd: 2_000_000, tier: 100 },
  { venue: 'uniswap-v3', pair: ['WBTC', 'WETH'], usd: 3_000_000, tier: 500 },
  { venue: 'quickswap-v2', pair: ['QUICK', 'WPOL'], usd: 300_000 },
];

/** Pools of tokens that only one venue family trades. */
const singleFamily: readonly PoolPlan[] = [
  { venue: 'uniswap-v2', pair: ['OAK', 'USDC'], usd: 200_000 },
  { venue: 'uniswap-v3', pair: ['ELM', 'WETH'], usd: 500_000, tier: 3000 },
  { venue: 'uniswap-v4', pair: ['ASH', 'WPOL'], usd: 300_000, tier: 3000, native: true },
  { venue: 'uniswap-v4', pair: ['LARCH', 'USDC'], usd: 200_000, tier: 3000, hook: 'takes-fee' },
  { venue: 'quickswap-v2', pair: ['TEAK', 'WPOL'], usd: 180_000 },
  { venue: 'quickswap-v3', pair: ['FIG', 'USDC'], usd: 400_000 },
  { venue: 'quickswap-v4', pair: ['PALM', 'WPOL'], usd: 250_000 },
  { venue: 'sushiswap-v2', pair: ['RUSH', 'WETH'], usd: 120_000 },
  { venue: 'sushiswap-v3', pair: ['SEDGE', 'WPOL'], usd: 160_000, tier: 3000 },
];

/** A token two hops away, one with a narrow range, and one without liquidity at its price. */
const hardCases: readonly PoolPlan[] = [
  { venue: 'quickswap-v3', pair: ['MOSS', 'WBTC'], usd: 200_000 },
  { venue: 'uniswap-v3', pair: ['REED', 'USDC'], usd: 300_000, tier: 3000, range: [0.97, 1.03] },
  { venue: 'uniswap-v3', pair: ['DUST', 'USDC'], usd: 300_000, tier: 3000, range: [1.5, 2.5] },
];

/** Stepped liquidity: orders cross position edges and empty gaps. */
const stepped: readonly PoolPlan[] = [
  { venue: 'uniswap-v3', pair: ['THORN', 'WETH'], usd: 60_000, tier: 3000, ...unevenLiquidity },
  { venue: 'quickswap-v3', pair: ['THORN', 'USDC'], usd: 60_000, ...unevenLiquidity },
  { venue: 'quickswap-v4', pair: ['THORN', 'WPOL'], usd: 60_000, ...unevenLiquidity },
  { venue: 'uniswap-v4', pair: ['THORN', 'USDC'], usd: 60_000, tier: 500, ...unevenLiquidity },
];

export const polygonPools: readonly PoolPlan[] = [
  ...contested,
  ...bridges,
  ...singleFamily,
  ...hardCases,
  ...stepped,
  ...oddPools,
];
