import { expect, test } from 'vitest';
import { createPayerLimit } from './limitPayer.ts';
import { createRateWindow } from './rateWindow.ts';

test('limits each wallet per minute, regardless of letter case', () => {
  let now = 60_000_000;
  const limit = createPayerLimit(2, createRateWindow({ now: () => now }), () => now);
  expect([limit('0xAb'), limit('0xaB')]).toEqual([undefined, undefined]);
  now += 15_000;
  expect(limit('0xab')).toBe(45);
  expect(limit('0xcd')).toBeUndefined();
  now += 45_000;
  expect(limit('0xab')).toBeUndefined();
});

test('a clock set back by an hour starts a new window', () => {
  let now = 60_000_000;
  const limit = createPayerLimit(1, createRateWindow({ now: () => now }), () => now);
  expect([limit('0xab'), limit('0xab')]).toEqual([undefined, 60]);
  now -= 3_600_000;
  expect([limit('0xab'), limit('0xab')]).toEqual([undefined, 60]);
});
