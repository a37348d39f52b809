import type { PoolPlan } from '../../sandbox/index.ts';

const kinds = [
  ...['uniswap-v2', 'sushiswap-v2', 'pancakeswap-v2', 'aerodrome'].map((venue) => ({ venue })),
  ...[100, 500, 3000, 10_000].map((tier) => ({ venue: 'uniswap-v3', tier })),
  ...[100, 500, 2500, 10_000].map((tier) => ({ venue: 'pancakeswap-v3', tier })),
  ...[500, 3000, 10_000].map((tier) => ({ venue: 'sushiswap-v3', tier })),
  ...[100, 500, 3000, 10_000].map((tier) => ({ venue: 'uniswap-v4', tier })),
];

/** Pools of a token with USDC and WETH on Base: pairs, concentrated pools of each tier, and v4 pools. */
export const poolsOnEachKind = (symbol: string, usd: number): PoolPlan[] =>
  kinds.flatMap((kind) =>
    (['USDC', 'WETH'] as const).map((other): PoolPlan => ({ ...kind, pair: [symbol, other], usd })),
  );
