import { expect, test } from 'vitest';
import { priceFlags } from './flags.ts';
import type { LensReading } from './lensReading.ts';
import type { QuoteAnswer } from './quoteTypes.ts';

const calm = { spotPrice: 1, priceImpactBps: 5, depthAtSize: 1 } as QuoteAnswer;
const codesAt = (depth: bigint, depthOpen = false) => {
  const reading = { amountIn: 3n, depth, depthOpen, candidates: [{}, {}] } as LensReading;
  return priceFlags(calm, reading).map(({ code }) => code);
};

test('default: a market that bears less than twice the size is thin', () => {
  expect(codesAt(5n)).toEqual(['THIN_DEPTH']);
});

test('behavior: twice the size, to the unit, is not', () => {
  expect(codesAt(6n)).toEqual([]);
});

test('behavior: a search that ended early proves nothing thin', () => {
  expect(codesAt(5n, true)).toEqual([]);
});
