import { expect, test } from 'vitest';
import { findDispute } from './usdSources.ts';

test.each([
  ['feed', 3_089.9, 3_000, false],
  ['feed', 3_090.1, 3_000, true],
  ['feed', 2_910.1, 3_000, false],
  ['feed', 2_909.9, 3_000, true],
  ['stable', 1, 0.9902, false],
  ['stable', 1, 0.99, true],
  ['feed', 3_000, undefined, false],
] as const)('a %s at %s USD against a pool at %s USD is disputed: %s', (source, usd, poolUsd, isDisputed) => {
  expect(findDispute(source, usd, poolUsd) !== undefined).toBe(isDisputed);
});

test('a round in the future is disputed whatever the prices', () => {
  expect(findDispute('feed', 3_000, 3_000, true)).toMatchObject({ differenceBps: 0, isRoundInFuture: true });
  expect(findDispute('feed', 3_000, undefined, true)).toMatchObject({ differenceBps: null, poolUsdPerToken: null });
});
