import { expect, test } from 'vitest';
import { keptShare, toUnits, usablePrice } from './priceMaths.ts';

test.each([
  [1.9, 1n],
  [2, 2n],
  [1e30, BigInt(1e30)],
  [0.9, 0n],
  [0, 0n],
  [-1, 0n],
  [Number.POSITIVE_INFINITY, 0n],
  [Number.NaN, 0n],
])('%f base units round down to %s', (amount, units) => {
  expect(toUnits(amount)).toBe(units);
});

test.each([0, -1, Number.POSITIVE_INFINITY, Number.NaN])('%f is no price', (price) => {
  expect(usablePrice(price)).toBeUndefined();
});

test.each([
  [0, 1],
  [3000, 0.997],
  [999_999, 0.000_001],
  [1_000_000, undefined],
  [-1, undefined],
  [Number.NaN, undefined],
])('a fee of %f millionths leaves %f of the input', (fee, share) => {
  const kept = [keptShare([fee, 500], true), keptShare([500, fee], false)];
  for (const each of kept) {
    if (share === undefined) expect(each).toBeUndefined();
    else expect(each).toBeCloseTo(share, 12);
  }
});
