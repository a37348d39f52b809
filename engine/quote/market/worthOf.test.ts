import { expect, test } from 'vitest';
import { pairState, poolOf, testTokens } from '../../../tests/support/engine/testMarket.ts';
import { worthOf } from './worthOf.ts';

const { WETH, USDC, DAI, LT } = testTokens;
const addresses = [LT, USDC, WETH, DAI].map(({ address }) => address);
const pools = [
  poolOf(pairState(LT, WETH, 50_000, 0, 3000), LT, WETH),
  poolOf(pairState(LT, WETH, 2, 5000, 3000), LT, WETH),
  poolOf(pairState(WETH, USDC, 1_000_000, 0, 500), WETH, USDC),
];

test('returns the output of the order in one pool, directly or over one token', () => {
  const amountIn = 100_000n * 10n ** 18n;
  const worth = worthOf({ tokenIn: LT.address, amountIn }, addresses, pools);
  expect(worth.get(LT.address)).toBe(amountIn);
  // 3,700 USD into 50,000 USD a side: 7 % below the mid.
  expect((Number(worth.get(WETH.address)) / 1e18) * 3200).toBeCloseTo(3435.4, 0);
  expect(Number(worth.get(USDC.address)) / 1e6).toBeCloseTo(3422, 0);
});

test('never returns more than the market holds', () => {
  const worth = worthOf({ tokenIn: LT.address, amountIn: 10n ** 40n }, addresses, pools);
  expect((Number(worth.get(WETH.address)) / 1e18) * 3200).toBeLessThan(50_001);
});

test('omits a token without a price', () => {
  const worth = worthOf({ tokenIn: LT.address, amountIn: 10n ** 18n }, addresses, pools);
  expect(worth.has(DAI.address)).toBe(false);
});
