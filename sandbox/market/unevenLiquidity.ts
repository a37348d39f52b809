import type { PoolPlan } from '../chainPlan.ts';

/** Low liquidity over a wide range, more near the price, and two positions beyond empty gaps. */
export const unevenLiquidity: Pick<PoolPlan, 'range' | 'steps'> = {
  range: [0.6, 1.7],
  steps: [
    { usd: 400_000, range: [0.9, 1.12] },
    { usd: 1_500_000, range: [0.985, 1.01] },
    { usd: 300_000, range: [0.3, 0.45] },
    { usd: 250_000, range: [2.2, 3.5] },
  ],
};
