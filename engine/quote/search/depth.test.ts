import { expect, test } from 'vitest';
import { flowOf, type TestLeg } from '../../../tests/support/engine/testFlow.ts';
import { depthOf } from './depth.ts';

/** The output of an order that pays 1 for each unit. */
const straightly = (size: bigint) => size;

/** Depth of an order that pays `amountOut` over these legs; a search for a larger order returns `paidFor`. */
const depthOver = (legs: readonly TestLeg[], amountIn: number, amountOut: bigint, paidFor = straightly) =>
  depthOf({ amountIn: BigInt(amountIn), amountOut, flow: flowOf(legs, amountIn), paidFor, maySearch: () => true }).size;

/** Pays 1 for each unit, up to `most` units. */
const straight = (most: number): TestLeg => ({ depth: 1e30, most, share: 1 });

test('the depth of two pools lies at most 4 % below the amount whose price is 1 % lower', () => {
  // Together they are one pair of 4e9: an amount s is paid 4e9 / (4e9 + s).
  const legs = [
    { depth: 1e9, share: 0.25 },
    { depth: 3e9, share: 0.75 },
  ];
  const exact = (4e9 + 1e6) / 0.99 - 4e9;
  const paidFor = (size: bigint) => (size * 4_000_000_000n) / (4_000_000_000n + size);
  const depth = Number(depthOver(legs, 1e6, 999_750n, paidFor));
  expect(depth).toBeLessThanOrEqual(exact * 1.000_01);
  expect(depth).toBeGreaterThan((exact / 1.04) * 0.998);
});

test('an order that no split takes has its own amount as depth', () => {
  expect(
    depthOf({ amountIn: 700n, amountOut: 690n, flow: undefined, paidFor: straightly, maySearch: () => true }),
  ).toEqual({ size: 700n, isLowerBound: false });
});

test('an order that cannot grow has its own amount as depth', () => {
  expect(depthOver([straight(1000)], 1000, 999n)).toBe(1000n);
});

test('the order doubles at most 60 times', () => {
  const depth = depthOver([{ depth: 5e33, most: 1e40, share: 1 }], 1000, 999n);
  expect(depth).toBe(BigInt(Math.floor(1000 * 2 ** 60 * 0.999)));
});

test('halves the distance to an amount that no route takes, until it is within 4 %', () => {
  // 2000 fails, 1500 fits; 1750, 1625, 1562.5 and 1531.25 fail. A thousandth below 1500 is left as a margin.
  expect(depthOver([straight(1500)], 1000, 999n)).toBe(1498n);
});

const straightTo = (most: number) => flowOf([straight(most)], 50_000);

test.each([
  { paid: 98_901n, depth: 99_900n, why: 'a plan for 99,900 units pays 98,901, exactly 1 % less' },
  {
    paid: 98_900n,
    depth: 99_326n,
    why: 'a plan for 99,900 units pays 98,900, so 98.95 % of 49,850 more than the order is next',
  },
  { paid: 97_902n, depth: 62_225n, why: 'a plan for 99,900 units pays 2 % less, so 49 % of 24,950 more is next' },
  { paid: undefined, depth: 96_903n, why: 'no plan takes 99,900 units, so 97 % of it is next' },
])('counts $depth units: $why', ({ paid, depth }) => {
  const paidFor = (size: bigint) => (size === 99_900n ? paid : size);
  const flow = straightTo(100_000);
  expect(depthOf({ amountIn: 50_000n, amountOut: 50_000n, flow, paidFor, maySearch: () => true }).size).toBe(depth);
});

test.each([
  { most: 96_903n, depth: 96_903n, searches: 2 },
  { most: 96_902n, depth: 87_212n, searches: 3 },
  { most: 61_048n, depth: 61_048n, searches: 4 },
  { most: 61_047n, depth: 50_000n, searches: 4 },
])('searches $searches times if no plan takes more than $most units', ({ most, depth, searches }) => {
  const sizes: bigint[] = [];
  const paidFor = (size: bigint) => {
    sizes.push(size);
    return size <= most ? size : undefined;
  };
  const order = { amountIn: 50_000n, amountOut: 50_000n, flow: straightTo(100_000), maySearch: () => true };
  expect(depthOf({ ...order, paidFor }).size).toBe(depth);
  expect(sizes).toHaveLength(searches);
});

test.each([
  { most: 9, why: 'searches at most five times' },
  { most: 3, why: 'does not search without work left' },
])('$why, then the depth is the order', ({ most }) => {
  let searches = 0;
  const paidFor = (size: bigint) => {
    searches += 1;
    return (size * 989n) / 1000n;
  };
  const order = { amountIn: 50_000n, amountOut: 50_000n, flow: straightTo(100_000) };
  const depth = depthOf({ ...order, paidFor, maySearch: () => searches < most });
  expect(depth).toEqual({ size: 50_000n, isLowerBound: true });
  expect(searches).toBe(Math.min(5, most));
});
