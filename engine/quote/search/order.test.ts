import { describe, expect, test } from 'vitest';
import { pairState, poolOf, type TestToken, testTokens } from '../../../tests/support/engine/testMarket.ts';
import { toSearchQuery } from '../../../tests/support/engine/testQuery.ts';
import { fillAcyclic } from './fillByParts.ts';
import { toNetwork } from './network.ts';
import { inOrder, toGraph, transfer, wholeGraph } from './order.ts';

const { LT, USDC, WETH, AERO } = testTokens;
const pair = (from: TestToken, to: TestToken, usd: number, skewBps = 0) =>
  poolOf(pairState(from, to, usd, skewBps, 3000), from, to);

/** Token 0 is LT, 1 WETH, 2 AERO, 3 USDC. */
function networkOf(usd: number, ...pools: ReturnType<typeof pair>[]) {
  const query = toSearchQuery(pools, LT, USDC, usd);
  const tokens = [WETH, AERO].map(({ address }) => address);
  return { network: toNetwork(pools, LT.address, USDC.address, tokens, Number(query.amountIn)), query };
}
const triangle = [pair(LT, WETH, 1e6), pair(WETH, AERO, 1e6), pair(AERO, USDC, 1e6), pair(WETH, USDC, 1e6)];

describe('a graph in an order', () => {
  const { network } = networkOf(1_000, ...triangle, pair(LT, AERO, 1e6));

  test('has the edges that lead to a later token, numbered and listed by the token sold', () => {
    const graph = toGraph(network, [0, 2, 1, 3]);
    expect(graph.edges.map(({ from, to }) => `${from}${to}`).toSorted()).toEqual(['01', '02', '13', '21', '23']);
    expect(graph.edges.map(({ index }) => index)).toEqual(graph.edges.map((_, at) => at));
    for (const [token, edges] of graph.from.entries()) {
      expect(edges).toEqual(graph.edges.filter(({ from }) => from === token));
    }
  });
});

test.each([
  { name: 'LT buys only WETH', pools: triangle, order: [0, 1, 2, 3] },
  { name: 'LT buys only AERO', pools: [pair(LT, AERO, 1e6), ...triangle.slice(1)], order: [0, 2, 1, 3] },
])('tokens are in the order that the legs need: $name', ({ pools, order }) => {
  const { network, query } = networkOf(400_000, ...pools);
  const filled = fillAcyclic(wholeGraph(network), Number(query.amountIn));
  expect(filled && inOrder(network, filled).graph.order).toEqual(order);
});

test('a flow keeps its amounts on another graph, and a graph without one of its edges is refused', () => {
  const { network, query } = networkOf(400_000, ...triangle);
  const filled = fillAcyclic(wholeGraph(network), Number(query.amountIn));
  if (!filled) throw new Error('No split.');
  const moved = transfer(filled, toGraph(network, [0, 1, 2, 3]));
  expect(moved.forward(Number(query.amountIn))).toBe(true);
  expect(moved.amountOut / filled.amountOut).toBeCloseTo(1, 9);
  expect(() => transfer(filled, toGraph(network, [0, 2, 1, 3]))).toThrow('No edge from token 1');
});

test('an order far beyond the pools has an order of tokens too', () => {
  for (let factor = 1; factor < 1e60; factor *= 10) {
    const { network, query } = networkOf(1e6, ...triangle);
    const filled = fillAcyclic(wholeGraph(network), Number(query.amountIn) * factor);
    if (filled) expect(inOrder(network, filled).graph.order).toEqual([0, 1, 2, 3]);
  }
});

test('no two legs form a cycle, although both directions between two tokens pay at first', () => {
  // The pools of WETH and AERO differ by 4 %, so each direction has a pool that pays.
  const pools = [pair(LT, WETH, 1e6), pair(LT, AERO, 1e6), pair(WETH, USDC, 1e6), pair(AERO, USDC, 1e6)];
  const { network, query } = networkOf(500_000, ...pools, pair(WETH, AERO, 1e6, 200), pair(WETH, AERO, 1e6, -200));
  const filled = fillAcyclic(wholeGraph(network), Number(query.amountIn));
  const between = filled?.used.filter(({ from, to }) => from + to === 3 && from !== 0 && to !== 3);
  expect(between?.length).toBeGreaterThan(0);
  expect(new Set(between?.map(({ from }) => from)).size).toBe(1);
});
