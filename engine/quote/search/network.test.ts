import { padHex, toHex } from 'viem';
import { expect, test } from 'vitest';
import { pairState, poolOf, type TestToken, testTokens } from '../../../tests/support/engine/testMarket.ts';
import { type LowerAddress, toLowerAddress } from '../../lowerAddress.ts';
import { type Edge, findPaths, type Network, toNetwork } from './network.ts';

const { AERO, DAI, LT, USDC, WETH } = testTokens;
/** About 1,000 USD of LT. */
const order = (1000 / LT.usd) * 1e18;
const pair = (a: TestToken, b: TestToken, usd: number, skewBps = 0) =>
  poolOf(pairState(a, b, usd, skewBps, 3000), a, b);
const build = (pools: ReturnType<typeof pair>[], routing: readonly TestToken[], amountIn = order) =>
  toNetwork(
    pools,
    LT.address,
    USDC.address,
    routing.map(({ address }) => address),
    amountIn,
  );
const idsOf = (edges: readonly Edge[] = []) => edges.map(({ pool }) => pool.ref.id);
const numbered = (count: number): TestToken[] =>
  Array.from({ length: count }, (_, at) => ({
    address: toLowerAddress(padHex(toHex(0x5000 + at), { size: 20 })),
    usd: 1,
    decimals: 18,
  }));

test('lists tokenIn first, tokenOut last and each routing token once between them', () => {
  const { tokens } = build([], [WETH, LT, DAI, WETH, USDC]);
  expect(tokens).toEqual([LT, WETH, DAI, USDC].map(({ address }) => address));
});

test.each([
  [16, 18],
  [17, 18],
])('keeps at most 16 routing tokens: with %i of them, the network has %i tokens', (count, kept) => {
  const { tokens } = build([], numbered(count));
  expect(tokens).toHaveLength(kept);
  expect(tokens[16]).toBe(numbered(count)[15]?.address);
  expect(tokens.at(-1)).toBe(USDC.address);
});

test('connects pools in the directions that a route can use, and ignores unknown tokens', () => {
  const pools = [pair(LT, USDC, 1e6), pair(WETH, LT, 1e6), pair(DAI, WETH, 1e6), pair(USDC, DAI, 1e6)];
  const { edges, between } = build([...pools, pair(LT, AERO, 1e6), pair(AERO, USDC, 1e6)], [WETH, DAI]);
  // LT 0, WETH 1, DAI 2, USDC 3.
  expect(edges.map(({ from, to }) => [from, to])).toEqual([
    [0, 1],
    [0, 3],
    [1, 2],
    [2, 1],
    [2, 3],
  ]);
  expect(edges.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4]);
  expect(between[1]?.[2]).toEqual([edges[2]]);
  expect(between[0]?.[3]?.[0]?.pool).toBe(pools[0]);
});

test('connects two routing tokens in both directions where the order reaches both', () => {
  const pools = [pair(LT, WETH, 1e6), pair(LT, DAI, 1e6), pair(DAI, WETH, 1e6)];
  const { edges } = build(pools, [WETH, DAI]);
  expect(edges.map(({ from, to }) => [from, to])).toEqual([
    [0, 1],
    [0, 2],
    [1, 2],
    [2, 1],
  ]);
});

test('leaves out a pool of one token with itself, one without liquidity and one whose output cannot be computed', () => {
  const balances = { reason: 'hook', balance0: 10n ** 30n, balance1: 10n ** 30n } as const;
  const unusable = [pair(WETH, WETH, 1e6), pair(LT, WETH, 0), poolOf({ kind: 'opaque', ...balances }, LT, USDC)];
  expect(build([pair(LT, WETH, 1e6), ...unusable], [WETH]).edges).toHaveLength(1);
});

test('leaves out a pool that pays zero for the order', () => {
  expect(build([pair(LT, USDC, 1e6)], [], 0).edges).toEqual([]);
});

test.each([
  { from: 'tokenIn to tokenOut', pairOf: [LT, USDC], at: [0, 2], kept: 16 },
  { from: 'tokenIn to a routing token', pairOf: [LT, WETH], at: [0, 1], kept: 16 },
  { from: 'a routing token to tokenOut', pairOf: [WETH, USDC], at: [1, 2], kept: 16 },
] as const)('keeps the $kept pools from $from that pay most, the best first', ({ pairOf, at, kept }) => {
  const [a, b] = pairOf;
  const many = Array.from({ length: kept + 2 }, (_, index) => pair(a, b, 1e5 * (index + 1)));
  const { between } = build([...many, pair(LT, WETH, 1e4)], [WETH]);
  const expected = many.slice(2).reverse();
  const found = idsOf(between[at[0]]?.[at[1]]);
  expect(found).toEqual(expected.map(({ ref }) => ref.id));
});

test('keeps the 8 pools between two routing tokens that pay most', () => {
  const many = Array.from({ length: 10 }, (_, index) => pair(WETH, DAI, 1e5 * (index + 1)));
  const { between } = build([pair(LT, WETH, 1e6), ...many], [WETH, DAI]);
  const expected = many.slice(2).reverse();
  expect(idsOf(between[1]?.[2])).toEqual(expected.map(({ ref }) => ref.id));
});

test('ranks pools by the largest amount that arrives through one pool or two', () => {
  // Far more WETH arrives through DAI than directly. The shallow pool pays more for a small amount only.
  const [shallow, deep] = [pair(WETH, USDC, 20_000, -100), pair(WETH, USDC, 1e6)];
  const direct = [pair(LT, WETH, 10), shallow, deep];
  expect(idsOf(build(direct, [WETH, DAI]).between[1]?.[3])).toEqual([shallow.ref.id, deep.ref.id]);
  const overDai = [...direct, pair(LT, DAI, 1e6), pair(DAI, WETH, 1e6)];
  expect(idsOf(build(overDai, [WETH, DAI]).between[1]?.[3])).toEqual([deep.ref.id, shallow.ref.id]);
});

test('ranks pools between routing tokens by the amount that arrives through one pool, not through two', () => {
  // Far more WETH arrives through AERO than directly. The pools from WETH to DAI are ranked by the direct amount only.
  const [shallow, deep] = [pair(WETH, DAI, 20_000, 100), pair(WETH, DAI, 1e6)];
  const pools = [pair(LT, WETH, 10), pair(LT, AERO, 1e6), pair(AERO, WETH, 1e6), shallow, deep, pair(DAI, USDC, 1e6)];
  expect(idsOf(build(pools, [AERO, WETH, DAI]).between[2]?.[3])).toEqual([shallow.ref.id, deep.ref.id]);
});

test('connects tokens that the order reaches only through others, in both directions', () => {
  const pools = [pair(LT, AERO, 1e6), pair(AERO, WETH, 1e6), pair(WETH, DAI, 1e6), pair(WETH, USDC, 1e6)];
  const { edges } = build(pools, [AERO, WETH, DAI]);
  expect(edges.map(({ from, to }) => [from, to])).toEqual([
    [0, 1],
    [1, 2],
    [2, 1],
    [2, 3],
    [3, 2],
    [2, 4],
  ]);
});

/** `[from, to, price, capacity]`: a pool that pays `price` for each unit, up to `capacity` units. */
type Row = readonly [from: number, to: number, price: number, capacity?: number];

function networkOf(count: number, rows: readonly Row[]): Network {
  const edges = rows.map(([from, to, price, capacity = Number.POSITIVE_INFINITY], index): Edge => {
    const pay = (amount: number) => (amount <= capacity ? amount * price : Number.NEGATIVE_INFINITY);
    const curve = { pay, slope: () => price, reach: pay, crossed: () => 0 };
    return { index, from, to, curve, firstPrice: price, pool: pair(LT, USDC, 1) };
  });
  const tokens = numbered(count).map(({ address }): LowerAddress => address);
  const between = tokens.map((_, from) =>
    tokens.map((_, to) => edges.filter((edge) => edge.from === from && edge.to === to)),
  );
  return { tokens, edges, between, work: { left: 1e9 } };
}

const routesOf = (network: Network, amountIn: number, excluded: string[] = [], shortest?: number) =>
  findPaths(network, amountIn, new Set(excluded), shortest).map(({ edges, amountOut }) => [
    edges.map(({ index }) => index).join('-'),
    amountOut,
  ]);

const square = networkOf(4, [
  [0, 3, 2],
  [0, 1, 3],
  [1, 3, 4],
  [1, 2, 5],
  [2, 3, 6],
  [0, 2, 7],
  [2, 1, 1],
]);

test('returns every route of one to three hops, the best first', () => {
  expect(routesOf(square, 10)).toEqual([
    ['1-3-4', 900],
    ['5-4', 420],
    ['5-6-2', 280],
    ['1-2', 120],
    ['0', 20],
  ]);
});

test.each([
  [1, 5],
  [2, 4],
  [3, 2],
])('returns only routes of at least %i hops', (shortest, count) => {
  const found = routesOf(square, 10, [], shortest);
  expect(found).toHaveLength(count);
  expect(found[0]).toEqual(['1-3-4', 900]);
});

test('returns no route through an excluded pool', () => {
  const [direct, , , , last] = square.edges.map(({ pool }) => pool.ref.id as string);
  expect(routesOf(square, 10, [direct as string, last as string])).toEqual([
    ['5-6-2', 280],
    ['1-2', 120],
  ]);
});

test('returns no route for a network without pools, or to a token that no pool pays', () => {
  expect(routesOf(networkOf(3, []), 10)).toEqual([]);
  expect(routesOf(networkOf(3, [[0, 1, 2]]), 10)).toEqual([]);
});

test.each([
  [0.1, [['0', 1]]],
  [0.0999, []],
])('returns a route only if it pays at least 1 unit: 10 units at a price of %f', (price, expected) => {
  expect(routesOf(networkOf(2, [[0, 1, price]]), 10)).toEqual(expected);
});

test('a pool without capacity for the larger amount continues the route with the smaller one', () => {
  const rows: Row[] = [
    [0, 1, 3],
    [0, 1, 2],
    [1, 2, 10, 25],
    [1, 2, 1],
  ];
  expect(routesOf(networkOf(3, rows), 10)).toEqual([
    ['1-2', 200],
    ['0-3', 30],
    ['1-3', 20],
  ]);
});

test('a pool continues the two best routes for which it has capacity', () => {
  const rows: Row[] = [
    [0, 1, 4],
    [0, 1, 3],
    [0, 1, 2],
    [1, 2, 1, 30],
  ];
  expect(routesOf(networkOf(3, rows), 10)).toEqual([
    ['1-3', 30],
    ['2-3', 20],
  ]);
});

test('a third hop starts from the four best first hops', () => {
  const first = [9, 8, 7, 6, 5].map((price): Row => [0, 1, price]);
  // First hops pay 90 to 50. A capacity of 61 fits the fourth (60); 51 fits only the fifth (50), which is left out.
  const fourth = networkOf(4, [...first, [1, 2, 1, 61], [2, 3, 1]]);
  expect(routesOf(fourth, 10, [], 3)).toEqual([['3-5-6', 60]]);
  expect(routesOf(networkOf(4, [...first, [1, 2, 1, 51], [2, 3, 1]]), 10, [], 3)).toEqual([]);
});

test('a third hop tries the eight best second hops, at most four of them through one token', () => {
  const over = (token: number, prices: readonly number[]): Row[] => [
    [0, token, 1],
    ...prices.map((price): Row => [token, 4, price]),
  ];
  // Tokens 1, 2 and 3 lead to 4; the only pool from 4 to 5 has the given capacity.
  const network = (capacity: number) =>
    networkOf(6, [
      ...over(1, [90, 80, 70, 60, 50]),
      ...over(2, [40, 30, 20, 10]),
      ...over(3, [9, 8]),
      [4, 5, 1, capacity],
    ]);
  // Tried: four through token 1 and four through token 2. Left out: the fifth through token 1, and all through token 3.
  expect(routesOf(network(10_000), 10, [], 3).map(([, amount]) => amount)).toEqual([900, 800]);
  expect(routesOf(network(650), 10, [], 3).map(([, amount]) => amount)).toEqual([600, 400]);
  expect(routesOf(network(150), 10, [], 3).map(([, amount]) => amount)).toEqual([100]);
  expect(routesOf(network(95), 10, [], 3)).toEqual([]);
});
