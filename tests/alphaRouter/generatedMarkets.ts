import { makerAddress, type PoolPlan } from '../../sandbox/index.ts';
import { honestToken } from '../../sandbox/tokens/honestToken.ts';
import { type StructuredPool, shapes, structuredPools } from '../support/engine/testStructure.ts';
import type { ProofMarket } from './markets.ts';

/** Tokens that routes of both sides may pass. A market has the first three, and up to four of the others. */
const routingTokens = ['USDC', 'WETH', 'cbBTC', 'USDT', 'DAI', 'AERO', 'VIRTUAL'] as const;
/** A routing asset that the sandbox's Base lacks. */
const virtual = honestToken(
  {
    symbol: 'VIRTUAL',
    name: 'Virtual',
    address: '0x0b3e328455c4059EEb9e3f84b5543F74E24e7E1b',
    decimals: 18,
    usd: 0.5,
    about: 'Stands in for VIRTUAL.',
  },
  makerAddress,
);
/** The router prices the gas of v2 and of v3 by a pool of each. */
const gasPools: readonly PoolPlan[] = [
  { venue: 'uniswap-v2', pair: ['WETH', 'USDC'], usd: 1_000_000 },
  { venue: 'uniswap-v3', pair: ['WETH', 'USDC'], tier: 500, usd: 5_000_000 },
];

const sizesUsd = [300, 3_000, 40_000, 500_000];

/**
 * Markets of `structuredPools` with pools that Uniswap v2 and v3 can have: one v2 pair and one v3 pool of each fee for two
 * tokens. A v2 pair charges 0.3 %.
 */
export function generatedMarkets(random: () => number, count: number): ProofMarket[] {
  return Array.from({ length: count }, (_, index) => {
    const shape = shapes[Math.floor(random() * shapes.length)] ?? 'plain';
    const symbol = `SOLD${index}`;
    const decimals = [18, 18, 8, 6][Math.floor(random() * 4)] ?? 18;
    const usd = 0.01 * 400_000 ** random();
    const sold = honestToken({ symbol, name: symbol, decimals, usd, about: 'For the proof.' }, makerAddress);
    const symbols = [symbol, ...routingTokens.slice(0, 3 + Math.floor(random() * 5))];
    const pools = structuredPools(random, shape, symbols.length).map((pool) => toPlan(pool, symbols));
    return {
      name: `generated, ${shape}`,
      tokens: [sold, virtual],
      pools: [...new Map([...pools, ...gasPools].map((pool) => [keyOf(pool), pool])).values()],
      orders: [{ kind: 'generated', pair: [symbol, 'USDC'] }],
      sizesUsd,
    };
  });
}

const keyOf = ({ venue, pair, tier }: PoolPlan) => [venue, ...pair.toSorted(), tier].join();

function toPlan({ pair, usd, skewBps, feePips, concentrated }: StructuredPool, symbols: readonly string[]): PoolPlan {
  const named = pair.map((index) => symbols[index]) as [string, string];
  if (!concentrated) return { venue: 'uniswap-v2', pair: named, usd: Math.round(usd), skewBps };
  const [first, ...steps] = concentrated.positions.map((position) => ({ ...position, usd: fullRangeUsd(position) }));
  return { venue: 'uniswap-v3', pair: named, tier: feePips, skewBps, usd: 1, ...first, steps };
}

/** A plan states the depth of a full range with the same liquidity; a position states its own depth. */
const fullRangeUsd = ({ usd, range: [low, high] }: { usd: number; range: readonly [number, number] }) =>
  Math.ceil(usd / (1 - (low / high) ** 0.25));
