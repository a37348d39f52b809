import { expect, test } from 'vitest';
import { splitQuote } from '../../tests/support/splitQuote.ts';
import { isSinglePath, toBands, toRouteGraph } from './routeGraph.ts';

const { route, tokenIn } = splitQuote;

test('default: shares of a split plan multiply along each route and sum to 1 at tokenOut', () => {
  const { nodes, edges } = toRouteGraph(route, tokenIn);
  expect(edges.map(({ share }) => Number(share.toFixed(4)))).toEqual([0.6, 0.4, 0.28, 0.12]);
  expect(nodes.map(({ column, share }) => [column, Number(share.toFixed(4))])).toEqual([
    [0, 1],
    [2, 1],
    [1, 0.4],
  ]);
});

test('default: legs between the same two tokens are one band with their shares added', () => {
  const bands = toBands(toRouteGraph(route, tokenIn));
  expect(bands.map(({ share, legs }) => [Number(share.toFixed(4)), legs.map(({ place }) => place)])).toEqual([
    [0.6, [1]],
    [0.4, [2]],
    [0.4, [3, 4]],
  ]);
  expect(bands.map(({ legs }) => legs.map(({ venue }) => venue))).toEqual([
    ['uniswap-v3'],
    ['aerodrome'],
    ['uniswap-v4', 'pancakeswap-v3'],
  ]);
});

test('default: a split plan is no single path; legs that sell all that the one before bought are', () => {
  const [direct, first, second] = route.legs;
  if (!direct || !first || !second) throw new Error('The fixture has four legs.');
  expect(isSinglePath(route)).toBe(false);
  const whole = (leg: typeof direct) => ({ ...leg, shareBps: 10_000 });
  expect(isSinglePath({ ...route, legs: [whole(first), whole(second)] })).toBe(true);
  expect(isSinglePath({ ...route, legs: [whole(direct), whole(first)] })).toBe(false);
});
