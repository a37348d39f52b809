import { padHex, toHex } from 'viem';
import { toLowerAddress } from '../../../engine/lowerAddress.ts';
import type { SearchQuery } from '../../../engine/quote/search/searchPlan.ts';
import type { Pool } from '../../../engine/venues/poolTypes.ts';
import { concentratedState, type Position, pairState, poolOf, type TestToken } from './testMarket.ts';

type Random = () => number;

const between = (random: Random, from: number, to: number) => from * (to / from) ** random();
const pick = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;

export const shapes = ['thin crowd', 'correlated prices', 'one-sided', 'gaps', 'plain'] as const;
export type Shape = (typeof shapes)[number];

const tiers = [
  [100, 1],
  [500, 10],
  [3000, 60],
  [10_000, 200],
] as const;

function positionsOf(shape: Shape, usd: number, random: Random): Position[] {
  if (shape === 'one-sided') {
    if (random() < 0.5) return [{ usd, range: [0.3, 1.0005] }];
    return [
      { usd, range: [0.9995, 3] },
      { usd: usd / 5, range: [0.97, 1.03] },
    ];
  }
  if (shape === 'gaps') {
    return [
      { usd: usd / 3, range: [0.995, 1.005] },
      { usd, range: [0.7, 0.9] },
      { usd, range: [1.1, 1.4] },
    ];
  }
  const narrow = () => between(random, 0.004, 0.2);
  return [
    { usd, range: [0.2, 5] },
    { usd: usd * between(random, 0.2, 2), range: [1 / (1 + narrow()), 1 + narrow()] },
  ];
}

/** A pool of a generated market, between two of its tokens. */
export interface StructuredPool {
  /** Indices of the tokens; the lower one first. */
  pair: readonly [number, number];
  /** US dollars on each side. */
  usd: number;
  /** How much the price of the first token is above the market's. */
  skewBps: number;
  feePips: number;
  /** Undefined for a constant-product pair. */
  concentrated?: { tickSpacing: number; positions: readonly Position[] };
}

/** Pools of one shape. Any two tokens can have some, so that the best routes need any order of tokens. */
export function structuredPools(random: Random, shape: Shape, tokens: number): StructuredPool[] {
  // In such a market a token has another price than elsewhere in all of its pools.
  const offsets = Array.from({ length: tokens }, () => (shape === 'correlated prices' ? (random() - 0.5) * 60 : 0));
  const density = 0.35 + random() * 0.6;
  const pools: StructuredPool[] = [];
  for (const at of offsets.keys()) {
    for (const place of offsets.keys()) {
      if (place <= at || random() > density) continue;
      const count = 1 + Math.floor(random() * (shape === 'thin crowd' ? 8 : 3));
      for (let index = 0; index < count; index++) {
        const skewBps = (offsets[at] as number) - (offsets[place] as number) + (random() - 0.5) * 10;
        pools.push({ pair: [at, place], skewBps, ...liquidityOf(shape, random) });
      }
    }
  }
  return pools;
}

function liquidityOf(shape: Shape, random: Random): Pick<StructuredPool, 'usd' | 'feePips' | 'concentrated'> {
  const usd = shape === 'thin crowd' ? between(random, 2e3, 6e4) : between(random, 1e4, 5e6);
  if (random() < 0.45) return { usd, feePips: pick(random, [500, 2500, 3000]) };
  const [feePips, tickSpacing] = pick(random, tiers);
  return { usd, feePips, concentrated: { tickSpacing, positions: positionsOf(shape, usd, random) } };
}

/** Four to eight tokens of equal rank, and their pools. */
function structuredMarket(random: Random) {
  const shape = pick(random, shapes);
  const tokens = Array.from({ length: 4 + Math.floor(random() * 5) }, (_, index): TestToken => {
    const address = toLowerAddress(padHex(toHex(0x100 + Math.floor(random() * 0xffff) * 32 + index), { size: 20 }));
    return { address, usd: between(random, 0.01, 4000), decimals: pick(random, [18, 18, 8, 6]) };
  });
  const pools = structuredPools(random, shape, tokens.length).map((pool) => toPool(pool, tokens));
  return { shape, tokens, pools };
}

function toPool({ pair, usd, skewBps, feePips, concentrated }: StructuredPool, tokens: readonly TestToken[]): Pool {
  const [a, b] = pair.map((index) => tokens[index]) as [TestToken, TestToken];
  const skew = a.address < b.address ? skewBps : -skewBps;
  const state = concentrated
    ? concentratedState(a, b, skew, feePips, concentrated.tickSpacing, concentrated.positions)
    : pairState(a, b, usd, skew, feePips);
  return poolOf(state, a, b);
}

export interface StructuredQuery {
  shape: Shape;
  usd: number;
  query: SearchQuery & { gasPrice: number };
}

/** Orders of these sizes in markets whose structure differs from `randomMarket`. Gas costs 0.02 gwei at 3,200 USD. */
export function structuredQueries(random: Random, markets: number, sizes: readonly number[]): StructuredQuery[] {
  return Array.from({ length: markets }, () => {
    const { shape, tokens, pools } = structuredMarket(random);
    const [from, to] = [tokens[0] as TestToken, tokens[1] as TestToken];
    return sizes.map((usd) => ({
      shape,
      usd,
      query: {
        pools,
        tokenIn: from.address,
        tokenOut: to.address,
        amountIn: (BigInt(Math.round((usd / from.usd) * 1e6)) * 10n ** BigInt(from.decimals)) / 1_000_000n,
        routingTokens: tokens.map(({ address }) => address),
        gasPrice: ((0.02e-9 * 3200) / to.usd) * 10 ** to.decimals,
      },
    }));
  }).flat();
}
