import { expect, test } from 'vitest';
import { toStored } from './fundPayers.ts';

test('stores the amount itself if a token stores balances, and enough shares otherwise', () => {
  expect(toStored(7n, { stored: 5n, balance: 5n })).toBe(7n);
  const sample = { stored: 10n ** 18n, balance: 13n * 10n ** 17n };
  const stored = toStored(10n ** 24n, sample);
  expect((stored * sample.balance) / sample.stored).toBeGreaterThanOrEqual(10n ** 24n);
  expect((stored * sample.balance) / sample.stored).toBeLessThan(10n ** 24n + 10n ** 16n);
});
