import type { PoolPlan, TokenPlan } from '../../sandbox/index.ts';
import { makerAddress } from '../../sandbox/index.ts';
import { unevenLiquidity } from '../../sandbox/market/unevenLiquidity.ts';
import { honestToken } from '../../sandbox/tokens/honestToken.ts';

/** A market with only Uniswap's venues, so that both sides can use every pool of the chain. */
export interface ProofMarket {
  name: string;
  tokens: readonly TokenPlan[];
  pools: readonly PoolPlan[];
  /** The token sold, and the token bought. */
  orders: readonly OrderPair[];
  sizesUsd: readonly number[];
}

/** The kind of a pair; the report has a row for each. */
export type PairKind = 'deep' | 'thin' | 'direct and hops' | 'hops only' | 'steps' | 'generated';

interface OrderPair {
  kind: PairKind;
  pair: readonly [string, string];
}

const pairs: readonly OrderPair[] = [
  { kind: 'deep', pair: ['WETH', 'USDC'] },
  { kind: 'deep', pair: ['cbBTC', 'USDC'] },
  { kind: 'deep', pair: ['USDT', 'WETH'] },
  { kind: 'direct and hops', pair: ['BROOK', 'USDC'] },
  { kind: 'direct and hops', pair: ['BROOK', 'WETH'] },
  { kind: 'hops only', pair: ['BROOK', 'DELTA'] },
  { kind: 'hops only', pair: ['DELTA', 'DAI'] },
  { kind: 'thin', pair: ['CREEK', 'WETH'] },
  { kind: 'thin', pair: ['CREEK', 'USDC'] },
  { kind: 'steps', pair: ['RAPID', 'USDC'] },
  { kind: 'steps', pair: ['RAPID', 'WETH'] },
];

const orders = pairs.flatMap(({ kind, pair: [from, to] }): OrderPair[] => [
  { kind, pair: [from, to] },
  { kind, pair: [to, from] },
]);
const sizesUsd = [500, 3_000, 20_000, 100_000, 500_000];

const token = (symbol: string, usd: number, decimals = 18) =>
  honestToken({ symbol, name: symbol, decimals, usd, about: 'For the proof.' }, makerAddress);

const tokens = [token('BROOK', 5), token('DELTA', 0.2), token('CREEK', 1.5, 8), token('RAPID', 25)];

const v2 = (first: string, second: string, usd: number, more: Partial<PoolPlan> = {}): PoolPlan => ({
  venue: 'uniswap-v2',
  pair: [first, second],
  usd,
  ...more,
});
const v3 = (first: string, second: string, tier: number, usd: number, more: Partial<PoolPlan> = {}): PoolPlan => ({
  ...v2(first, second, usd, more),
  venue: 'uniswap-v3',
  tier,
});
const v4 = (first: string, second: string, tier: number, usd: number, more: Partial<PoolPlan> = {}): PoolPlan => ({
  ...v3(first, second, tier, usd, more),
  venue: 'uniswap-v4',
});

const older: readonly PoolPlan[] = [
  v3('WETH', 'USDC', 500, 20_000_000),
  v3('WETH', 'USDC', 3000, 6_000_000, { skewBps: 8 }),
  v3('WETH', 'USDC', 100, 800_000, { skewBps: 1, range: [0.9, 1.1] }),
  v2('WETH', 'USDC', 1_500_000, { skewBps: -5 }),
  v3('cbBTC', 'USDC', 500, 8_000_000),
  v3('cbBTC', 'WETH', 3000, 5_000_000),
  v3('cbBTC', 'WETH', 500, 2_000_000, { skewBps: 3 }),
  v3('USDT', 'USDC', 100, 6_000_000),
  v3('USDT', 'WETH', 500, 2_000_000, { skewBps: -2 }),
  v2('USDT', 'WETH', 400_000, { skewBps: 6 }),
  v3('DAI', 'USDC', 100, 3_000_000),
  v3('DAI', 'WETH', 3000, 1_000_000, { skewBps: 4 }),
  v3('BROOK', 'WETH', 3000, 2_000_000),
  v2('BROOK', 'WETH', 700_000, { skewBps: 10 }),
  v3('BROOK', 'USDC', 3000, 900_000, { skewBps: -12 }),
  v3('BROOK', 'USDC', 10_000, 400_000, { skewBps: 25, range: [0.7, 1.4] }),
  v3('DELTA', 'WETH', 3000, 500_000, { skewBps: -8 }),
  v3('DELTA', 'USDC', 10_000, 300_000, { skewBps: 20 }),
  v3('DELTA', 'cbBTC', 3000, 350_000),
  v2('CREEK', 'WETH', 60_000, { skewBps: -20 }),
  v3('CREEK', 'WETH', 10_000, 45_000, { skewBps: 30 }),
  v2('CREEK', 'USDC', 25_000, { skewBps: 15 }),
  v3('RAPID', 'WETH', 3000, 60_000, unevenLiquidity),
  v3('RAPID', 'USDC', 500, 60_000, { ...unevenLiquidity, skewBps: -6 }),
  v2('RAPID', 'USDC', 120_000, { skewBps: 12 }),
];

const newer: readonly PoolPlan[] = [
  v4('WETH', 'USDC', 500, 9_000_000, { skewBps: -1 }),
  v4('WETH', 'USDC', 3000, 3_000_000, { skewBps: 5 }),
  v4('cbBTC', 'WETH', 500, 3_000_000, { skewBps: -3 }),
  v4('USDT', 'USDC', 100, 2_000_000),
  v4('BROOK', 'WETH', 3000, 1_200_000, { skewBps: -5 }),
  v4('DELTA', 'USDC', 3000, 250_000, { skewBps: 10 }),
  v4('CREEK', 'WETH', 10_000, 50_000, { range: [0.6, 1.6] }),
  v4('RAPID', 'WETH', 3000, 60_000, { ...unevenLiquidity, skewBps: 5 }),
];

export const markets: readonly ProofMarket[] = [
  { name: 'v2 and v3', tokens, pools: older, orders, sizesUsd },
  { name: 'v2, v3 and v4', tokens, pools: [...older, ...newer], orders, sizesUsd },
];
