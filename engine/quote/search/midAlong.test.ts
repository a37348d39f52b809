import { expect, test } from 'vitest';
import { pairState, poolOf, type TestToken, testTokens } from '../../../tests/support/engine/testMarket.ts';
import { unitsOf } from '../../../tests/support/engine/testQuery.ts';
import type { OpaqueState } from '../../venues/opaque.ts';
import type { Pool } from '../../venues/poolTypes.ts';
import { deepestAlong, largestPath, midAlong } from './midAlong.ts';

const { LT, USDC, WETH, DAI } = testTokens;

const pairOf = (a: TestToken, b: TestToken, usd: number, skewBps = 0) => poolOf(pairState(a, b, usd, skewBps, 0), a, b);

/** A leg whose output is the given part of the market price. */
function legOf({ ref }: Pool, from: TestToken, to: TestToken, usd: number, part = 1) {
  const [amountIn, amountOut] = [unitsOf(usd, from), unitsOf(usd * part, to)];
  return { pool: ref, tokenIn: from.address, tokenOut: to.address, amountIn, amountOut };
}

const midOf = (from: TestToken, to: TestToken) => (from.usd / to.usd) * 10 ** (to.decimals - from.decimals);

test('multiplies the mids of the deepest pools along the route', () => {
  const [first, second] = [pairOf(LT, WETH, 10_000), pairOf(WETH, USDC, 10_000)];
  const [deepFirst, deepSecond] = [pairOf(LT, WETH, 90_000, 20), pairOf(WETH, USDC, 90_000, -10)];
  const pools = [first, deepFirst, deepSecond, second];
  const hops = [legOf(first, LT, WETH, 100), legOf(second, WETH, USDC, 100)];
  expect(deepestAlong(hops, pools)).toEqual([deepFirst.ref, deepSecond.ref]);
  // The second pool's token0 is USDC: its skew raises WETH's price in USDC by as much as it lowers the reserve of WETH.
  const mid = midAlong(hops, pools) ?? 0;
  expect(mid / midOf(LT, USDC)).toBeCloseTo(1.002 / 0.999, 4);
});

test('ignores a deeper pool whose mid is more than 1 % below the price of the fill', () => {
  const [used, tooLow] = [pairOf(LT, USDC, 10_000), pairOf(LT, USDC, 500_000, -300)];
  const hops = [legOf(used, LT, USDC, 100)];
  expect(deepestAlong(hops, [tooLow, used])).toEqual([used.ref]);
  expect((midAlong(hops, [tooLow, used]) ?? 0) / midOf(LT, USDC)).toBeCloseTo(1, 6);
});

test('has no mid without a pool of the pair', () => {
  const [used, other] = [pairOf(LT, USDC, 10_000), pairOf(LT, WETH, 10_000)];
  const hops = [legOf(used, LT, USDC, 100)];
  expect(midAlong(hops, [other])).toBeUndefined();
  expect(deepestAlong(hops, [other])).toEqual([used.ref]);
});

function opaqueOf(state: Partial<OpaqueState>): Pool {
  return poolOf({ kind: 'opaque', reason: 'hook', ...state }, LT, USDC);
}

test('uses the price that an opaque pool reports, in both directions, if the fill is close to it', () => {
  const liquidity = 1n;
  const sqrtPriceX96 = BigInt(Math.floor(Math.sqrt(midOf(LT, USDC)) * 2 ** 96));
  const pool = opaqueOf({ sqrtPriceX96, liquidity });
  expect((midAlong([legOf(pool, LT, USDC, 100)], [pool]) ?? 0) / midOf(LT, USDC)).toBeCloseTo(1, 9);
  expect((midAlong([legOf(pool, USDC, LT, 100)], [pool]) ?? 0) / midOf(USDC, LT)).toBeCloseTo(1, 9);
  expect(midAlong([legOf(pool, LT, USDC, 100, 1.02)], [pool])).toBeUndefined();
  for (const state of [{ sqrtPriceX96 }, { liquidity }, { sqrtPriceX96, liquidity: 0n }]) {
    const without = opaqueOf(state);
    expect(midAlong([legOf(without, LT, USDC, 100)], [without])).toBeUndefined();
  }
});

test('follows the largest leg of each token', () => {
  const pools = [
    pairOf(LT, WETH, 1),
    pairOf(LT, DAI, 1),
    pairOf(LT, DAI, 1),
    pairOf(WETH, USDC, 1),
    pairOf(DAI, USDC, 1),
  ];
  const [toWeth, toDai, maxToDai, fromWeth, fromDai] = pools as [Pool, Pool, Pool, Pool, Pool];
  const legs = [
    legOf(toWeth, LT, WETH, 30),
    legOf(toDai, LT, DAI, 20),
    legOf(maxToDai, LT, DAI, 50),
    legOf(fromWeth, WETH, USDC, 30),
    legOf(fromDai, DAI, USDC, 70),
  ];
  expect(largestPath(legs)).toEqual([legs[2], legs[4]]);
  expect(largestPath([])).toEqual([]);
});
