import { expect, test } from 'vitest';
import { priceFlags } from './flags.ts';
import type { LensReading } from './lensReading.ts';
import type { QuoteAnswer } from './quoteTypes.ts';

const calm = { spotPrice: 1, priceImpactBps: 5, depthAtSize: 1 } as QuoteAnswer;
const flagsAt = (depth: bigint, depthOpen = false) => {
  const reading = { amountIn: 3n, depth, depthOpen } as LensReading;
  return priceFlags(calm, reading, 1n);
};

test('default: a market that bears less than twice the size is thin', () => {
  expect(flagsAt(5n)).toMatchObject([{ code: 'THIN_DEPTH', message: expect.stringContaining('more than 1 %') }]);
});

test('behavior: twice the size, to the unit, is not', () => {
  expect(flagsAt(6n)).toEqual([]);
});

test('behavior: a search that ended early is reported as a lower bound', () => {
  expect(flagsAt(5n, true)).toMatchObject([{ code: 'THIN_DEPTH', message: expect.stringContaining('lower bound') }]);
});

test.each([
  [300, undefined],
  [301, 'warn'],
  [1_000, 'warn'],
  [1_001, 'critical'],
] as const)('rates an impact of %s bps as %s', (priceImpactBps, severity) => {
  const reading = { amountIn: 3n, depth: 6n } as LensReading;
  const flag = priceFlags({ ...calm, priceImpactBps }, reading, 1n).find(({ code }) => code === 'HIGH_IMPACT');
  expect(flag?.severity).toBe(severity);
});
