import { expect, test } from 'vitest';
import { pairState, poolOf, testTokens } from './search/testMarket.ts';
import { worthOf } from './worthOf.ts';

const { WETH, USDC, DAI, LT } = testTokens;
const addresses = [LT, USDC, WETH, DAI].map(({ address }) => address);
const pools = [
  poolOf(pairState(LT, WETH, 50_000, 0, 3000), LT, WETH),
  poolOf(pairState(LT, WETH, 2, 5000, 3000), LT, WETH),
  poolOf(pairState(WETH, USDC, 1_000_000, 0, 500), WETH, USDC),
];

test('values the order in each token by the deepest pools, directly or over one token', () => {
  const amountIn = 1_000_000n * 10n ** 18n;
  const worth = worthOf({ tokenIn: LT.address, amountIn }, addresses, pools);
  expect(worth.get(LT.address)).toBe(amountIn);
  expect(Number(worth.get(WETH.address)) / 1e18).toBeCloseTo(37_000 / 3200, 3);
  expect(Number(worth.get(USDC.address)) / 1e6).toBeCloseTo(37_000, 0);
});

test('leaves out a token without a price', () => {
  const worth = worthOf({ tokenIn: LT.address, amountIn: 10n ** 18n }, addresses, pools);
  expect(worth.has(DAI.address)).toBe(false);
});
