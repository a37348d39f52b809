import { describe, expect, test } from 'vitest';
import { flowOf, type TestLeg } from '../../../tests/support/engine/testFlow.ts';
import { pairState, poolOf, type TestToken, testTokens } from '../../../tests/support/engine/testMarket.ts';
import { toSearchQuery } from '../../../tests/support/engine/testQuery.ts';
import { fillAcyclic } from './fillByParts.ts';
import { type Network, toNetwork } from './network.ts';
import { excludesBetter, inOrder, toGraph, transfer, wholeGraph } from './order.ts';

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

/** A flow over `legs`, in a network that has `others` too. Unless a leg has a depth, its price stays the same. */
function networkWith(legs: readonly TestLeg[], others: readonly Omit<TestLeg, 'share'>[]) {
  const straight = (leg: Omit<TestLeg, 'share'>) => ({ depth: 1e30, share: 0, ...leg });
  const flow = flowOf(legs.map(straight), 1_000, 3);
  const edges = [...flow.graph.edges, ...flowOf(others.map(straight), 1_000, 3).graph.edges];
  const { tokens, work } = flow.graph;
  const network: Network = { tokens, work, between: [], edges: edges.map((edge, index) => ({ ...edge, index })) };
  return { network, flow };
}

describe('of two opposite legs, the order of tokens keeps the one that returns more', () => {
  const opposite = [
    { from: 1, to: 2, price: 0.9 },
    { from: 2, to: 1, price: 0.9 },
  ];
  const orderFor = (...legs: readonly Partial<TestLeg>[]) => {
    const places = [
      { to: 1, share: 0.5 },
      { to: 2, share: 0.5 },
      { from: 1, to: 3, share: 1 },
      { from: 2, to: 3, share: 1 },
    ];
    const { network, flow } = networkWith(
      places.map((place, at) => ({ ...place, ...legs[at] })),
      opposite,
    );
    return inOrder(network, flow).graph.order;
  };

  test('by what the token that it buys is worth', () => {
    expect(orderFor({}, {}, { price: 2 }, {})).toEqual([0, 2, 1, 3]);
    expect(orderFor({}, {}, {}, { price: 2 })).toEqual([0, 1, 2, 3]);
  });

  test('by how much of the token that it sells is bought', () => {
    expect(orderFor({}, { price: 4 }, {}, {})).toEqual([0, 2, 1, 3]);
    expect(orderFor({ price: 4 }, {}, {}, {})).toEqual([0, 1, 2, 3]);
  });

  test('by prices after the order', () => {
    // Token 1 is worth 2 before the order, and a half after it.
    expect(orderFor({}, {}, { price: 2, depth: 500 }, {})).toEqual([0, 1, 2, 3]);
  });
});

describe('a graph excludes a better leg', () => {
  /** Whether a leg from token 2 to token 1 of this price returns more than the best route, which returns 2. */
  const isBetter = (price: number, second: Partial<TestLeg> = {}, third: Partial<TestLeg> = {}) => {
    const legs = [
      { to: 1, share: 0.5 },
      { to: 2, share: 0.5, ...second },
      { from: 1, to: 3, share: 1, price: 2 },
      { from: 2, to: 3, share: 1, ...third },
    ];
    const { network, flow } = networkWith(legs, [{ from: 2, to: 1, price }]);
    return excludesBetter(network, flow);
  };

  test('if it returns more than a hundred thousandth more', () => {
    expect([isBetter(1 + 0.9e-5), isBetter(1 + 1.1e-5)]).toEqual([false, true]);
  });

  test('by the price of its token after the order', () => {
    // After 500 of 500 units of depth, a unit buys a quarter.
    expect([isBetter(3.9, { depth: 500 }), isBetter(4.1, { depth: 500 })]).toEqual([false, true]);
  });

  test('also if the flow does not buy its token', () => {
    expect([isBetter(1.1, { share: 0, price: 0.9 }), isBetter(1.2, { share: 0, price: 0.9 })]).toEqual([false, true]);
  });

  test('but not for a leg that the flow already uses', () => {
    expect(isBetter(0.1, { price: 9, depth: 250 }, { depth: 250 })).toBe(false);
  });
});
