import { expect, test } from 'vitest';
import type { VendorResult } from '../fetchVendorFacts.ts';
import type { FirstTransfer } from '../pretradePorts.ts';
import { weighAge } from './age.ts';

const day = 86_400;
const transferAt = (timestamp: number) =>
  ({
    status: 'known',
    value: { timestamp, blockNumber: 9n, source: 'explorer' },
  }) as unknown as VendorResult<FirstTransfer>;
const weigh = (seconds: number) => weighAge(transferAt(1_000), BigInt(1_000 + seconds));

test.each([
  [0, 'high'],
  [day - 1, 'high'],
  [day, 'medium'],
  [7 * day - 1, 'medium'],
  [7 * day, 'low'],
  [30 * day - 1, 'low'],
  [30 * day, 'none'],
])('rates an age of %s s as %s', (seconds, severity) => {
  const { section, signal } = weigh(seconds);
  expect(signal).toMatchObject({ severity, value: seconds / day, unit: 'days', cachedAgeSec: null });
  expect(section).toMatchObject({ ageDays: seconds / day, genesisBlock: 9 });
});

test.each([
  [8_639, 'less than 0.1 days'],
  [8_640, '0.1 days'],
  [887.2 * day, '887.2 days'],
])('describes an age of %s s as %s', (seconds, text) => {
  expect(weigh(Math.round(seconds)).signal.reason).toBe(`The first transfer was ${text} before this block.`);
});

test('returns an age of 0 for a first transfer after the block', () => {
  expect(weigh(-5).section.ageDays).toBe(0);
});

test('the age is unknown, with the reason, when no source returned a first transfer', () => {
  const { section, signal } = weighAge({ status: 'unread', reason: 'no key' }, 5n);
  expect(section).toMatchObject({ ageDays: null, genesisBlock: null, note: expect.stringContaining('no key') });
  expect(signal).toMatchObject({ severity: 'unknown', value: null, unit: 'days', cachedAgeSec: null });
});
