import { expect, test } from 'vitest';
import { bestRoute } from './bestRoute.ts';
import { searchPlan } from './searchPlan.ts';
import { pairState, poolOf, testTokens } from './testMarket.ts';

const { LT, USDC, WETH } = testTokens;
const direct = { amountOut: 10_000_000n, gas: 85_000n };
const hops = { amountOut: 10_000_001n, gas: 170_000n };

test('prefers the route that pays most after gas', () => {
  expect(bestRoute([hops, direct], 1)).toBe(direct);
  expect(bestRoute([hops, direct], 1e-6)).toBe(hops);
  expect(bestRoute([direct, { ...hops, amountOut: 10_085_001n }], 1)?.gas).toBe(hops.gas);
});

test('without a price of gas, prefers the higher output, then less gas', () => {
  expect(bestRoute([direct, hops])).toBe(hops);
  expect(bestRoute([{ ...hops, amountOut: direct.amountOut }, direct])).toBe(direct);
  expect(bestRoute([])).toBeUndefined();
});

test('a wrong price of gas costs at most 1 % of the output', () => {
  const more = { amountOut: 10_200_000n, gas: 400_000n };
  expect(bestRoute([direct, more], 1e12)).toBe(more);
});

test('does not take more hops for less than their gas', () => {
  const pools = [
    poolOf(pairState(LT, USDC, 2_000_000, 0, 3000), LT, USDC),
    // After both fees 0.89 dollars more than the direct pool.
    poolOf(pairState(LT, WETH, 2_000_000, 10, 3000), LT, WETH),
    poolOf(pairState(WETH, USDC, 90_000_000, 0, 100), WETH, USDC),
  ];
  const amountIn = BigInt(Math.round(1000 / LT.usd)) * 10n ** 18n;
  const question = { pools, tokenIn: LT.address, tokenOut: USDC.address, amountIn, routingTokens: [WETH.address] };
  const withoutGas = searchPlan(question).single;
  expect(withoutGas?.legs).toHaveLength(2);
  // A second leg costs 2 dollars.
  const { single } = searchPlan({ ...question, gasPrice: 2e6 / 85_000 });
  expect(single?.legs).toHaveLength(1);
  const gain = Number((withoutGas?.amountOut ?? 0n) - (single?.amountOut ?? 0n));
  expect(gain).toBeGreaterThan(0);
  expect(gain).toBeLessThan(1_000_000);
});
