import { expect, test } from 'vitest';
import type { OrderSize } from '../query/sizeOrder.ts';
import { measurePrices } from './measurePrices.ts';

const decimals = { in: 2, out: 0 };
const size = { amountIn: 1_000n } as OrderSize;
/** 10 tokens for 19, at a mid of 2. */
const pricesOf = (secondAmountOut: bigint | undefined, mid: number | undefined = 0.02) =>
  measurePrices(size, { mid, depth: 3_000n }, { amountOut: 19n, secondAmountOut } as never, decimals);

test('prices are in whole tokens, and losses in basis points of the mid', () => {
  const { priceImpactBps, worstCaseSlippageBps, ...prices } = pricesOf(18n);
  expect(prices).toEqual({ executablePrice: 1.9, spotPrice: 2, depthAtSize: 30 });
  expect(priceImpactBps).toBeCloseTo(500, 9);
  expect(worstCaseSlippageBps).toBeCloseTo(1_000, 9);
});

test.each([undefined, 0n])('a second order that pays %s loses everything', (second) => {
  expect(pricesOf(second).worstCaseSlippageBps).toBe(10_000);
});

test.each([undefined, 0, Number.POSITIVE_INFINITY])('a mid of %s is no price', (mid) => {
  const prices = measurePrices(size, { mid, depth: 0n }, { amountOut: 19n } as never, decimals);
  expect(prices).toMatchObject({ spotPrice: null, priceImpactBps: null, worstCaseSlippageBps: null });
});
