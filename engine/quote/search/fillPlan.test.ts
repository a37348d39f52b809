import { expect, test } from 'vitest';
import { poolOf, type TestToken, testTokens } from '../../../tests/support/engine/testMarket.ts';
import type { Pool, PoolState } from '../../venues/poolTypes.ts';
import { fillPlan, type States, statesOf } from './fillPlan.ts';
import type { PlanLeg } from './planTypes.ts';

const { LT, USDC, WETH, DAI } = testTokens;

/** A pair of Uniswap v2 with 0.3 % fee. */
const pair = (reserve0: bigint, reserve1: bigint, a: TestToken, b: TestToken): Pool =>
  poolOf({ kind: 'pair', rule: 'uniswap-v2', reserve0, reserve1, feePips: [3000, 3000] }, a, b);

/** UniswapV2Library.getAmountOut. */
const amountOutOf = (amountIn: bigint, reserveIn: bigint, reserveOut: bigint) =>
  (amountIn * 997n * reserveOut) / (reserveIn * 1000n + amountIn * 997n);

const legOf = ({ ref }: Pool, from: TestToken, to: TestToken, shareBps = 10_000): PlanLeg => ({
  pool: ref,
  tokenIn: from.address,
  tokenOut: to.address,
  shareBps,
});
const fill = (amountIn: bigint, legs: readonly PlanLeg[], pools: readonly Pool[], states: States = statesOf(pools)) =>
  fillPlan({ tokenIn: LT.address, tokenOut: USDC.address, amountIn, legs }, states);

const direct = pair(1_000_000n, 2_000_000n, LT, USDC);
const other = pair(3_000_000n, 5_000_000n, LT, USDC);

test('sells the rounded parts of an order, and the rest in the last leg', () => {
  const legs = [legOf(direct, LT, USDC, 3_333), legOf(other, LT, USDC, 6_667)];
  const { filled } = fill(10_001n, legs, [direct, other]) ?? {};
  const amounts = [amountOutOf(3_333n, 1_000_000n, 2_000_000n), amountOutOf(6_668n, 3_000_000n, 5_000_000n)] as const;
  expect(filled?.legs).toEqual([
    { ...legs[0], amountIn: 3_333n, amountOut: amounts[0] },
    { ...legs[1], amountIn: 6_668n, amountOut: amounts[1] },
  ]);
  expect(filled?.amountOut).toBe(amounts[0] + amounts[1]);
});

test('sells all that earlier legs bought, in either direction of a pool', () => {
  const [first, second] = [pair(10n ** 9n, 10n ** 6n, LT, WETH), pair(2n * 10n ** 9n, 10n ** 6n, WETH, USDC)];
  const legs = [legOf(first, LT, WETH), legOf(second, WETH, USDC)];
  const { filled } = fill(10n ** 6n, legs, [first, second]) ?? {};
  const bought = amountOutOf(10n ** 6n, 10n ** 9n, 10n ** 6n);
  // The pool's token0 is USDC, so WETH is its second token.
  const amountOut = amountOutOf(bought, 10n ** 6n, 2n * 10n ** 9n);
  expect(filled?.legs.map((leg) => [leg.amountIn, leg.amountOut])).toEqual([
    [10n ** 6n, bought],
    [bought, amountOut],
  ]);
  expect(filled?.amountOut).toBe(amountOut);
});

test('counts the gas of every leg, more for a curve than for a pair', () => {
  const gasOf = (legs: PlanLeg[]) => fill(10_000n, legs, [direct, other])?.filled.gas ?? 0n;
  const one = gasOf([legOf(direct, LT, USDC)]);
  expect(one).toBeGreaterThan(0n);
  expect(gasOf([legOf(direct, LT, USDC, 5_000), legOf(other, LT, USDC, 5_000)])).toBe(2n * one);
});

test('a pool that is used twice sells the second time at the changed price', () => {
  const legs = [legOf(direct, LT, USDC, 5_000), legOf(direct, LT, USDC, 5_000)];
  const { filled, after } = fill(20_000n, legs, [direct]) ?? {};
  const first = amountOutOf(10_000n, 1_000_000n, 2_000_000n);
  const second = amountOutOf(10_000n, 1_010_000n, 2_000_000n - first);
  expect(filled?.amountOut).toBe(first + second);
  const changed = { reserve0: 1_020_000n, reserve1: 2_000_000n - first - second };
  expect(after?.get(direct.ref.id)).toMatchObject(changed);
  expect(direct.state).toMatchObject({ reserve0: 1_000_000n });
});

test.each([
  ['a pool without a state', 10_000n, [legOf(other, LT, USDC)], [direct]],
  ['an order of nothing', 0n, [legOf(direct, LT, USDC)], [direct]],
  ['a part that rounds to nothing', 9_999n, [legOf(direct, LT, USDC, 1), legOf(other, LT, USDC, 1)], [direct, other]],
  ['a token that no leg bought', 10_000n, [legOf(direct, DAI, USDC)], [direct]],
  ['an output that rounds to nothing', 1n, [legOf(pair(10n ** 9n, 10n, LT, USDC), LT, USDC)], [] as Pool[]],
])('is undefined for %s', (_name, amountIn, legs, pools) => {
  expect(fill(amountIn, legs, pools)).toBeUndefined();
});

test('is undefined if a pool pays nothing for its part', () => {
  const thin = pair(10n ** 9n, 10n, LT, USDC);
  expect(fill(1n, [legOf(thin, LT, USDC)], [thin])).toBeUndefined();
  const opaque = poolOf({ kind: 'opaque', reason: 'hook' } satisfies PoolState, LT, USDC);
  expect(fill(10_000n, [legOf(opaque, LT, USDC)], [opaque])).toBeUndefined();
});

// Their states are independent copies, so the second pair would not see the first sale.
test('is undefined for two pairs of one weighted pool', () => {
  const address = `0x${'c0'.repeat(20)}`;
  const vault = (pool: Pool, id: string): Pool => ({
    ...pool,
    ref: { ...pool.ref, id: id as `0x${string}`, candidatePool: { ...pool.ref.candidatePool, family: 'balancer-v2' } },
  });
  const pools = [vault(direct, `${address}${'01'.repeat(40)}`), vault(other, `${address}${'02'.repeat(40)}`)];
  const legs = pools.map((pool) => legOf(pool, LT, USDC, 5_000));
  expect(fill(10_000n, legs, pools)).toBeUndefined();
  expect(fill(10_000n, legs.slice(0, 1), pools)).toBeDefined();
});
