import { type Address, concatHex, numberToHex } from 'viem';
import { expect, test } from 'vitest';
import { flowOf, type TestLeg } from '../../../tests/support/engine/testFlow.ts';
import { pairState, poolOf, testTokens } from '../../../tests/support/engine/testMarket.ts';
import { kinds } from '../../venues/kinds.ts';
import { toNetwork } from './network.ts';
import { sharedPools, withoutPools } from './searchPlan.ts';

const { LT, USDC, WETH } = testTokens;
const [first, second]: Address[] = [
  '0x00000000000000000000000000000000000b0001',
  '0x00000000000000000000000000000000000b0002',
];

/** The indices of the legs that are dropped. `contract` makes a leg a pair of that weighted pool. */
function dropped(legs: readonly (TestLeg & { contract?: Address | undefined })[], last = 1): number[] {
  const flow = flowOf(legs, 1000, last);
  const edges = [...flow.used];
  for (const edge of edges) {
    const contract = legs[edge.index]?.contract;
    if (!contract) continue;
    const { ref, state } = edge.pool;
    const id = concatHex([contract, numberToHex(edge.index, { size: 20 }), ref.token1]);
    const candidatePool = { ...ref.candidatePool, family: 'balancer-v2', kind: kinds.weighted } as const;
    edge.pool = { ref: { ...ref, id, candidatePool }, state };
  }
  const ids = sharedPools(flow);
  return edges.filter(({ pool }) => ids.has(pool.ref.id)).map(({ index }) => index);
}

test('keeps all legs if no two are pairs of one pool', () => {
  expect(dropped([{ share: 0.5 }, { share: 0.5 }])).toEqual([]);
  expect(dropped([{ share: 0.5, contract: first }, { share: 0.3, contract: second }, { share: 0.2 }])).toEqual([]);
});

test('keeps the pair of a pool that sells most, and the legs in other pools', () => {
  const of = (...shares: number[]) =>
    shares.map((share, index) => ({ share, contract: index < 3 ? first : index < 4 ? second : undefined }));
  expect(dropped(of(0.4, 0.1, 0.2, 0.1, 0.2))).toEqual([1, 2]);
  expect(dropped(of(0.1, 0.4, 0.2, 0.1, 0.2))).toEqual([0, 2]);
  expect(dropped(of(0.1, 0.2, 0.4, 0.1, 0.2))).toEqual([0, 1]);
});

test('of equal pairs keeps the first', () => {
  expect(
    dropped([
      { share: 0.5, contract: first },
      { share: 0.5, contract: first },
    ]),
  ).toEqual([1]);
});

test('compares the pairs by the value that they sell, not by the units', () => {
  // The last leg sells about 40,000 units of a token worth 0.01 each, the first 600 units worth 1 each.
  const legs = [
    { share: 0.6, from: 0, to: 2, contract: first },
    { share: 0.4, from: 0, to: 1, price: 100 },
    { share: 1, from: 1, to: 2, price: 0.01, contract: first },
  ];
  expect(dropped(legs, 2)).toEqual([2]);
});

test('a network without some pools has all others, in the same order', () => {
  const pools = [
    poolOf(pairState(LT, USDC, 300_000, 0, 3000), LT, USDC),
    poolOf(pairState(LT, USDC, 200_000, 0, 3000), LT, USDC),
    poolOf(pairState(LT, WETH, 300_000, 0, 3000), LT, WETH),
    poolOf(pairState(WETH, USDC, 300_000, 0, 3000), WETH, USDC),
  ];
  const network = toNetwork(pools, LT.address, USDC.address, [WETH.address], 1e20);
  const ids = pools.map(({ ref }) => ref.id);
  const [kept, removed] = [[ids[0], ids[2], ids[3]], ids[1] as string];
  const { tokens, edges, between } = withoutPools(network, new Set([removed]));
  expect(tokens).toEqual(network.tokens);
  expect(edges.map(({ pool }) => pool.ref.id).sort()).toEqual([...kept].sort());
  expect(between.map((row) => row.map((pair) => pair.map(({ pool }) => ids.indexOf(pool.ref.id))))).toEqual([
    [[], [2], [0]],
    [[], [], [3]],
    [[], [], []],
  ]);
});
