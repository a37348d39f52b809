import { expect, test } from 'vitest';
import { pairState, poolOf, type TestToken, testTokens } from '../../../tests/support/engine/testMarket.ts';
import { unitsOf } from '../../../tests/support/engine/testQuery.ts';
import { toLowerAddress } from '../../lowerAddress.ts';
import type { StateReading } from '../../pools/decodeStates.ts';
import { deployments } from '../../venues/deployments/deployments.ts';
import type { Pool } from '../../venues/poolTypes.ts';
import type { ChainData } from '../chainData.ts';
import type { Depth } from '../search/depth.ts';
import { type SearchResult, searchPlan } from '../search/searchPlan.ts';
import { depthOverListed, gasPriceIn, listedTokens, roundsToZero, searchFor } from './searchFor.ts';

const { base } = deployments;
const data = { deployment: base };
const { LT } = testTokens;
const weth: TestToken = { address: base.wrappedNative, usd: 3_000, decimals: 18 };
const usdc: TestToken = { address: base.usdc, usd: 1, decimals: 6 };
const unlisted: TestToken = { address: toLowerAddress(`0x${'99'.repeat(20)}`), usd: 1, decimals: 18 };
const pool = (a: TestToken, b: TestToken, usd: number, skewBps = 0) =>
  poolOf(pairState(a, b, usd, skewBps, 3_000), a, b);
const statesFor = (pools: readonly Pool[], baseFee = 10n ** 9n) =>
  ({ pools, tokens: [], block: { baseFee } }) as unknown as StateReading;
const gasPrice = (to: TestToken, ...pools: Pool[]) => gasPriceIn(to.address, statesFor(pools), data);

test('gas costs the base fee in the native coin, and its price in another token', () => {
  expect(gasPrice(weth)).toBe(1e9);
  expect(gasPrice(usdc)).toBeUndefined();
  expect(gasPrice(usdc, pool(weth, usdc, 1_000_000))).toBeCloseTo(3, 8);
  expect(gasPrice(LT, pool(weth, LT, 1_000_000))).toBeCloseTo((1e9 * 3_000) / 0.037, -8);
});

test('without a direct pool, the price is over a pricing asset; the deepest route counts', () => {
  const overUsdc = [pool(weth, usdc, 9_000_000), pool(usdc, LT, 5_000_000)];
  const expected = (1e9 * 3_000) / 0.037;
  expect((gasPrice(LT, ...overUsdc) ?? 0) / expected).toBeCloseTo(1, 6);
  expect(gasPrice(LT, pool(weth, usdc, 9_000_000))).toBeUndefined();
  const dust = pool(weth, LT, 10, 5_000);
  expect((gasPrice(LT, ...overUsdc, dust) ?? 0) / expected).toBeCloseTo(1, 6);
  const deep = pool(weth, LT, 50_000_000, 100);
  expect((gasPrice(LT, ...overUsdc, deep) ?? 0) / expected).not.toBeCloseTo(1, 3);
  // The shallower of the two hops limits the depth of a route.
  const [narrow, middle] = [pool(usdc, LT, 100), pool(weth, LT, 10_000, 100)];
  const price = gasPrice(LT, pool(weth, usdc, 9_000_000), narrow, middle) ?? 0;
  expect(Math.abs(price / expected - 1)).toBeGreaterThan(0.005);
});

test('the order’s tokens and the routing assets are listed', () => {
  const listed = listedTokens(data, { tokenIn: LT.address, tokenOut: unlisted.address, amountIn: 1n });
  expect([LT.address, unlisted.address, weth.address, usdc.address].every((each) => listed.has(each))).toBe(true);
  expect(listed.has(testTokens.AERO.address)).toBe(false);
});

const order = { tokenIn: LT.address, tokenOut: usdc.address, amountIn: unitsOf(1_000, LT) };

test('routes may pass through every token of the pools', () => {
  const over = [pool(LT, unlisted, 5_000_000), pool(unlisted, usdc, 5_000_000)];
  const { single } = searchFor(data, statesFor(over), order);
  expect(single?.plan.legs.map(({ tokenOut }) => tokenOut)).toEqual([unlisted.address, usdc.address]);
});

test('only the given pools are searched', () => {
  const [good, bad] = [pool(LT, usdc, 5_000_000, 100), pool(LT, usdc, 5_000_000, -100)];
  const states = statesFor([good, bad]);
  const all = searchFor(data, states, order).single?.amountOut ?? 0n;
  expect(searchFor(data, states, order, [bad]).single?.amountOut).toBeLessThan(all);
  expect(searchFor(data, states, order, []).single).toBeUndefined();
});

// Whole tokens: an order of 1,000 USD buys 1.66 of the first, of which one arrives at the second pool.
test.each([
  ['six tokens of 600 USD', 6, 600, 'listed', 'listed'],
  ['one token of 60 USD', 1, 60, 'unlisted', 'listed'],
  ['one token of 6 USD', 1, 6, 'unlisted', 'unlisted'],
] as const)('beside routes over %s, the routes that pay most are found', (_, count, usd, single, best) => {
  const tokens = Array.from({ length: count }, (__, index): TestToken => {
    return { address: toLowerAddress(`0x${(0x99 + index).toString(16).repeat(20)}`), usd, decimals: 0 };
  });
  const listed = [pool(LT, usdc, 60_000), pool(LT, usdc, 48_000)];
  const pools = [...tokens.flatMap((each) => [pool(LT, each, 5e6, 300), pool(each, usdc, 5e6, 300)]), ...listed];
  const found = searchFor(data, statesFor(pools, 0n), order);
  const over = (some: readonly Pool[]) =>
    searchPlan({ ...order, pools: some, routingTokens: tokens.map(({ address }) => address), gasPrice: undefined });
  const expected = { listed: over(listed), unlisted: over(pools) };
  const other = (name: 'listed' | 'unlisted') => expected[name === 'listed' ? 'unlisted' : 'listed'];
  expect(found.single?.amountOut).toBe(expected[single].single?.amountOut);
  expect(found.runnerUp?.amountOut).toBe(expected[single].runnerUp?.amountOut);
  expect(found.single?.amountOut).toBeGreaterThan(other(single).single?.amountOut ?? 0n);
  expect(found.best?.amountOut).toBe(expected[best].best?.amountOut);
  expect(found.best?.amountOut).toBeGreaterThan(other(best).best?.amountOut ?? 0n);
  const least = ((found.best?.amountOut ?? 0n) * 99n) / 100n;
  expect(found.depthBelow(least)).toEqual(expected[best].depthBelow(least));
});

/** A search whose depth is `size` over these pools, and which pays so much for an order. */
function depthWith(
  own: readonly Pool[],
  paid: (pools: readonly Pool[], amountIn: bigint) => bigint,
  amountOut = 1_000n,
) {
  const asked: [number, bigint][] = [];
  const searchOver = (pools: readonly Pool[], amountIn: bigint) =>
    ({
      best: { amountOut: paid(pools, amountIn) },
      depthBelow(least: bigint): Depth {
        asked.push([pools.length, least]);
        return { size: BigInt(pools.length) * 100n, isLowerBound: false };
      },
    }) as unknown as SearchResult;
  const safe = [pool(LT, usdc, 1)];
  const trusted = [...safe, ...own, pool(LT, unlisted, 1)];
  return { depth: depthOverListed({ searchOver, trusted, safe, own, amountIn: 100n }, amountOut).size, asked };
}
const ownPools = [pool(LT, unlisted, 2), pool(unlisted, usdc, 2)];

test('the depth is over listed tokens alone if the plan uses no other', () => {
  expect(depthWith([], () => 900n)).toEqual({ depth: 100n, asked: [[1, 1_000n]] });
  expect(depthWith([], () => 1_100n).asked).toEqual([[1, 1_100n]]);
});

test('the plan’s other pools count if an order of that depth pays at most 1 % less per unit', () => {
  // 300 units over three pools, which pay 10 each at the answer’s price.
  const paying = (amount: bigint) => depthWith(ownPools, (_pools, amountIn) => (amountIn === 300n ? amount : 1_000n));
  expect(paying(2_970n).depth).toBe(300n);
  expect(paying(2_969n)).toMatchObject({
    depth: 100n,
    asked: [
      [3, 1_000n],
      [1, 1_000n],
    ],
  });
});

test('an output rounds to zero if only a larger order pays', () => {
  const pools = [pool(LT, usdc, 1_000_000)];
  const states = statesFor(pools);
  const roundsAt = (amountIn: bigint, some = states) => {
    const small = { ...order, amountIn };
    return roundsToZero(data as unknown as ChainData, {
      states: some,
      order: small,
      result: searchFor(data, some, small),
    });
  };
  expect(roundsAt(1n)).toBe(true);
  expect(roundsAt(order.amountIn)).toBe(false);
  expect(roundsAt(1n, statesFor([]))).toBe(false);
});
