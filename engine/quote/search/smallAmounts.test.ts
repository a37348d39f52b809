import { expect, test } from 'vitest';
import { poolOf, seededRandom, type TestToken, testTokens } from '../../../tests/support/engine/testMarket.ts';
import { swap } from '../../venues/models.ts';
import type { PoolState } from '../../venues/poolTypes.ts';
import { type Network, toNetwork } from './network.ts';
import { findSmallPath } from './smallAmounts.ts';

const { AERO, DAI, LT, USDC, WETH } = testTokens;
const tokens = [LT, WETH, DAI, AERO, USDC];

/** A pair without a fee; rounding decides between pools of so few units. */
function pair(a: TestToken, b: TestToken, reserve0: bigint, reserve1: bigint) {
  const state: PoolState = { kind: 'pair', rule: 'uniswap-v2', reserve0, reserve1, feePips: [0, 0] };
  return poolOf(state, a, b);
}

const networkOf = (pools: readonly ReturnType<typeof pair>[], amountIn: number) =>
  toNetwork(
    pools,
    LT.address,
    USDC.address,
    tokens.map(({ address }) => address),
    amountIn,
  );

/** The largest output, by exact swaps, of the routes of one to three hops that visit no token twice. */
function most({ tokens: addresses, edges }: Network, amountIn: bigint, excluded: ReadonlySet<string>): bigint {
  const follow = (visited: number[], amount: bigint): bigint => {
    const at = visited.at(-1) as number;
    if (at === addresses.length - 1) return amount;
    if (visited.length > 3) return 0n;
    let best = 0n;
    for (const { pool, from, to } of edges) {
      if (from !== at || visited.includes(to) || excluded.has(pool.ref.id)) continue;
      const amountOut = swap(pool.state, pool.ref.token0 === addresses[from], amount)?.amountOut;
      const paid = amountOut ? follow([...visited, to], amountOut) : 0n;
      if (paid > best) best = paid;
    }
    return best;
  };
  return follow([0], amountIn);
}

test('pays as much as the best of all routes of one to three hops', () => {
  const random = seededRandom(3);
  const pick = (count: number) => Math.floor(random() * count);
  const hops = [0, 0, 0, 0];
  for (let market = 0; market < 200; market++) {
    const pools = Array.from({ length: 4 + pick(8) }, () => {
      const first = pick(5);
      const second = (first + 1 + pick(4)) % 5;
      const reserves = [BigInt(50 + pick(5_000)), BigInt(50 + pick(5_000))] as const;
      return pair(tokens[first] as TestToken, tokens[second] as TestToken, ...reserves);
    });
    const amountIn = BigInt(10 + pick(500));
    const network = networkOf(pools, Number(amountIn));
    const excluded = new Set(pick(2) ? [(pools[0] as ReturnType<typeof pair>).ref.id as string] : []);
    const path = findSmallPath(network, amountIn, excluded);
    expect(BigInt(path?.amountOut ?? 0)).toBe(most(network, amountIn, excluded));
    hops[path?.edges.length ?? 0] = (hops[path?.edges.length ?? 0] as number) + 1;
  }
  expect(Math.min(...hops)).toBeGreaterThan(10);
});

test('returns the edges of the route, first to last', () => {
  const pools = [pair(LT, WETH, 1000n, 1000n), pair(WETH, DAI, 1000n, 1000n), pair(DAI, USDC, 1000n, 1000n)];
  const path = findSmallPath(networkOf(pools, 100), 100n, new Set());
  expect(path?.edges.map(({ pool }) => pool)).toEqual(pools);
  // 100 → floor(100,000 / 1,100) = 90 → floor(90,000 / 1,090) = 82 → floor(82,000 / 1,082) = 75.
  expect(path?.amountOut).toBe(75);
});

test('returns undefined if every route needs four hops or pays nothing', () => {
  const four = [[LT, WETH] as const, [WETH, DAI] as const, [DAI, AERO] as const, [AERO, USDC] as const];
  const network = networkOf(
    four.map(([a, b]) => pair(a, b, 1000n, 1000n)),
    100,
  );
  expect(findSmallPath(network, 100n, new Set())).toBeUndefined();
  expect(findSmallPath(networkOf([pair(LT, USDC, 1000n, 1n)], 100), 100n, new Set())).toBeUndefined();
});
