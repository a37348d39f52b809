import { expect, test } from 'vitest';
import { readConstants } from './readConstants.ts';

const account = '4d194f70788c2ad770e442f6698fe01f114a6bbd';

test('finds addresses pushed as 20 bytes, and as words of immutable variables', () => {
  expect(readConstants(`0x73${account}`)).toEqual([`0x${account}`]);
  expect(readConstants(`0x6001${'7f'}${'0'.repeat(24)}${account}00`)).toEqual([`0x${account}`]);
});

test('ignores masks, small numbers and the data of other pushes', () => {
  expect(readConstants(`0x73${'f'.repeat(40)}`)).toEqual([]);
  expect(readConstants(`0x7f${(10n ** 27n).toString(16).padStart(64, '0')}`)).toEqual([]);
  expect(readConstants(`0x7f${'ab'.repeat(12)}${account}`)).toEqual([]);
  expect(readConstants(`0x74${'73'}${account}`)).toEqual([]);
});

test('ignores amounts as long as addresses, and keeps addresses that end with a few zeros', () => {
  for (const amount of [42n * 10n ** 31n, 10n ** 45n, 1n << 159n, 84n * 10n ** 29n]) {
    expect(readConstants(`0x7f${amount.toString(16).padStart(64, '0')}`)).toEqual([]);
  }
  const vanity = `${account.slice(0, 30)}0000000000`;
  expect(readConstants(`0x73${vanity}`)).toEqual([`0x${vanity}`]);
});

test('ends with code that is cut off inside a push', () => {
  expect(readConstants('0x7f01')).toEqual([]);
  expect(readConstants('0x')).toEqual([]);
});
