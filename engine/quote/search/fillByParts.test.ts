import { describe, expect, test } from 'vitest';
import { flowOf, type TestLeg } from '../../../tests/support/engine/testFlow.ts';
import { continueTo, fillByParts } from './fillByParts.ts';

/** Assigned in 24 parts of 100 units. */
const order = 2_400;
const fill = (legs: readonly Omit<TestLeg, 'share'>[], last?: number) =>
  fillByParts(
    flowOf(
      legs.map((leg) => ({ ...leg, share: 0 })),
      order,
      last,
    ).graph,
    order,
  );

test('assigns each part to the route that pays most: two pools of one price fill in proportion to their depth', () => {
  const flow = fill([{ depth: 1e5 }, { depth: 3e5 }]);
  expect(flow?.sold).toEqual([600, 1800]);
  expect(flow?.share).toEqual([0.25, 0.75]);
  expect(flow?.amountOut).toBeCloseTo((1e5 * 600) / (1e5 + 600) + (3e5 * 1800) / (3e5 + 1800), 8);
});

test('leaves a pool unused whose first part pays less than the last one of another', () => {
  // The last 100 of 2,400 units are paid at about 0.951.
  expect(fill([{ depth: 1e5 }, { depth: 1e5, price: 0.94 }])?.sold).toEqual([2400, 0]);
  expect(fill([{ depth: 1e5 }, { depth: 1e5, price: 0.96 }])?.sold[1]).toBeGreaterThan(0);
});

test('compares routes of one, two and three hops by what they pay in the end', () => {
  const hop = (from: number, to: number, price: number) => ({ from, to, price, depth: 1e30 });
  const direct = hop(0, 3, 1.05);
  const two = [hop(0, 1, 1.2), hop(1, 3, 0.9)];
  const three = [hop(0, 1, 1.2), hop(1, 2, 1.2), hop(2, 3, 0.8)];
  expect(fill([direct, ...two], 3)?.sold).toEqual([0, order, order * 1.2]);
  expect(fill([...two, direct], 3)?.sold).toEqual([order, order * 1.2, 0]);
  expect(fill([hop(0, 3, 1.1), ...two], 3)?.sold).toEqual([order, 0, 0]);
  const longest = fill([direct, ...three], 3);
  expect(longest?.sold[0]).toBe(0);
  expect(longest?.amountOut).toBeCloseTo(order * 1.2 * 1.2 * 0.8, 8);
  expect(fill([hop(0, 3, 1.2), ...three], 3)?.sold).toEqual([order, 0, 0, 0]);
});

test('follows no route of four hops', () => {
  const chain = [0, 1, 2, 3].map((from) => ({ from, to: from + 1 }));
  expect(fill(chain, 4)).toBeUndefined();
  expect(fill(chain.slice(0, 3), 3)?.amountOut).toBeGreaterThan(0);
});

test.each([
  { parts: 1 / 2, fits: true },
  { parts: 1 / 64, fits: true },
  { parts: 1 / 128, fits: false },
])('fills pools that accept $parts of a part more than whole ones: $fits', ({ parts, fits }) => {
  // Halves the parts, down to a 64th. The pools accept the order and no more.
  const rest = 100 * parts;
  expect(fill([{ most: order - rest + 1e-6 }, { most: rest + 1e-6 }]) !== undefined).toBe(fits);
});

test('returns undefined if the pools accept less than the order', () => {
  expect(fill([{ most: 1_000 }, { most: 1_300 }])).toBeUndefined();
  expect(fill([{ most: 1_000 }, { most: 1_400 }])?.sold).toEqual([1_000, 1_400]);
});

test('grows a split by four parts, each where it pays most', () => {
  const flow = flowOf(
    [
      { depth: 1e5, share: 0.5 },
      { depth: 1e5, share: 0.5 },
    ],
    order,
  );
  const before = flow.copy();
  const grown = continueTo(flow, order, order + 400);
  expect(grown?.sold).toEqual([1400, 1400]);
  expect(grown?.amountOut).toBeCloseTo((2 * 1e5 * 1400) / (1e5 + 1400), 8);
  expect(flow).toEqual(before);
});

test('does not grow a split beyond what its pools accept', () => {
  const flow = flowOf([{ share: 1, most: order + 350 }], order);
  expect(continueTo(flow, order, order + 400)).toBeUndefined();
  expect(continueTo(flow, order, order + 350)?.sold).toEqual([order + 350]);
});

describe('the work of a fill', () => {
  /** Work spent; each leg pays more than the one before, so every part evaluates all of them. */
  const workOf = (count: number) => {
    const legs = Array.from({ length: count }, (_, at) => ({ share: 0, depth: 1e30, price: 1 + at / count }));
    const { graph } = flowOf(legs, order);
    const before = graph.work.left;
    expect(fillByParts(graph, order)?.sold.at(-1)).toBeCloseTo(order, 6);
    return before - graph.work.left;
  };
  /** A visit and an evaluation of each leg in each part. */
  const workFor = (count: number, parts: number) => (count * parts * 9) / 8;

  test('is that of 24 parts', () => {
    expect(workOf(1)).toBe(workFor(1, 24));
    expect(workOf(10)).toBe(workFor(10, 24));
  });

  test('is at most 4,000 with fewer parts, but of at least six', () => {
    // A part costs 225 units of work.
    expect(workOf(200)).toBe(workFor(200, 17));
    expect(workOf(2_000)).toBe(workFor(2_000, 6));
  });

  test('ends without a result if none is left', () => {
    const { graph } = flowOf([{ share: 0 }], order);
    graph.work.left = 3 * (9 / 8);
    expect(fillByParts(graph, order)).toBeUndefined();
  });
});
