import { expect, test } from 'vitest';
import { flowOf, type TestLeg } from '../../../tests/support/engine/testFlow.ts';
import { improve } from './split.ts';

/** Base units of tokenIn. */
const order = 10_000;

test('splits an order so that every leg pays the same for its next unit', () => {
  const legs = [
    { price: 1, depth: 40_000, share: 0.2 },
    { price: 1.02, depth: 90_000, share: 0.1 },
    { price: 0.99, depth: 250_000, share: 0.7 },
  ];
  // A leg of price p and depth d pays p · d² / (d + x)² for its next unit; the amounts x add up to the order.
  const sum = (of: (leg: { price: number; depth: number }) => number) => legs.reduce((all, leg) => all + of(leg), 0);
  const root = sum(({ price, depth }) => depth * Math.sqrt(price)) / (order + sum(({ depth }) => depth));
  const optimum = legs.map(({ price, depth }) => ({ price, depth, sold: depth * (Math.sqrt(price) / root - 1) }));
  expect(Math.min(...optimum.map(({ sold }) => sold))).toBeGreaterThan(0);
  const most = optimum.reduce((all, { price, depth, sold }) => all + (price * depth * sold) / (depth + sold), 0);
  const split = improve(flowOf(legs, order), order, 120);
  expect(split.amountOut).toBeLessThan(most * (1 + 1e-12));
  expect(split.amountOut).toBeGreaterThan(most * (1 - 1e-7));
  for (const [at, { sold }] of optimum.entries()) expect(Number(split.sold[at]) / sold).toBeCloseTo(1, 2);
});

/** Five different pools, of which the order uses equal parts. */
const five = [1e4, 2e4, 5e4, 1e5, 3e5].map((depth): TestLeg => ({ depth, share: 0.2 }));

test('makes at most as many moves as allowed', () => {
  const start = flowOf(five, order);
  expect(improve(start, order, 0)).toBe(start);
  const once = improve(start, order, 1);
  const twice = improve(start, order, 2);
  expect(once.amountOut).toBeGreaterThan(start.amountOut);
  expect(twice.amountOut).toBeGreaterThan(once.amountOut);
  expect(improve(once, order, 1).amountOut).toBe(twice.amountOut);
});

test('does not change the split that it is given', () => {
  const start = flowOf(five, order);
  const { share, sold, paid, amountOut } = start.copy();
  improve(start, order, 120);
  expect(start).toMatchObject({ share, sold, paid, amountOut });
});

const twoPools = (from: number, to: number): TestLeg[] => [
  { from, to, share: 0.9 },
  { from, to, share: 0.1 },
];

test.each([
  {
    name: 'a token with one leg',
    legs: [...twoPools(0, 1), { from: 1, to: 2, share: 1, depth: 1e9 }],
    last: 2,
  },
  {
    name: 'a token that the order does not buy',
    legs: [...twoPools(0, 2), { from: 0, to: 1, share: 0, price: 0.01 }, ...twoPools(1, 2)],
    last: 2,
  },
])('uses no move for $name', ({ legs, last }) => {
  const start = flowOf(legs, order, last);
  expect(improve(start, order, 1).amountOut).toBeGreaterThan(start.amountOut);
});

test('moves everything between two straight legs', () => {
  const legs = [
    { depth: 1e30, share: 1 },
    { depth: 1e30, share: 0, price: 1.01 },
  ];
  expect(improve(flowOf(legs, order), order, 1).sold).toEqual([0, order]);
});

test('fills the better pool up to its capacity if it cannot take all', () => {
  const legs = [
    { depth: 1e30, share: 1 },
    { depth: 1e30, share: 0, price: 1.01, most: order / 10 },
  ];
  const [first, second] = improve(flowOf(legs, order), order, 1).sold as [number, number];
  expect(second).toBeLessThanOrEqual(order / 10);
  expect(second).toBeGreaterThan(order / 10 - order / 2 ** 16);
  expect(first + second).toBeCloseTo(order, 6);
});

test.each([
  { gain: 0.9e-6, moves: false },
  { gain: 1.1e-6, moves: true },
])('moves a share for a price that is $gain higher: $moves', ({ gain, moves }) => {
  const start = flowOf(
    [
      { depth: 1e30, share: 1 },
      { depth: 1e30, share: 0, price: 1 + gain },
    ],
    order,
  );
  expect(improve(start, order, 120) !== start).toBe(moves);
});

test('fills the pools behind a token up to their capacity', () => {
  const legs: TestLeg[] = [
    { from: 0, to: 2, share: 0.8, depth: 1e30 },
    { from: 0, to: 1, share: 0.2, depth: 1e30 },
    { from: 1, to: 2, share: 0.5, depth: 1e30, price: 1.2, most: 0.3 * order },
    { from: 1, to: 2, share: 0.5, depth: 1e30, price: 1.1, most: 0.2 * order },
  ];
  const sold = improve(flowOf(legs, order, 2), order, 120).sold.map((amount) => amount / order);
  expect(sold[0]).toBeCloseTo(0.5, 3);
  expect(sold[1]).toBeCloseTo(0.5, 3);
  expect(sold[2]).toBeCloseTo(0.3, 3);
  expect(sold[3]).toBeCloseTo(0.2, 3);
});

test.each([
  { moves: 1, below: 1.479_73e-2 },
  { moves: 2, below: 1.965_37e-3 },
  { moves: 4, below: 2.176_96e-4 },
  { moves: 8, below: 1.135_05e-7 },
])('after $moves moves the output is $below below the best one', ({ moves, below }) => {
  const most = improve(flowOf(five, order), order, 120).amountOut;
  const distance = 1 - improve(flowOf(five, order), order, moves).amountOut / most;
  expect(distance / below).toBeCloseTo(1, 4);
});

test('moves nothing without work beyond the reserve', () => {
  const start = flowOf(twoPools(0, 1), order);
  start.graph.work.left = 100;
  expect(improve(start, order, 120, 100)).toBe(start);
  expect(improve(start, order, 120, 99)).not.toBe(start);
});

test('a token that the order starts to buy is sold over its best leg', () => {
  const start = flowOf(
    [
      { from: 0, to: 3, share: 1 },
      { from: 0, to: 1, share: 0 },
      // Over token 2 a unit of token 1 pays 1.5 · 2, though its first price is lower than the direct one.
      { from: 1, to: 2, share: 0, price: 1.5 },
      { from: 1, to: 3, share: 0, price: 2 },
      { from: 2, to: 3, share: 0, price: 2 },
    ],
    order,
    3,
  );
  const [, first, second, direct, third] = improve(start, order, 1).sold;
  expect(first).toBeGreaterThan(0);
  expect(second).toBeGreaterThan(0);
  expect(third).toBeGreaterThan(0);
  expect(direct).toBe(0);
});

test('a token that the order already buys keeps its split when more of it is bought', () => {
  const start = flowOf(
    [
      { from: 0, to: 2, share: 0.8, depth: 1e5 },
      { from: 0, to: 1, share: 0.2, depth: 1e5 },
      { from: 1, to: 2, share: 0.5, depth: 1e5 },
      { from: 1, to: 2, share: 0.5, depth: 1e5 },
    ],
    order,
    2,
  );
  // Token 1 is tried first, but its split is already the best.
  const { share } = improve(start, order, 2);
  expect(share[0]).toBeLessThan(0.7);
  expect(share.slice(2)).toEqual([0.5, 0.5]);
});
