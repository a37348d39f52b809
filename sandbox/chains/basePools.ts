import type { PoolPlan } from '../chainPlan.ts';
import { unevenLiquidity } from '../market/unevenLiquidity.ts';
import { oddPools } from '../tokens/oddTokens.ts';

/** Pairs with pools on several venues. Depths differ widely, prices by less than the fees. */
const contested: readonly PoolPlan[] = [
  { venue: 'uniswap-v2', pair: ['WETH', 'USDC'], usd: 1_500_000, skewBps: -5 },
  { venue: 'uniswap-v3', pair: ['WETH', 'USDC'], usd: 20_000_000, tier: 500 },
  { venue: 'uniswap-v3', pair: ['WETH', 'USDC'], usd: 6_000_000, tier: 3000, skewBps: 8 },
  { venue: 'uniswap-v4', pair: ['WETH', 'USDC'], usd: 3_000_000, tier: 3000, skewBps: 5 },
  { venue: 'uniswap-v4', pair: ['WETH', 'USDC'], usd: 9_000_000, tier: 500, native: true, skewBps: -1 },
  { venue: 'uniswap-v4', pair: ['WETH', 'USDC'], usd: 2_000_000, tier: 500, hook: 'takes-fee' },
  { venue: 'uniswap-v4', pair: ['WETH', 'USDC'], usd: 2_500_000, tier: 3000, hook: 'dynamic-fee', skewBps: 3 },
  { venue: 'aerodrome', pair: ['WETH', 'USDC'], usd: 5_000_000, skewBps: -10 },
  { venue: 'aerodrome-slipstream', pair: ['WETH', 'USDC'], usd: 12_000_000, tier: 100, skewBps: 1 },
  { venue: 'aerodrome-slipstream', pair: ['WETH', 'USDC'], usd: 7_000_000, tier: 100, generation: 2, skewBps: -2 },
  { venue: 'aerodrome-slipstream', pair: ['WETH', 'USDC'], usd: 1_000_000, tier: 100, generation: 3 },
  { venue: 'pancakeswap-v3', pair: ['WETH', 'USDC'], usd: 600_000, tier: 100, skewBps: 1 },
  { venue: 'pancakeswap-v3', pair: ['WETH', 'USDC'], usd: 4_000_000, tier: 500, skewBps: 2 },
  { venue: 'pancakeswap-v2', pair: ['WETH', 'USDC'], usd: 300_000, skewBps: -8 },
  { venue: 'sushiswap-v2', pair: ['WETH', 'USDC'], usd: 200_000, skewBps: 6 },
  { venue: 'sushiswap-v3', pair: ['WETH', 'USDC'], usd: 800_000, tier: 500, skewBps: 1 },
  { venue: 'uniswap-v2', pair: ['BIRCH', 'WETH'], usd: 300_000, skewBps: 12 },
  { venue: 'uniswap-v3', pair: ['BIRCH', 'USDC'], usd: 250_000, tier: 10000, skewBps: -30 },
  { venue: 'aerodrome', pair: ['BIRCH', 'WETH'], usd: 350_000, skewBps: -12 },
];

/** Bitcoin and dollar tokens: intermediate tokens of two-hop routes. */
const bridges: readonly PoolPlan[] = [
  { venue: 'aerodrome-slipstream', pair: ['cbBTC', 'USDC'], usd: 8_000_000, tier: 100 },
  { venue: 'uniswap-v3', pair: ['cbBTC', 'WETH'], usd: 5_000_000, tier: 3000 },
  { venue: 'aerodrome', pair: ['USDT', 'USDC'], usd: 4_000_000, stable: true },
  { venue: 'aerodrome', pair: ['DAI', 'USDC'], usd: 3_000_000, stable: true },
  { venue: 'aerodrome', pair: ['PEG', 'USDC'], usd: 900_000, stable: true },
  { venue: 'uniswap-v3', pair: ['USDT', 'USDC'], usd: 6_000_000, tier: 100 },
  { venue: 'aerodrome', pair: ['AERO', 'USDC'], usd: 2_000_000 },
  { venue: 'aerodrome', pair: ['AERO', 'WETH'], usd: 900_000, skewBps: 10 },
];

/** Pools of tokens that only one venue family trades. */
const singleFamily: readonly PoolPlan[] = [
  { venue: 'uniswap-v2', pair: ['OAK', 'USDC'], usd: 400_000 },
  { venue: 'uniswap-v3', pair: ['ELM', 'WETH'], usd: 800_000, tier: 3000 },
  { venue: 'uniswap-v4', pair: ['ASH', 'WETH'], usd: 500_000, tier: 3000, native: true },
  { venue: 'uniswap-v4', pair: ['LARCH', 'USDC'], usd: 300_000, tier: 3000, hook: 'takes-fee' },
  { venue: 'aerodrome', pair: ['FIR', 'WETH'], usd: 600_000 },
  { venue: 'aerodrome-slipstream', pair: ['IVY', 'USDC'], usd: 700_000, tier: 200, generation: 2 },
  { venue: 'pancakeswap-v3', pair: ['YEW', 'WETH'], usd: 450_000, tier: 2500 },
  { venue: 'pancakeswap-v2', pair: ['PINE', 'WETH'], usd: 150_000 },
  { venue: 'quickswap-v4', pair: ['PALM', 'USDC'], usd: 250_000 },
  { venue: 'sushiswap-v2', pair: ['RUSH', 'USDC'], usd: 120_000 },
  { venue: 'sushiswap-v3', pair: ['SEDGE', 'WETH'], usd: 220_000, tier: 3000 },
];

/** A token two hops away, one with a narrow range, and one without liquidity at its price. */
const hardCases: readonly PoolPlan[] = [
  { venue: 'aerodrome-slipstream', pair: ['MOSS', 'cbBTC'], usd: 400_000, tier: 200 },
  { venue: 'uniswap-v3', pair: ['REED', 'USDC'], usd: 500_000, tier: 3000, range: [0.97, 1.03] },
  { venue: 'uniswap-v3', pair: ['DUST', 'USDC'], usd: 500_000, tier: 3000, range: [1.5, 2.5] },
];

/** Stepped liquidity: orders cross position edges and empty gaps. */
const stepped: readonly PoolPlan[] = [
  { venue: 'uniswap-v3', pair: ['THORN', 'WETH'], usd: 60_000, tier: 3000, ...unevenLiquidity },
  { venue: 'aerodrome-slipstream', pair: ['THORN', 'USDC'], usd: 60_000, tier: 200, ...unevenLiquidity },
  { venue: 'pancakeswap-v3', pair: ['THORN', 'WETH'], usd: 60_000, tier: 2500, ...unevenLiquidity },
  { venue: 'quickswap-v4', pair: ['PALM', 'WETH'], usd: 60_000, ...unevenLiquidity },
  { venue: 'uniswap-v4', pair: ['THORN', 'USDC'], usd: 60_000, tier: 500, ...unevenLiquidity },
  { venue: 'uniswap-v4', pair: ['THORN', 'WETH'], usd: 60_000, tier: 3000, native: true, ...unevenLiquidity },
];

export const basePools: readonly PoolPlan[] = [
  ...contested,
  ...bridges,
  ...singleFamily,
  ...hardCases,
  ...stepped,
  ...oddPools,
];
