import type { SearchQuery } from '../../../engine/quote/search/searchPlan.ts';
import type { Pool } from '../../../engine/venues/poolTypes.ts';
import { concentratedState, pairState, poolOf, type TestToken, testTokens } from './testMarket.ts';
import { toSearchQuery } from './testQuery.ts';

const { LT, USDC, WETH, AERO, DAI } = testTokens;

/** A weighted pool with `usd` of both tokens together, of which `part` is the first token's weight. */
function weightedPool(a: TestToken, b: TestToken, usd: number, part: number, skewBps: number): Pool {
  const [first, second] = a.address < b.address ? [a, b] : [b, a];
  const weightOf = (token: TestToken) => (token === a ? part : 1 - part);
  const balanceOf = (token: TestToken, value: number) => BigInt(Math.floor((value / token.usd) * 10 ** token.decimals));
  const state = {
    kind: 'weighted',
    hasFastPowers: true,
    balance0: balanceOf(first, usd * weightOf(first)),
    balance1: balanceOf(second, usd * weightOf(second) * (1 + skewBps / 10_000)),
    weight0: BigInt(Math.round(weightOf(first) * 100)) * 10n ** 16n,
    weight1: BigInt(Math.round(weightOf(second) * 100)) * 10n ** 16n,
    scale0: 10n ** BigInt(18 - first.decimals),
    scale1: 10n ** BigInt(18 - second.decimals),
    swapFee: 3n * 10n ** 15n,
    feePips: [3000, 3000],
  } as const;
  return poolOf(state, a, b);
}

/** 15 to 25 pools, most of which take a limited amount: weighted pools, and concentrated ones whose liquidity ends. */
function cappedMarket(random: () => number): Pool[] {
  const between = (from: number, to: number) => from * (to / from) ** random();
  const pick = (count: number) => Math.floor(random() * count);
  const add = (a: TestToken, b: TestToken, usd: number, skew: number): Pool => {
    const skewBps = (random() - 0.5) * 2 * skew;
    const kind = random();
    if (kind < 0.4) return weightedPool(a, b, usd, [0.2, 0.5, 0.5, 0.8][pick(4)] as number, skewBps);
    if (kind < 0.5) return poolOf(pairState(a, b, usd / 2, skewBps, 3000), a, b);
    const [fee, spacing] = (
      [
        [500, 10],
        [3000, 60],
        [10_000, 200],
      ] as const
    )[pick(3)] as readonly [number, number];
    const positions = Array.from({ length: 1 + pick(3) }, () => {
      const half = between(0.005, 0.15);
      return { usd: usd * between(0.05, 0.5), range: [1 / (1 + half), 1 + half] as const };
    });
    return poolOf(concentratedState(a, b, skewBps, fee, spacing, positions), a, b);
  };
  const pools: Pool[] = [];
  const list = (a: TestToken, b: TestToken, count: number, least: number, most: number, skew: number) => {
    for (let at = 0; at < count; at++) pools.push(add(a, b, between(least, most), skew));
  };
  list(LT, USDC, 3 + pick(4), 1e4, 4e5, 150);
  list(LT, WETH, 3 + pick(4), 1e4, 4e5, 150);
  list(LT, AERO, 1 + pick(3), 1e4, 2e5, 150);
  list(WETH, USDC, 3 + pick(3), 5e4, 2e6, 30);
  list(WETH, AERO, 1 + pick(2), 2e4, 5e5, 60);
  list(USDC, AERO, 1 + pick(2), 2e4, 5e5, 60);
  list(USDC, DAI, 2 + pick(2), 5e4, 1e6, 10);
  list(LT, DAI, pick(2), 1e4, 2e5, 150);
  return pools;
}

const pairs = [
  [LT, USDC],
  [USDC, LT],
  [LT, WETH],
  [WETH, LT],
  [LT, DAI],
  [DAI, LT],
] as const;

/** Orders over capped markets, from 500 to 500,000 USD, at base fees from 0.01 to 10 gwei. */
export function cappedQueries(random: () => number, markets: number): SearchQuery[] {
  return Array.from({ length: markets }, () => {
    const pools = cappedMarket(random);
    return Array.from({ length: 6 }, () => {
      const [from, to] = pairs[Math.floor(random() * pairs.length)] ?? pairs[0];
      const query = toSearchQuery(pools, from, to, Math.round(500 * 1000 ** random()));
      return { ...query, gasPrice: (query.gasPrice as number) * 0.5 * 1000 ** random() };
    });
  }).flat();
}
