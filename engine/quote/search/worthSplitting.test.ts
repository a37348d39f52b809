import { expect, test } from 'vitest';
import { canBeWorthSplitting, isWorthSplitting } from './worthSplitting.ts';

const single = { amountOut: 10_000_000n, gas: 100_000n };
const split = (amountOut: bigint, gas = 185_000n) => ({ amountOut, gas });

test.each([
  { gain: 1_000n, gasPrice: 0, worth: false },
  { gain: 1_001n, gasPrice: 0, worth: true },
  { gain: 5_000n, gasPrice: undefined, worth: false },
  { gain: 5_001n, gasPrice: undefined, worth: true },
])('a gain of $gain on 10,000,000 is enough at a gas price of $gasPrice: $worth', ({ gain, gasPrice, worth }) => {
  expect(isWorthSplitting(split(10_000_000n + gain), single, gasPrice)).toBe(worth);
});

test('the gain after the extra gas must be over 1 bp', () => {
  // 85,000 gas cost 17,000.
  expect(isWorthSplitting(split(10_018_000n), single, 0.2)).toBe(false);
  expect(isWorthSplitting(split(10_018_001n), single, 0.2)).toBe(true);
});

test('a split that takes less gas must still pay over 1 bp more', () => {
  expect(isWorthSplitting(split(10_001_000n, 50_000n), single, 0.2)).toBe(false);
  expect(isWorthSplitting(split(10_001_001n, 50_000n), single, 0.2)).toBe(true);
});

test('any split is worth it if no single route accepts the order', () => {
  expect(isWorthSplitting(split(1n), undefined, 1e9)).toBe(true);
  expect(canBeWorthSplitting(1, undefined, 1e9)).toBe(true);
});

test.each([
  { gain: 499, gasPrice: 0, possible: false },
  { gain: 501, gasPrice: 0, possible: true },
  { gain: 4_499, gasPrice: undefined, possible: false },
  { gain: 4_501, gasPrice: undefined, possible: true },
])('before legs are removed, a gain of $gain may still grow by half a basis point: $possible', (each) => {
  expect(canBeWorthSplitting(10_000_000 + each.gain, single, each.gasPrice)).toBe(each.possible);
});
