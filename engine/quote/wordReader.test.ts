import { expect, test } from 'vitest';
import { decodeExit } from '../pretrade/exit/decodeExit.ts';
import { decodeReading } from './decodeReading.ts';
import { createWordReader, LensAnswerError } from './wordReader.ts';

const word = (value: bigint) => value.toString(16).padStart(64, '0');

test('default: words, numbers, addresses and lists, one after another', () => {
  const reader = createWordReader(`0x${word(7n)}${word(2n)}${word(5n)}${word(6n)}${word(0xabcn)}`);
  expect(reader.int()).toBe(7);
  expect(reader.list(reader.big)).toEqual([5n, 6n]);
  expect(reader.address()).toBe(`0x${'0'.repeat(37)}abc`);
});

test.each([3n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 256n - 1n])(
  'error: LensAnswerError: a list of %s in two words',
  (length) => {
    expect(() => createWordReader(`0x${word(length)}${word(1n)}${word(1n)}`).list(() => 0)).toThrow(LensAnswerError);
  },
);

test('error: LensAnswerError: a reading whose lists are longer than any array', () => {
  const lists = `0x${word(2n)}${word(2n ** 255n).repeat(40)}` as const;
  // Statuses are read before lists: zeros up to them.
  const head = `0x${word(2n)}${word(0n).repeat(17)}${word(2n ** 255n)}` as const;
  for (const words of [lists, head]) expect(() => decodeReading(words, [])).toThrow(LensAnswerError);
});

test('error: LensAnswerError: an exit reading of more slots than there can be', () => {
  // Block, code, five getters and two texts: 4 + 2 + 10 + 14 words; no getters, no balances, a sequencer, no bases.
  const words = `0x${word(0n).repeat(34)}${word(2n ** 200n)}${word(1n)}${word(0n).repeat(20)}` as const;
  expect(() => decodeExit(words)).toThrow(/slots/);
});
