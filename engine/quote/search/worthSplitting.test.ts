import { expect, test } from 'vitest';
import { canBeWorthSplitting, isWorthSplitting } from './worthSplitting.ts';

const single = { amountOut: 10_000_000n, gas: 100_000n };
const split = (amountOut: bigint) => ({ amountOut, gas: 185_000n });

test.each([
  { gain: 5_000n, leastGainBps: undefined, worth: false },
  { gain: 5_001n, leastGainBps: undefined, worth: true },
  { gain: 20_000n, leastGainBps: 20n, worth: false },
  { gain: 20_001n, leastGainBps: 20n, worth: true },
  { gain: 0n, leastGainBps: 0n, worth: false },
  { gain: 1n, leastGainBps: 0n, worth: true },
])('a gain of $gain on 10,000,000 is enough at $leastGainBps bps (5 if not given): $worth', (each) => {
  expect(isWorthSplitting(split(10_000_000n + each.gain), single, undefined, each.leastGainBps)).toBe(each.worth);
});

test('the gain must exceed the cost of the extra gas', () => {
  expect(isWorthSplitting(split(10_017_000n), single, 0.2)).toBe(false);
  expect(isWorthSplitting(split(10_017_001n), single, 0.2)).toBe(true);
});

test('any split is worth it if no single route accepts the order', () => {
  expect(isWorthSplitting(split(1n), undefined, 1e9)).toBe(true);
  expect(canBeWorthSplitting(1, undefined)).toBe(true);
});

test.each([
  { gain: 4_499, leastGainBps: undefined, possible: false },
  { gain: 4_500, leastGainBps: undefined, possible: true },
  { gain: 19_499, leastGainBps: 20n, possible: false },
  { gain: 19_500, leastGainBps: 20n, possible: true },
])('before legs are removed, a gain of $gain may still grow by half a basis point: $possible', (each) => {
  expect(canBeWorthSplitting(10_000_000 + each.gain, single, each.leastGainBps)).toBe(each.possible);
});
