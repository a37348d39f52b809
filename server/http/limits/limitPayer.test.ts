import { expect, test } from 'vitest';
import { createPayerLimit } from './limitPayer.ts';
import { createRateWindow } from './rateWindow.ts';

test('default: a wallet has its share a minute, in either letter case; others have theirs', () => {
  let now = 60_000_000;
  const limit = createPayerLimit(2, createRateWindow({ now: () => now }), () => now);
  expect([limit('0xAb'), limit('0xaB')]).toEqual([undefined, undefined]);
  now += 15_000;
  expect(limit('0xab')).toBe(45);
  expect(limit('0xcd')).toBeUndefined();
  now += 45_000;
  expect(limit('0xab')).toBeUndefined();
});

test('behavior: a clock set back by an hour does not shut a wallet out for that hour', () => {
  let now = 60_000_000;
  const limit = createPayerLimit(1, createRateWindow({ now: () => now }), () => now);
  expect([limit('0xab'), limit('0xab')]).toEqual([undefined, 60]);
  now -= 3_600_000;
  expect([limit('0xab'), limit('0xab')]).toEqual([undefined, 60]);
});
