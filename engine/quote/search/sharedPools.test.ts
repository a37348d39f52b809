import { type Address, concatHex } from 'viem';
import { expect, test } from 'vitest';
import { flowOf } from '../../../tests/support/engine/testFlow.ts';
import { pairState, poolOf, type TestToken, testTokens } from '../../../tests/support/engine/testMarket.ts';
import { toSearchQuery, unitsOf } from '../../../tests/support/engine/testQuery.ts';
import { contractOf } from '../../pools/contractOf.ts';
import type { WeightedState } from '../../venues/balancerV2/weighted.ts';
import { kinds } from '../../venues/kinds.ts';
import type { Pool } from '../../venues/poolTypes.ts';
import { fillPlan, statesOf } from './fillPlan.ts';
import type { Edge } from './network.ts';
import { searchPlan, sharedPools, withoutPools } from './searchPlan.ts';

const { LT, USDC, WETH } = testTokens;
const contract: Address = '0x00000000000000000000000000000000000b0001';

/** A pair of one weighted pool that holds half of its value in LT, and a quarter each in WETH and USDC. */
function pairOf(a: TestToken, b: TestToken, usd: number): Pool {
  const [first, second] = a.address < b.address ? [a, b] : [b, a];
  const share = (token: TestToken) => (token === LT ? 50n : 25n);
  const state: WeightedState = {
    kind: 'weighted',
    hasFastPowers: true,
    balance0: (unitsOf(usd, first) * share(first)) / 100n,
    balance1: (unitsOf(usd, second) * share(second)) / 100n,
    weight0: share(first) * 10n ** 16n,
    weight1: share(second) * 10n ** 16n,
    scale0: 10n ** BigInt(18 - first.decimals),
    scale1: 10n ** BigInt(18 - second.decimals),
    swapFee: 10n ** 15n,
    feePips: [1000, 1000],
  };
  const { ref } = poolOf(state, first, second);
  const id = concatHex([contract, ref.token0, ref.token1]);
  return {
    ref: { ...ref, id, candidatePool: { ...ref.candidatePool, family: 'balancer-v2', kind: kinds.weighted } },
    state,
  };
}

const market = (usd: number): Pool[] => [
  pairOf(LT, WETH, usd),
  pairOf(LT, USDC, usd),
  pairOf(WETH, USDC, usd),
  poolOf(pairState(WETH, USDC, 50_000_000, 0, 500), WETH, USDC),
  poolOf(pairState(LT, USDC, 100_000, -20, 3000), LT, USDC),
];

test.each([2_000, 20_000, 100_000])('an order of %i USD has at most one leg in each weighted pool', (usd) => {
  const pools = market(1_000_000);
  const result = searchPlan(toSearchQuery(pools, LT, USDC, usd));
  const contracts = result.best?.legs.map(({ pool }) => contractOf(pool)) ?? [];
  expect(contracts).toContain(contract);
  expect(new Set(contracts).size).toBe(contracts.length);
  const singleContracts = new Set(result.single?.legs.map(({ pool }) => contractOf(pool)));
  expect(result.runnerUp?.legs.some(({ pool }) => singleContracts.has(contractOf(pool)))).toBe(false);
  // The other pools take part of a large order.
  if (usd > 2_000) expect(result.best?.amountOut).toBeGreaterThan(result.single?.amountOut ?? 0n);
  // Two legs in one pool would be computed like legs in separate pools, whose output is higher.
  const twice = searchPlan(toSearchQuery(pools.map(asSeparatePool), LT, USDC, usd));
  expect(twice.best?.amountOut).toBeGreaterThanOrEqual(result.best?.amountOut ?? 0n);
});

function asSeparatePool(pool: Pool, index: number): Pool {
  const id = concatHex([`0x${(index + 1).toString(16).padStart(40, '0')}`, pool.ref.token0, pool.ref.token1]);
  return pool.state.kind === 'weighted' ? { ...pool, ref: { ...pool.ref, id } } : pool;
}

test('a plan over two pairs of one weighted pool has no computed result', () => {
  const pools = market(1_000_000);
  const [first, second, , deep] = pools.map(({ ref }) => ref) as [Pool['ref'], Pool['ref'], Pool['ref'], Pool['ref']];
  const legs = [
    { pool: first, tokenIn: LT.address, tokenOut: WETH.address, shareBps: 5000 },
    { pool: second, tokenIn: LT.address, tokenOut: USDC.address, shareBps: 5000 },
    { pool: deep, tokenIn: WETH.address, tokenOut: USDC.address, shareBps: 10_000 },
  ];
  const plan = { tokenIn: LT.address, tokenOut: USDC.address, amountIn: unitsOf(10_000, LT) };
  expect(fillPlan({ ...plan, legs }, statesOf(pools))).toBeUndefined();
  const [leg] = legs;
  const rest = legs.slice(2);
  expect(fillPlan({ ...plan, legs: [{ ...leg, shareBps: 10_000 } as never, ...rest] }, statesOf(pools))).toBeDefined();
});

test('of the pairs of one pool, the one that sells the most value stays', () => {
  // A and B are pairs of one pool. A sells 4,000 of tokenIn, which buy 400; B sells all 1,000 that A and another pool buy.
  const legs = [
    { from: 0, to: 1, share: 0.4, price: 0.1, depth: 1e30 },
    { from: 0, to: 1, share: 0.6, price: 0.1, depth: 1e30 },
    { from: 1, to: 2, share: 1, depth: 1e30 },
  ];
  const flow = flowOf(legs, 10_000, 2);
  const [a, other, b] = flow.graph.edges as [Edge, Edge, Edge];
  for (const edge of [a, b]) {
    const { ref } = edge.pool;
    const id = concatHex([contract, ref.token0, `0x${String(edge.index).padStart(40, '0')}`]);
    Object.assign(ref, { id, candidatePool: { ...ref.candidatePool, family: 'balancer-v2', kind: kinds.weighted } });
  }
  const dropped = sharedPools(flow);
  expect(dropped).toEqual(new Set([a.pool.ref.id]));
  const { tokens, edges, work } = flow.graph;
  const between = tokens.map((_, from) =>
    tokens.map((__, to) => edges.filter((edge) => edge.from === from && edge.to === to)),
  );
  const rest = withoutPools({ tokens, edges, work, between }, dropped);
  expect(rest.edges).toEqual([other, b]);
  expect([rest.between[0]?.[1], rest.between[1]?.[2]]).toEqual([[other], [b]]);
});
