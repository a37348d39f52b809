import { expect, test } from 'vitest';
import { payerAmounts, toStored } from './fundPayers.ts';

test('funds accounts with the size, twice the size, eight times as much each, and last the supply', () => {
  expect(payerAmounts(10n, 1_000n, 12)).toEqual([10n, 20n, 160n, 1_000n]);
  expect(payerAmounts(10n, 10n ** 30n, 4)).toEqual([10n, 20n, 160n, 10n ** 30n]);
});

test('no account holds more than the supply', () => {
  expect(payerAmounts(600n, 1_000n, 12)).toEqual([600n, 1_000n]);
  expect(payerAmounts(1_000n, 1_000n, 12)).toEqual([1_000n]);
});

test('without a supply the amounts end at 128 bits', () => {
  expect(payerAmounts(1n, 0n, 12).at(-1)).toBe(2n ** 128n - 1n);
});

test('stores the amount itself if a token stores balances, and enough shares otherwise', () => {
  expect(toStored(7n, { stored: 5n, balance: 5n })).toBe(7n);
  const sample = { stored: 10n ** 18n, balance: 13n * 10n ** 17n };
  const stored = toStored(10n ** 24n, sample);
  expect((stored * sample.balance) / sample.stored).toBeGreaterThanOrEqual(10n ** 24n);
  expect((stored * sample.balance) / sample.stored).toBeLessThan(10n ** 24n + 10n ** 16n);
});
