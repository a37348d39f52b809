import { describe, expect, test } from 'vitest';
import { concentratedState, pairState, poolOf, testTokens } from '../../../tests/support/engine/testMarket.ts';
import { toSearchQuery, unitsOf } from '../../../tests/support/engine/testQuery.ts';
import type { Pool } from '../../venues/poolTypes.ts';
import type { ConcentratedState } from '../../venues/uniswapV3/concentrated.ts';
import { type SearchQuery, searchPlan } from './searchPlan.ts';

const { LT, USDC, WETH } = testTokens;
const pair = (usd: number) => poolOf(pairState(LT, USDC, usd, 0, 3000), LT, USDC);
const small = concentratedState(LT, USDC, 0, 3000, 60, [{ usd: 1000, range: [0.9, 1.1] }]);
const query = (pools: readonly Pool[], usd: number, changes: Partial<SearchQuery> = {}) => ({
  ...toSearchQuery(pools, LT, USDC, usd),
  ...changes,
});
const plansOf = ({ single, best, runnerUp }: ReturnType<typeof searchPlan>) =>
  [single, best, runnerUp].filter((plan) => plan !== undefined);

describe('without an order', () => {
  test.each([
    ['an amount of 0', { amountIn: 0n }],
    ['a negative amount', { amountIn: -1n }],
    ['a token for itself', { tokenOut: LT.address }],
  ])('%s has no plan and needs no ticks', (_, changes) => {
    const order = query([pair(1e6), poolOf(small, LT, USDC)], 100, changes);
    const result = searchPlan(order);
    expect(plansOf(result)).toEqual([]);
    expect(result).toMatchObject({ opaque: [], needsTicks: false });
    expect(result.depthBelow(1n).size).toBe(order.amountIn);
  });
});

describe('without a route', () => {
  test('a market of other tokens has no plan and needs no ticks', () => {
    const result = searchPlan(query([poolOf(small, WETH, USDC)], 100));
    expect(plansOf(result)).toEqual([]);
    expect(result).toMatchObject({ opaque: [], needsTicks: false });
  });

  test('more ticks may help if a concentrated pool cannot take the order', () => {
    const result = searchPlan(query([poolOf(small, LT, USDC)], 1e6));
    expect(plansOf(result)).toEqual([]);
    expect(result.needsTicks).toBe(true);
  });

  test('more ticks do not help if no pool has ticks', () => {
    const empty = poolOf({ kind: 'pair', rule: 'uniswap-v2', reserve0: 1n, reserve1: 1n, feePips: [0, 0] }, LT, USDC);
    const result = searchPlan(query([empty], 1e6));
    expect(plansOf(result)).toEqual([]);
    expect(result.needsTicks).toBe(false);
  });

  test('a pool with a hook is listed for execution', () => {
    const { sqrtPriceX96, liquidity } = small;
    const hooked = poolOf({ kind: 'opaque', reason: 'hook', sqrtPriceX96, liquidity }, LT, USDC);
    const result = searchPlan(query([hooked], 100));
    expect(plansOf(result)).toEqual([]);
    expect(result.opaque.map(({ legs }) => legs.map(({ pool }) => pool))).toEqual([[hooked.ref]]);
    expect(result.needsTicks).toBe(false);
  });
});

describe('with a route', () => {
  const wide = concentratedState(LT, USDC, 100, 500, 10, [{ usd: 100_000, range: [0.5, 2] }]);
  const partlyRead: ConcentratedState = { ...wide, ticks: [], knownFrom: wide.tick - 10, knownTo: wide.tick + 10 };

  test('needs more ticks only if a better route may leave the read ones', () => {
    expect(searchPlan(query([pair(5000), poolOf(wide, LT, USDC)], 500)).needsTicks).toBe(false);
    expect(searchPlan(query([pair(5000), poolOf(partlyRead, LT, USDC)], 2)).needsTicks).toBe(false);
    const beyond = searchPlan(query([pair(5000), poolOf(partlyRead, LT, USDC)], 500));
    expect(beyond.single?.legs).toHaveLength(1);
    expect(beyond.needsTicks).toBe(true);
  });

  test('leaves out a leg that gains less than its gas, and keeps the others', () => {
    const pools = [pair(300_000), pair(300_000), pair(3000)];
    const legs = (gasPrice: number | undefined) => searchPlan(query(pools, 10_000, { gasPrice })).best?.legs.length;
    expect(legs(undefined)).toBe(3);
    // The third leg gains about 0.8 dollars of the 165 that a split gains.
    expect(legs(Number(unitsOf(10, USDC)) / 85_000)).toBe(2);
    expect(legs(Number(unitsOf(500, USDC)) / 85_000)).toBe(1);
  });
});
