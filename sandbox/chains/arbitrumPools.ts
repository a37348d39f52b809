import type { PoolPlan } from '../chainPlan.ts';
import { unevenLiquidity } from '../market/unevenLiquidity.ts';
import { oddPools } from '../tokens/oddTokens.ts';

/** Pairs with pools on several venues. Depths differ widely, prices by less than the fees. */
const contested: readonly PoolPlan[] = [
  { venue: 'uniswap-v2', pair: ['WETH', 'USDC'], usd: 200_000, skewBps: -6 },
  { venue: 'uniswap-v3', pair: ['WETH', 'USDC'], usd: 15_000_000, tier: 500 },
  { venue: 'uniswap-v3', pair: ['WETH', 'USDC'], usd: 3_000_000, tier: 3000, skewBps: -7 },
  { venue: 'uniswap-v4', pair: ['WETH', 'USDC'], usd: 1_000_000, tier: 3000, skewBps: 6 },
  { venue: 'uniswap-v4', pair: ['WETH', 'USDC'], usd: 5_000_000, tier: 500, native: true, skewBps: 1 },
  { venue: 'uniswap-v4', pair: ['WETH', 'USDC'], usd: 900_000, tier: 500, hook: 'takes-fee' },
  { venue: 'uniswap-v4', pair: ['WETH', 'USDC'], usd: 800_000, tier: 3000, hook: 'dynamic-fee', skewBps: -3 },
  { venue: 'camelot-v3', pair: ['WETH', 'USDC'], usd: 4_000_000, skewBps: -1 },
  { venue: 'pancakeswap-v3', pair: ['WETH', 'USDC'], usd: 2_500_000, tier: 500, skewBps: 2 },
  { venue: 'pancakeswap-v3', pair: ['WETH', 'USDC'], usd: 400_000, tier: 100 },
  { venue: 'sushiswap-v2', pair: ['WETH', 'USDC'], usd: 350_000, skewBps: 8 },
  { venue: 'sushiswap-v3', pair: ['WETH', 'USDC'], usd: 600_000, tier: 500, skewBps: -2 },
];

/** Bitcoin, bridged USDC and ARB: intermediate tokens of two-hop routes. */
const bridges: readonly PoolPlan[] = [
  { venue: 'uniswap-v3', pair: ['WETH', 'USDC.e'], usd: 3_000_000, tier: 500 },
  { venue: 'uniswap-v3', pair: ['USDC.e', 'USDC'], usd: 4_000_000, tier: 100 },
  { venue: 'uniswap-v3', pair: ['USDT', 'USDC'], usd: 5_000_000, tier: 100 },
  { venue: 'uniswap-v3', pair: ['DAI', 'USDC'], usd: 2_000_000, tier: 100 },
  { venue: 'uniswap-v3', pair: ['WBTC', 'WETH'], usd: 6_000_000, tier: 500 },
  { venue: 'uniswap-v3', pair: ['ARB', 'WETH'], usd: 2_500_000, tier: 3000 },
  { venue: 'camelot-v3', pair: ['ARB', 'USDC'], usd: 1_500_000, skewBps: 5 },
  { venue: 'camelot-v3', pair: ['GRAIL', 'USDC'], usd: 300_000 },
];

/** Pools of tokens that only one venue family trades. */
const singleFamily: readonly PoolPlan[] = [
  { venue: 'uniswap-v2', pair: ['OAK', 'USDC'], usd: 200_000 },
  { venue: 'uniswap-v3', pair: ['ELM', 'WETH'], usd: 600_000, tier: 3000 },
  { venue: 'uniswap-v4', pair: ['ASH', 'WETH'], usd: 400_000, tier: 3000, native: true },
  { venue: 'uniswap-v4', pair: ['LARCH', 'USDC'], usd: 200_000, tier: 3000, hook: 'takes-fee' },
  { venue: 'camelot-v3', pair: ['HAZEL', 'WETH'], usd: 350_000 },
  { venue: 'pancakeswap-v3', pair: ['YEW', 'USDC'], usd: 250_000, tier: 2500 },
  { venue: 'sushiswap-v2', pair: ['RUSH', 'WETH'], usd: 140_000 },
  { venue: 'sushiswap-v3', pair: ['SEDGE', 'USDC'], usd: 180_000, tier: 3000 },
];

/** A token two hops away, one with a narrow range, and one without liquidity at its price. */
const hardCases: readonly PoolPlan[] = [
  { venue: 'camelot-v3', pair: ['MOSS', 'ARB'], usd: 200_000 },
  { venue: 'uniswap-v3', pair: ['REED', 'USDC'], usd: 300_000, tier: 3000, range: [0.97, 1.03] },
  { venue: 'uniswap-v3', pair: ['DUST', 'USDC'], usd: 300_000, tier: 3000, range: [1.5, 2.5] },
];

/** Stepped liquidity: orders cross position edges and empty gaps. */
const stepped: readonly PoolPlan[] = [
  { venue: 'uniswap-v3', pair: ['THORN', 'WETH'], usd: 60_000, tier: 3000, ...unevenLiquidity },
  { venue: 'camelot-v3', pair: ['THORN', 'USDC'], usd: 60_000, ...unevenLiquidity },
  { venue: 'pancakeswap-v3', pair: ['THORN', 'WETH'], usd: 60_000, tier: 2500, ...unevenLiquidity },
  { venue: 'sushiswap-v3', pair: ['THORN', 'USDC'], usd: 60_000, tier: 10000, ...unevenLiquidity },
  { venue: 'uniswap-v4', pair: ['THORN', 'WETH'], usd: 60_000, tier: 3000, native: true, ...unevenLiquidity },
];

export const arbitrumPools: readonly PoolPlan[] = [
  ...contested,
  ...bridges,
  ...singleFamily,
  ...hardCases,
  ...stepped,
  ...oddPools,
];
