import { expect, test } from 'vitest';
import { type TestLeg as Leg, flowOf as orderOver } from '../../../tests/support/engine/testFlow.ts';
import { prune } from './prune.ts';

/** Base units of tokenIn. */
const order = 10_000;
/** Gas of a pair's leg. */
const pairGas = 85_000;

const flowOf = (legs: readonly Leg[], last?: number) => orderOver(legs, order, last);
/** Positions of the legs that remain. */
function usedAfter(legs: readonly Leg[], gasPrice: number, last?: number): number[] {
  const flow = flowOf(legs, last);
  const { edges } = flow.graph;
  return prune(flow, order, gasPrice).used.map(({ pool }) => edges.findIndex((edge) => edge.pool === pool));
}
const equal = (count: number, leg: Partial<Leg> = {}): Leg[] =>
  Array.from({ length: count }, () => ({ share: 1 / count, ...leg }));

test('returns the same flow if every leg is worth its gas', () => {
  const flow = flowOf(equal(2));
  expect(prune(flow, order, 0)).toBe(flow);
});

test.each([
  { gasPrice: 2e-4, legs: 2, why: 'its surplus of 24.8 is above its gas of 17' },
  { gasPrice: 5.79e-4, legs: 2, why: 'the order loses 49.3 without it, its gas is 49.2' },
  { gasPrice: 5.8e-4, legs: 1, why: 'the order loses 49.3 without it, its gas is above that' },
])('keeps $legs of two equal legs at a gas price of $gasPrice: $why', ({ gasPrice, legs }) => {
  expect(usedAfter(equal(2), gasPrice)).toHaveLength(legs);
});

test('does not change the flow that it is given', () => {
  const flow = flowOf(equal(2));
  const { share, sold, paid, amountOut } = flow.copy();
  expect(prune(flow, order, 1e-3).amountOut).toBeCloseTo((1e6 * order) / (1e6 + order), 6);
  expect(flow).toMatchObject({ share, sold, paid, amountOut });
});

/** A pool 1 % above the market price, with the share that lowers it to that price. It gains depth / 40,400. */
const better = (depth: number): Leg => ({ price: 1.01, depth, share: (depth * (Math.sqrt(1.01) - 1)) / order });
const market = (share: number): Leg => ({ depth: 1e8, share });

test.each([
  [1150, 1],
  [1280, 2],
])('without a gas price, a leg must gain 3 millionths of the order: a depth of %i leaves %i legs', (depth, legs) => {
  const leg = better(depth);
  expect(usedAfter([market(1 - leg.share), leg], 0)).toHaveLength(legs);
});

test('removes any number of useless legs at once', () => {
  const leg = better(500);
  expect(usedAfter([market(1 - 12 * leg.share), ...equal(12, leg)], 0)).toEqual([0]);
});

test('removes useless legs one by one, at most six, if removing all at once leaves no route', () => {
  expect(usedAfter(equal(9), 1)).toHaveLength(3);
  expect(usedAfter(equal(5), 1)).toHaveLength(1);
});

test('never removes the last leg, whatever its gas costs', () => {
  expect(usedAfter([{ share: 1 }], 1e9)).toEqual([0]);
  expect(usedAfter(equal(2), 1e9)).toHaveLength(1);
});

test('keeps a leg without which the order loses more than its gas, and removes the next useless one', () => {
  // The second leg's gas of 700 is above its surplus of 694, and below the 1,667 that the order loses without it.
  const small = better(500);
  const legs = [
    { depth: 1e4, share: 0.5 - small.share },
    { depth: 1e4, share: 0.5, crossed: 10 },
    { ...small, price: 0.68 },
  ];
  const gasPrice = 1200 / (pairGas + 10 * 22_000);
  expect(usedAfter(legs, gasPrice)).toEqual([0, 1]);
});

test('divides the order again among the legs that remain', () => {
  const useless = better(500);
  const legs = [{ share: 0.7 - useless.share }, { share: 0.3 }, useless];
  const pruned = prune(flowOf(legs), order, 0);
  expect(pruned.used).toHaveLength(2);
  const [first, second] = pruned.sold as [number, number];
  expect(first + second).toBeCloseTo(order, 6);
  expect(first / second).toBeGreaterThan(0.98);
  expect(first / second).toBeLessThan(1.02);
});

test('pools that the order did not use stay unused', () => {
  const leg = better(500);
  const legs = [market(1 - leg.share), leg, { price: 2, share: 0 }];
  expect(usedAfter(legs, 0)).toEqual([0]);
});

test('removes a route of two legs together, and not the legs that others need', () => {
  const legs = (share: number): Leg[] => [
    { from: 0, to: 2, share: 1 - share },
    { from: 0, to: 1, share },
    { from: 1, to: 2, share: 1 },
  ];
  expect(usedAfter(legs(0.001), 1e-4, 2)).toEqual([0]);
  expect(usedAfter(legs(0.5), 1e-5, 2)).toEqual([0, 1, 2]);
  const two = [...legs(0.5), { from: 0, to: 1, share: 0, depth: 100 }] as [Leg, Leg, Leg, Leg];
  two[1].share = 0.499;
  two[3].share = 0.001;
  expect(usedAfter(two, 1e-5, 2)).toEqual([0, 1, 2]);
});

test('removes a useless leg that sells a routing token, and keeps the legs beside and before it', () => {
  const legs: Leg[] = [
    { from: 0, to: 2, share: 2 / 3 },
    { from: 0, to: 1, share: 1 / 3 },
    { from: 1, to: 2, share: 0.999 },
    { from: 1, to: 2, share: 0.001, depth: 1e3 },
  ];
  expect(usedAfter(legs, 1e-5, 2)).toEqual([0, 1, 2]);
});

test('counts the gas of each leg of a route once: keeps two legs of 85,000 gas if the order loses more without them', () => {
  const legs: Leg[] = [
    { from: 0, to: 2, share: 0.5 },
    { from: 0, to: 1, share: 0.5, depth: 1e12 },
    { from: 1, to: 2, share: 1 },
  ];
  // As with two equal pools: surplus 24.8, loss 49.3.
  expect(usedAfter(legs, 49.1 / (2 * pairGas), 2)).toEqual([0, 1, 2]);
  expect(usedAfter(legs, 49.4 / (2 * pairGas), 2)).toHaveLength(1);
});

test('removes the leg that sells a token together with all legs that buy it', () => {
  const legs: Leg[] = [
    { from: 0, to: 2, share: 0.998 },
    { from: 0, to: 1, share: 0.001 },
    { from: 0, to: 1, share: 0.001 },
    { from: 1, to: 2, share: 1 },
  ];
  expect(usedAfter(legs, 1e-4, 2)).toEqual([0]);
});

test.each([
  { crossed: [50, 50], used: [0, 1], gas: '2,500,000' },
  { crossed: [50, 51], used: [0], gas: '2,522,000' },
  { crossed: [51, 50], used: [1], gas: '2,522,000' },
])('removes the legs of most gas until the lens can execute the order: $gas', ({ crossed, used }) => {
  const legs = crossed.map((ticks): Leg => ({ share: 0.5, kind: 'weighted', crossed: ticks }));
  expect(usedAfter(legs, 0)).toEqual(used);
});

test('removes only as many gas-heavy legs as needed', () => {
  const legs = [60, 40, 30, 20].map((crossed): Leg => ({ share: 0.25, crossed }));
  expect(usedAfter(legs, 0)).toEqual([1, 2, 3]);
});

test('keeps a gas-heavy leg that no other can replace, and removes the next one', () => {
  const legs: Leg[] = [
    { share: 0.5, crossed: 70 },
    { share: 0.3, crossed: 50, most: 0.4 * order },
    { share: 0.2, crossed: 10, most: 0.4 * order },
  ];
  expect(usedAfter(legs, 0)).toEqual([0, 2]);
  expect(usedAfter([{ share: 1, crossed: 200 }], 0)).toEqual([0]);
});

/** Legs of which 16 fit into one transaction. */
const heavy = (count: number, other: Record<number, Partial<Leg>> = {}): Leg[] =>
  equal(count).map((leg, index) => ({ ...leg, depth: 1e5, crossed: 13, ...other[index] }));

test.each([
  [16, 16],
  [17, 16],
  [20, 16],
])('of %i profitable legs whose gas exceeds that of a transaction above 16, %i remain', (count, remain) => {
  expect(usedAfter(heavy(count), 0)).toHaveLength(remain);
});

const sold = order / 17;
/** A leg with the marginal price of a leg of depth 100,000; its surplus is about 342,000 / `depth`. */
const balanced = (depth: number, crossed: number): Partial<Leg> => ({
  depth,
  crossed,
  price: ((1 + sold / depth) / (1 + sold / 1e5)) ** 2,
});

test.each([
  // The other legs have a surplus of 3.4 and 371,000 gas.
  { name: 'removes', depth: 6.6e4, surplus: 5.2, isKept: false },
  { name: 'keeps', depth: 4e4, surplus: 8.5, isKept: true },
])(
  'of 17 heavy legs, $name one of 657,000 gas with a surplus of $surplus: the loss for each unit of gas counts',
  (each) => {
    const used = usedAfter(heavy(17, { 3: balanced(each.depth, 26) }), 0);
    expect(used.includes(3)).toBe(each.isKept);
    expect(used).toHaveLength(each.isKept ? 15 : 16);
  },
);

test('of 17 heavy legs, compares eight by what the order loses, not only those with the least surplus', () => {
  const others = { 2: balanced(5e4, 13), 5: balanced(5.4e4, 13), 8: balanced(5.8e4, 13), 11: balanced(6.2e4, 13) };
  const used = usedAfter(heavy(17, others), 0);
  expect(used).toHaveLength(16);
  expect(used).toEqual(expect.arrayContaining([2, 5, 8, 11]));
});

test('of 40 profitable legs within the gas of a transaction, all remain', () => {
  expect(usedAfter(equal(40), 0)).toHaveLength(40);
});

test('of more than 16 legs, removes the least useful ones at once if one by one fails', () => {
  // Leg 0 sells token 1, which legs 1 to 16 buy: without one of them, no other could take its part.
  const buyers = heavy(16).map((leg) => ({ ...leg, share: leg.share / 2, most: (order / 2 / 16) * 1.000_001 }));
  const legs: Leg[] = [{ from: 1, to: 2, share: 1 }, ...buyers, { from: 0, to: 2, share: 0.5, most: 1e12, depth: 1e6 }];
  expect(usedAfter(legs, 0, 2).length).toBeLessThanOrEqual(16);
});

test('a leg that gains much for its gas stays, and legs that gain less are removed until one transaction is enough', () => {
  // 349,000 gas for leg 0, which pays 50 % more, and 195,000 for each other one: 28 others remain.
  const others = equal(32).map(({ share }): Leg => ({ share: share * 0.8, depth: 1e6, crossed: 5 }));
  const used = usedAfter([{ share: 0.2, price: 1.5, depth: 1e30, most: 0.2 * order, crossed: 12 }, ...others], 0);
  expect(used).toHaveLength(29);
  expect(used).toContain(0);
});

test('of 17 legs, keeps those at their capacity: another leg takes the share of the removed one', () => {
  const full = { most: order / 17, price: 1.2 };
  const used = usedAfter(heavy(17, { 9: full, 12: full }), 0);
  expect(used).toHaveLength(16);
  expect(used).toEqual(expect.arrayContaining([9, 12]));
});

test('of 17 legs, removes none if no other can take its share', () => {
  const full = { most: order / 17 };
  expect(usedAfter(heavy(17, Object.fromEntries(equal(17).map((_, leg) => [leg, full]))), 0)).toHaveLength(17);
});
