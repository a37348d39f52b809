import { expect, test } from 'vitest';
import { flowOf, type TestLeg } from '../../../tests/support/engine/testFlow.ts';
import { testTokens } from '../../../tests/support/engine/testMarket.ts';
import { flowToPlan, isSingle, pathToPlan } from './toPlan.ts';

const { LT, USDC } = testTokens;
const amountIn = 10_000;
const order = { tokenIn: LT.address, tokenOut: USDC.address, amountIn: BigInt(amountIn) };

/** Index and share of each leg of the plan, in its order. */
function sharesOf(legs: readonly TestLeg[], last?: number): [leg: number, shareBps: number][] {
  const flow = flowOf(legs, amountIn, last);
  const ids = flow.graph.edges.map(({ pool }) => pool.ref.id);
  const plan = flowToPlan(flow, order);
  expect(plan).toMatchObject(order);
  return plan.legs.map(({ pool, shareBps }) => [ids.indexOf(pool.id), shareBps]);
}

test('rounds shares down to basis points; the leg that sells most comes last and gets the rest', () => {
  expect(sharesOf([{ share: 0.333_39 }, { share: 0.45 }, { share: 0.216_61 }])).toEqual([
    [2, 2166],
    [0, 3333],
    [1, 4501],
  ]);
});

test('keeps a whole number of basis points that a double stores slightly lower', () => {
  expect(0.0029 * 10_000).toBeLessThan(29);
  expect(sharesOf([{ share: 0.0029 }, { share: 0.9971 }])).toEqual([
    [0, 29],
    [1, 9971],
  ]);
});

test.each([
  { most: 6_002, order: [1, 0] },
  { most: 6_001, order: [0, 1] },
])(
  'of two legs, that of 6,000 units whose pool accepts $most comes in the order $order',
  ({ most, order: expected }) => {
    expect(sharesOf([{ share: 0.6, most }, { share: 0.4 }]).map(([leg]) => leg)).toEqual(expected);
  },
);

test('if no pool accepts a basis point more of each leg, the largest leg comes last', () => {
  const legs = [
    { share: 0.2, most: 2_000 },
    { share: 0.5, most: 5_000 },
    { share: 0.3, most: 3_000 },
  ];
  expect(sharesOf(legs).map(([leg]) => leg)).toEqual([0, 2, 1]);
});

test('a pool at its capacity takes a smaller share if rounding buys more of its token', () => {
  // Rounding moves half a basis point to the first leg, which pays ten times as much: 0.4 % more of token 1 is bought.
  const legs = [
    { from: 0, to: 1, share: 0.011_05, price: 10, depth: 1e30 },
    { from: 0, to: 2, share: 0.988_95, price: 1, depth: 1e30, most: 9_889.5 },
    { from: 1, to: 2, share: 0.6, most: 663.1 },
    { from: 1, to: 2, share: 0.4 },
  ];
  expect(sharesOf(legs, 2)).toEqual([
    [1, 9889],
    [0, 111],
    [2, 5972],
    [3, 4028],
  ]);
});

test('leaves out legs below one basis point, and the legs that sell only what these buy', () => {
  const legs = [
    { from: 0, to: 2, share: 0.999_91 },
    { from: 0, to: 1, share: 0.000_09 },
    { from: 1, to: 2, share: 1 },
  ];
  expect(sharesOf(legs, 2)).toEqual([[0, 10_000]]);
});

test('leaves out legs without a share, and lists legs in the order of the tokens they sell', () => {
  const legs = [
    { from: 1, to: 2, share: 1 },
    { from: 0, to: 1, share: 0.75 },
    { from: 0, to: 2, share: 0.25 },
    { from: 0, to: 2, share: 0 },
  ];
  expect(sharesOf(legs, 2)).toEqual([
    [2, 2500],
    [1, 7500],
    [0, 10_000],
  ]);
});

test('a path sells everything over each of its edges', () => {
  const { graph } = flowOf([{ share: 1 }], amountIn);
  const plan = pathToPlan({ edges: graph.edges, amountOut: 1 }, { ...graph, between: [] }, order);
  const [edge] = graph.edges;
  expect(plan).toEqual({
    ...order,
    legs: [{ pool: edge?.pool.ref, tokenIn: LT.address, tokenOut: USDC.address, shareBps: 10_000 }],
  });
});

test.each([
  { from: 0, to: 2 },
  { from: 2, to: 1 },
])('rejects an edge from token $from to token $to of two tokens', (ends) => {
  const { graph } = flowOf([{ share: 1 }], amountIn);
  const edges = graph.edges.map((edge) => ({ ...edge, ...ends }));
  expect(() => pathToPlan({ edges, amountOut: 1 }, { ...graph, between: [] }, order)).toThrow(
    `Edge ${ends.from}-${ends.to} lies outside the network.`,
  );
});

test('a plan is a single route if each token is sold in one leg', () => {
  const planOf = (legs: readonly TestLeg[], last?: number) => flowToPlan(flowOf(legs, amountIn, last), order);
  expect(isSingle(planOf([{ share: 1 }]))).toBe(true);
  expect(isSingle(planOf([{ share: 1 }, { from: 1, to: 2, share: 1 }], 2))).toBe(true);
  expect(isSingle(planOf([{ share: 0.5 }, { share: 0.5 }]))).toBe(false);
  expect(isSingle(planOf([{ share: 1 }, ...[0.5, 0.5].map((share) => ({ from: 1, to: 2, share }))], 2))).toBe(false);
});
