import type { Address } from 'viem';
import { describe, expect, test } from 'vitest';
import type { Quote } from '../wire.ts';
import { afterSlippage, isSameAddress, type Leg, toPlan, toRoutes } from './plan.ts';

const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((digit) => `0x${digit.repeat(40)}` as Address) as [
  Address,
  Address,
  Address,
  Address,
];
const leg = (tokenIn: Address, tokenOut: Address): Leg => ({
  dex: 'uniswap-v2',
  venue: 'uniswap-v2',
  pool: '0x01',
  tokenIn,
  tokenOut,
  feePips: 3000,
  amountIn: 5n,
  amountOut: 7n,
  shareBps: 10_000,
});
const routesOf = (...pairs: [Address, Address][]) =>
  toRoutes({ tokenIn: a, tokenOut: d, amountIn: 5n, legs: pairs.map(([from, to]) => leg(from, to)) })?.map((route) =>
    route.map(({ tokenIn, tokenOut }) => [tokenIn, tokenOut]),
  );

describe('a plan is split into', () => {
  test('one route for each first leg, each up to the token bought', () => {
    expect(routesOf([a, d])).toEqual([[[a, d]]]);
    expect(routesOf([a, d], [a, d])).toEqual([[[a, d]], [[a, d]]]);
    expect(routesOf([a, b], [a, c], [c, d], [b, d])).toEqual([
      [
        [a, b],
        [b, d],
      ],
      [
        [a, c],
        [c, d],
      ],
    ]);
    expect(routesOf([a, b], [b, c], [c, d])).toEqual([
      [
        [a, b],
        [b, c],
        [c, d],
      ],
    ]);
  });

  test.each([
    [
      'two legs buy an intermediate token',
      [
        [a, b],
        [a, b],
        [b, d],
      ],
    ],
    [
      'two legs sell an intermediate token',
      [
        [a, b],
        [b, d],
        [b, d],
      ],
    ],
    [
      'no leg sells an intermediate token',
      [
        [a, b],
        [c, d],
      ],
    ],
  ] as [string, [Address, Address][]][])('no routes if %s', (_name, pairs) => {
    expect(routesOf(...pairs)).toBeUndefined();
  });
});

test.each([
  [10_000n, 0, 10_000n],
  [10_000n, 50, 9_950n],
  [10_000n, 10_000, 0n],
  [1n, 50, 1n],
  [3n, 5_000, 2n],
  [2n, 5_000, 1n],
])('%d less %d basis points is %d, rounded up', (amount, slippageBps, minimum) => {
  expect(afterSlippage(amount, slippageBps)).toBe(minimum);
});

test('a quote becomes a plan with bigint amounts, and a pool key only where it has one', () => {
  const poolKey = { currency0: a, currency1: d, fee: 500, tickSpacing: 10, hooks: b };
  const wire = { ...leg(a, d), amountIn: '5', amountOut: '7' };
  const route = { legs: [wire, { ...wire, poolKey }] };
  const plan = toPlan({ tokenIn: a, tokenOut: d, amountIn: '10', route } as unknown as Quote);
  expect(plan).toEqual({ tokenIn: a, tokenOut: d, amountIn: 10n, legs: [leg(a, d), { ...leg(a, d), poolKey }] });
  expect(plan.legs[0]).not.toHaveProperty('poolKey');
});

test('addresses are compared in any letter case', () => {
  expect(isSameAddress(a, `0x${'A'.repeat(40)}`)).toBe(true);
  expect(isSameAddress(a, b)).toBe(false);
});
