import { expect, test } from 'vitest';
import { tooOldSeconds } from './blockAge.ts';

test.each([
  ['at the limit', 60_000, 60_000, undefined],
  ['a millisecond above it', 60_001, 60_000, 60],
  ['far above it', 125_999, 60_000, 125],
  ['in the future', -5_000, 60_000, undefined],
  ['without a limit', 1e12, undefined, undefined],
])('a block %s: %i ms old, %s ms allowed', (_, ageMs, limitMs, expected) => {
  expect(tooOldSeconds(1_800_000_000n, 1_800_000_000_000 + ageMs, limitMs)).toBe(expected);
});
