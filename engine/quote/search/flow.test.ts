import { describe, expect, test } from 'vitest';
import { flowOf, type TestLeg } from '../../../tests/support/engine/testFlow.ts';
import { flowAlong, nearby, toGraphs } from './flow.ts';
import type { Edge, Network, Path } from './network.ts';

/** Output and marginal price of a test leg: p · x · d / (d + x), and p · d² / (d + x)². */
const pay = (price: number, depth: number, amount: number) => price * amount * (depth / (depth + amount));
const slope = (price: number, depth: number, amount: number) => price * (depth / (depth + amount)) ** 2;

/** Two legs to token 1, then one to token 2. */
const chain: TestLeg[] = [
  { share: 0.25 },
  { share: 0.75, price: 2 },
  { share: 1, from: 1, to: 2, price: 3, depth: 1e7 },
  { share: 0, from: 1, to: 2, price: 1 },
];

test('the amounts follow from the shares, from token to token', () => {
  const flow = flowOf(chain, 1_000, 2);
  const bought = pay(1, 1e6, 250) + pay(2, 1e6, 750);
  expect(flow.sold).toEqual([250, 750, bought, 0]);
  expect(flow.paid).toEqual([pay(1, 1e6, 250), pay(2, 1e6, 750), pay(3, 1e7, bought), 0]);
  expect(flow.total).toEqual([1_000, bought, pay(3, 1e7, bought)]);
  expect(flow.amountOut).toBe(pay(3, 1e7, bought));
  expect(flow.used.map(({ index }) => index)).toEqual([0, 1, 2]);
});

test('a smaller order replaces the amounts of a larger one', () => {
  const flow = flowOf(chain, 1_000, 2);
  expect(flow.forward(10)).toBe(true);
  expect(flow).toMatchObject({ sold: flowOf(chain, 10, 2).sold, amountOut: flowOf(chain, 10, 2).amountOut });
});

test('a pool that cannot take its part ends the flow', () => {
  const flow = flowOf([{ share: 1, most: 1_000 }], 1_000);
  expect(flow.forward(1_001)).toBe(false);
});

describe('if a pool cannot take its part, the legs of its token sell as much as before', () => {
  /** Leg 2 is at its capacity of 600 units of token 1. */
  const legs: TestLeg[] = [
    { share: 1, depth: 1e30 },
    { share: 0, depth: 1e30, price: 2 },
    { from: 1, to: 2, share: 0.6, depth: 1e30, most: 600 },
    { from: 1, to: 2, share: 0.3, depth: 1e30, price: 0.8, most: 500 },
    { from: 1, to: 2, share: 0.1, depth: 1e30, price: 0.5 },
  ];
  /** Tokens 2 and 3 change places, so that the last one is token 3. */
  const swapped = (leg: TestLeg): TestLeg => {
    const place = (token: number) => (token === 2 ? 3 : token === 3 ? 2 : token);
    return { ...leg, from: place(leg.from ?? 0), to: place(leg.to ?? 1) };
  };
  /** The amounts after a part of token 0 moves to leg 1, which buys twice as much. */
  const soldAfter = (moved: number, closed?: ReadonlySet<number>) => {
    const before = flowOf(legs, 1_000, 2);
    before.setValues();
    const next = before.copy();
    [next.share[0], next.share[1]] = [1 - moved, moved];
    return next.forward(1_000, before, closed) ? next.sold.slice(2).map(Math.round) : undefined;
  };

  test('and the rest is sold where it pays most', () => {
    expect(soldAfter(0.1)).toEqual([600, 400, 100]);
  });

  test('and in parts if that pool cannot take all of it', () => {
    expect(soldAfter(0.4)).toEqual([600, 500, 300]);
  });

  test('and in smaller parts if no pool takes a quarter', () => {
    const small = Array.from({ length: 8 }, (): TestLeg => ({ from: 1, to: 2, share: 0, depth: 1e30, most: 60 }));
    const before = flowOf(
      [...legs.slice(0, 2), { ...(legs[2] as TestLeg), share: 1, most: 1_000 }, ...small],
      1_000,
      2,
    );
    before.setValues();
    const next = before.copy();
    [next.share[0], next.share[1]] = [0.6, 0.4];
    expect(next.forward(1_000, before)).toBe(true);
    // A quarter of the 400 units that are left exceeds every pool; halves of it fit eight times.
    expect(next.sold.slice(2).map(Math.round)).toEqual([1_000, ...small.map(() => 50)]);
  });

  test('and nothing of a token that no leg sells', () => {
    const before = flowOf(
      [...legs, { from: 1, to: 3, share: 0, depth: 1e30, price: 9 }, { from: 3, to: 2, share: 0, price: 9 }].map(
        swapped,
      ),
      1_000,
      3,
    );
    before.setValues();
    const next = before.copy();
    [next.share[0], next.share[1]] = [0.9, 0.1];
    expect(next.forward(1_000, before)).toBe(true);
    expect(next.sold.slice(2).map(Math.round)).toEqual([600, 400, 100, 0, 0]);
  });

  test('except for closed legs, whose part the others take', () => {
    expect(soldAfter(0.1, new Set([3]))).toEqual([600, 0, 500]);
    expect(soldAfter(0.1, new Set([3, 4]))).toBeUndefined();
  });

  test('or less, if less of the token is bought', () => {
    const before = flowOf(legs, 1_000, 2);
    before.setValues();
    const next = before.copy();
    next.share = [1, 0, 1, 0, 0];
    expect(next.forward(800, before)).toBe(true);
    expect(next.sold.slice(2).map(Math.round)).toEqual([480, 240, 80]);
  });
});

test('a copy changes independently', () => {
  const flow = flowOf(chain, 1_000, 2);
  flow.setValues();
  const copy = flow.copy();
  expect(copy).toEqual(flow);
  for (const key of ['share', 'sold', 'paid', 'more', 'less', 'total', 'value'] as const) {
    copy[key][0] = -1;
    expect(flow[key][0]).not.toBe(-1);
  }
});

test('the legs in use alone are the same flow, and change independently', () => {
  const flow = flowOf(chain, 1_000, 2);
  const compact = flow.compact();
  expect(compact).toMatchObject({ share: [0.25, 0.75, 1], sold: flow.sold.slice(0, 3), paid: flow.paid.slice(0, 3) });
  expect(compact).toMatchObject({ total: flow.total, amountOut: flow.amountOut });
  expect(compact.graph.edges.map(({ index }) => index)).toEqual([0, 1, 2]);
  expect(compact.forward(10)).toBe(true);
  expect(flow.total).toEqual(flowOf(chain, 1_000, 2).total);
});

test('a copy, a price and a changed leg count as work', () => {
  const flow = flowOf(chain, 1_000, 2);
  const { work } = flow.graph;
  const spent = (act: () => unknown) => {
    const before = work.left;
    act();
    return before - work.left;
  };
  expect(spent(() => flow.copy())).toBe(chain.length / 8);
  expect(spent(() => flow.forward(2_000))).toBe(3);
  expect(spent(() => flow.forward(2_000))).toBe(0);
  // The unused leg pays less at first than the other one after the order.
  expect(spent(() => flow.setValues())).toBe(2 * 3);
});

describe('the flow along a path', () => {
  const along = (legs: readonly TestLeg[], path: readonly number[], amountIn = 1_000) => {
    const { graph } = flowOf(legs, 1_000, 2);
    const edges = path.map((index) => graph.edges[index] as Edge);
    return { flow: flowAlong({ edges, amountOut: 1 }, graph, amountIn), graph };
  };

  test('sells everything over its pools', () => {
    const { flow } = along(chain, [1, 2]);
    expect(flow?.share).toEqual([0, 1, 1, 0]);
    expect(flow?.amountOut).toBe(pay(3, 1e7, pay(2, 1e6, 1_000)));
  });

  test('does not exist if a pool rejects the amount', () => {
    const { flow } = along(
      [
        { share: 1, most: 1_000 },
        { from: 1, to: 2, share: 1 },
      ],
      [0, 1],
      1_001,
    );
    expect(flow).toBeUndefined();
  });

  test('does not exist without one of its legs', () => {
    expect(along(chain, [1]).flow).toBeUndefined();
  });
});

test('the next unit of a token is worth the best price of its legs, to the end of the route', () => {
  const flow = flowOf(chain, 1_000, 2);
  flow.setValues();
  const bought = flow.total[1] ?? 0;
  const next = slope(3, 1e7, bought);
  expect(flow.value[2]).toBe(1);
  expect(flow.value[1]).toBeCloseTo(next, 3);
  expect(flow.value[0]).toBeCloseTo(slope(2, 1e6, 750) * next, 3);
});

describe('the price of more', () => {
  const priceOf = (leg: TestLeg, amount: number) => {
    const flow = flowOf([leg], amount);
    return flow.priceOfMore(flow.graph.edges[0] as Edge);
  };

  test('is that of the next small part, which is below the one of the next unit', () => {
    const part = 1_000 * 1e-4;
    const ofPart = (pay(1, 1e6, 1_000 + part) - pay(1, 1e6, 1_000)) / part;
    expect(priceOf({ share: 1 }, 1_000)).toBeCloseTo(Math.min(ofPart, slope(1, 1e6, 1_000 * (1 + nearby))), 9);
  });

  test('is low for a pool that takes almost nothing more, and never negative', () => {
    expect(priceOf({ share: 1, depth: 0.001, price: 5 }, 1_000)).toBeLessThan(1e-6);
    expect(priceOf({ share: 1, most: 1_000 }, 1_000)).toBe(0);
  });

  test('is that of the first unit if nothing of the token is sold', () => {
    expect(priceOf({ share: 1, price: 5 }, 0)).toBe(5);
  });
});

test('the shares follow from the amounts sold', () => {
  const flow = flowOf(chain, 1_000, 2);
  flow.sold = [100, 300, 0, 0];
  flow.normalise();
  expect(flow.share).toEqual([0.25, 0.75, 0, 0]);
  expect(flow.total.slice(0, 2)).toEqual([400, 0]);
});

describe('the graphs of a network', () => {
  /** Tokens 0 (sold) to 4 (bought), and an edge for each pair. */
  const pairs = [
    [0, 4],
    [0, 1],
    [0, 2],
    [1, 2],
    [2, 1],
    [1, 4],
    [2, 4],
    [3, 4],
    [1, 3],
    [0, 3],
    [3, 1],
  ] as const;
  const edgeOf = (from: number, to: number, index = 0) => ({ index, from, to }) as Edge;
  const networkOf = (list: readonly (readonly [number, number])[]): Network => {
    const tokens = ['0x0', '0x1', '0x2', '0x3', '0x4'] as const;
    const edges = list.map(([from, to], index) => edgeOf(from, to, index));
    const isBetween = (from: number, to: number) => (edge: Edge) => edge.from === from && edge.to === to;
    const between = tokens.map((_, from) => tokens.map((_, to) => edges.filter(isBetween(from, to))));
    return { tokens, edges, between, work: { left: 0 } };
  };
  const path = (...tokens: number[]): Path => ({
    edges: tokens.slice(1).map((to, at) => edgeOf(tokens[at] as number, to)),
    amountOut: 1,
  });
  const edgesOf = (network: Network, paths: readonly Path[]) =>
    toGraphs(network, paths).map(({ edges }) => edges.map(({ from, to }) => `${from}${to}`));

  test('have the routing tokens in one layer if no route needs three hops', () => {
    expect(edgesOf(networkOf(pairs), [])).toEqual([['04', '01', '02', '14', '24', '34', '03']]);
  });

  test('have the layers that a route of three hops needs', () => {
    expect(edgesOf(networkOf(pairs), [path(0, 1, 2, 4)])).toEqual([['04', '01', '02', '12', '14', '24', '34', '03']]);
  });

  test('are two if routes need opposite layers', () => {
    const [first, second, ...others] = edgesOf(networkOf(pairs), [path(0, 1, 2, 4), path(0, 2, 1, 4)]);
    expect([first?.includes('12'), first?.includes('21')]).toEqual([true, false]);
    expect([second?.includes('12'), second?.includes('21')]).toEqual([false, true]);
    expect(others).toEqual([]);
  });

  test('put a token that cannot be bought directly into the second layer, one that cannot be sold into the first', () => {
    const list = pairs.filter(([from, to]) => !(from === 0 && to === 3) && !(from === 1 && to === 4));
    // Token 3 is not bought with token 0, and token 1 is not sold for token 4.
    expect(edgesOf(networkOf(list), [])).toEqual([['04', '01', '02', '24', '34', '13']]);
    expect(edgesOf(networkOf(list), [path(0, 2, 1, 4)])).toHaveLength(2);
  });

  test('number their edges and list them by the token sold, tokens by layer', () => {
    const [graph] = toGraphs(networkOf(pairs), [path(0, 2, 1, 4)]);
    expect(graph?.order).toEqual([0, 2, 3, 1, 4]);
    expect(graph?.last).toBe(4);
    expect(graph?.edges.map(({ index }) => index)).toEqual(graph?.edges.map((_, at) => at));
    for (const [token, edges] of graph?.from.entries() ?? []) {
      expect(edges).toEqual(graph?.edges.filter(({ from }) => from === token));
    }
  });
});
