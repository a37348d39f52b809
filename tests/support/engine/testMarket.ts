import { padHex, toHex } from 'viem';
import { type LowerAddress, toLowerAddress } from '../../../engine/lowerAddress.ts';
import { toCurve } from '../../../engine/quote/search/curve.ts';
import type { Pool, PoolState } from '../../../engine/venues/poolTypes.ts';
import type { ConcentratedState, Tick } from '../../../engine/venues/uniswapV3/concentrated.ts';

/** A token of a generated market. */
export interface TestToken {
  address: LowerAddress;
  usd: number;
  decimals: number;
}

/** A seeded generator of numbers from 0 to 1 (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const token = (number: number, usd: number, decimals: number): TestToken => ({
  address: toLowerAddress(padHex(toHex(number), { size: 20 })),
  usd,
  decimals,
});

/** Addresses define the order of tokens in pools; LT lies between the others, so that both orders occur. */
export const testTokens = {
  AERO: token(0x10, 0.9, 18),
  LT: token(0x20, 0.037, 18),
  USDC: token(0x30, 1, 6),
  WETH: token(0x40, 3200, 18),
  DAI: token(0x50, 1, 18),
};

type Name = keyof typeof testTokens;

let lastPool = 0;
export function poolOf(state: PoolState, a: TestToken, b: TestToken): Pool {
  const [token0, token1] = a.address < b.address ? [a.address, b.address] : [b.address, a.address];
  const id = toLowerAddress(padHex(toHex(0x1000 + lastPool++), { size: 20 }));
  const candidatePool = {
    family: 'uniswap-v3',
    venue: 'test',
    kind: 2,
    factory: id,
    fee: 0,
    tickSpacing: 1,
    hooks: id,
  } as const;
  return { ref: { candidatePool, id, token0, token1 }, state };
}

/** A pair with `usd` on each side, at a price that differs from the market by `skewBps`. */
export function pairState(a: TestToken, b: TestToken, usd: number, skewBps: number, feePips: number): PoolState {
  const [first, second] = a.address < b.address ? [a, b] : [b, a];
  const reserve = ({ usd: price, decimals }: TestToken, value: number) =>
    BigInt(Math.floor((value / price) * 10 ** decimals));
  return {
    kind: 'pair',
    rule: 'uniswap-v2',
    reserve0: reserve(first, usd),
    reserve1: reserve(second, usd * (1 + skewBps / 10_000)),
    feePips: [feePips, feePips],
  };
}

/** Liquidity of about `usd` on each side, between two prices relative to the pool's price. */
export interface Position {
  usd: number;
  range: readonly [number, number];
}

const two96 = 2 ** 96;

export function concentratedState(
  a: TestToken,
  b: TestToken,
  skewBps: number,
  feePips: number,
  tickSpacing: number,
  positions: readonly Position[],
): ConcentratedState {
  const [first, second] = a.address < b.address ? [a, b] : [b, a];
  const price = (first.usd / second.usd) * 10 ** (second.decimals - first.decimals) * (1 + skewBps / 10_000);
  const root = Math.sqrt(price);
  const tick = Math.floor(Math.log(price) / Math.log(1.0001));
  const net = new Map<number, bigint>();
  let liquidity = 0n;
  const round = (value: number) => Math.floor(value / tickSpacing) * tickSpacing;
  for (const { usd, range } of positions) {
    const lower = round(tick + Math.log(range[0]) / Math.log(1.0001));
    const upper = Math.max(lower + tickSpacing, round(tick + Math.log(range[1]) / Math.log(1.0001)));
    const width = 1 - 1 / Math.sqrt(Math.max(range[1] / range[0], 1.0001)) ** 0.5;
    const amount0 = (usd / first.usd) * 10 ** first.decimals;
    const added = BigInt(Math.floor((amount0 * root) / width));
    net.set(lower, (net.get(lower) ?? 0n) + added);
    net.set(upper, (net.get(upper) ?? 0n) - added);
    if (lower <= tick && tick < upper) liquidity += added;
  }
  const ticks: Tick[] = [...net]
    .filter(([, liquidityNet]) => liquidityNet !== 0n)
    .map(([index, liquidityNet]) => ({ index, liquidityNet }))
    .sort((x, y) => x.index - y.index);
  return {
    kind: 'concentrated',
    rule: 'uniswap-v3',
    sqrtPriceX96: BigInt(Math.floor(root * two96)),
    tick,
    liquidity,
    tickSpacing,
    feePips: [feePips, feePips],
    ticks,
    knownFrom: -887_272,
    knownTo: 887_272,
  };
}

const tiers = [
  [100, 1],
  [500, 10],
  [3000, 60],
  [10_000, 200],
] as const;

/**
 * Pools of a long-tail token against WETH and USDC, deep pools between routing tokens, and three hops over AERO and
 * DAI.
 */
export function randomMarket(random: () => number): Pool[] {
  const pools: Pool[] = [];
  const between = (from: number, to: number) => from * (to / from) ** random();
  const pick = (count: number) => Math.floor(random() * count);
  const add = (first: Name, second: Name, usd: number, skew: number) => {
    const [a, b] = [testTokens[first], testTokens[second]];
    const skewBps = (random() - 0.5) * 2 * skew;
    if (random() < 0.3) {
      pools.push(poolOf(pairState(a, b, usd, skewBps, random() < 0.7 ? 3000 : 2500), a, b));
      return;
    }
    const [fee, spacing] = tiers[pick(4)] ?? tiers[0];
    const shape = random();
    const wide: Position = { usd, range: [0.2, 5] };
    const positions: Position[] = shape < 0.3 ? [] : [wide];
    if (shape < 0.7) {
      const count = 1 + pick(6);
      for (let at = 0; at < count; at++) {
        const middle = 1 + (random() - 0.5) * 0.1;
        const half = between(0.004, 0.4);
        positions.push({ usd: between(0.2, 3) * usd, range: [middle / (1 + half), middle * (1 + half)] });
      }
    }
    pools.push(poolOf(concentratedState(a, b, skewBps, fee, spacing, positions), a, b));
  };
  for (let at = 1 + pick(5); at > 0; at--) add('LT', 'WETH', between(2e4, 2e6), 30);
  for (let at = pick(4); at > 0; at--) add('LT', 'USDC', between(2e4, 1e6), 30);
  for (let at = pick(3); at > 0; at--) add('LT', 'AERO', between(2e4, 5e5), 30);
  for (let at = 3 + pick(5); at > 0; at--) add('WETH', 'USDC', between(2e5, 3e7), 8);
  for (let at = 1 + pick(3); at > 0; at--) add('WETH', 'AERO', between(1e5, 5e6), 15);
  for (let at = 1 + pick(3); at > 0; at--) add('USDC', 'AERO', between(1e5, 5e6), 15);
  for (let at = pick(3); at > 0; at--) add('WETH', 'DAI', between(1e5, 5e6), 8);
  for (let at = 1 + pick(2); at > 0; at--) add('USDC', 'DAI', between(1e6, 2e7), 2);
  return pools;
}

/** Counts how often a search evaluates these pools: the work of a search, independent of the machine. */
export function countEvaluations(pools: readonly Pool[]): { readonly count: number } {
  const evaluations = { count: 0 };
  for (const curve of pools.flatMap(({ state }) => [toCurve(state, true), toCurve(state, false)])) {
    if (!curve) continue;
    for (const name of ['pay', 'slope'] as const) {
      const evaluate = curve[name].bind(curve);
      curve[name] = (amountIn) => {
        evaluations.count++;
        return evaluate(amountIn);
      };
    }
  }
  return evaluations;
}
