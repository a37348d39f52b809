import { expect, test } from 'vitest';
import { decodeExit } from '../pretrade/exit/decodeExit.ts';
import { createWordReader, LensAnswerError } from './wordReader.ts';

const word = (value: bigint) => value.toString(16).padStart(64, '0');

test('default: reads words, numbers and addresses in order', () => {
  const reader = createWordReader(`0x${word(7n)}${word(2n ** 255n)}${word(0xabcn)}`);
  expect(reader.int()).toBe(7);
  expect(reader.big()).toBe(2n ** 255n);
  expect(reader.address()).toBe(`0x${'0'.repeat(37)}abc`);
  expect(() => reader.hex()).toThrow(LensAnswerError);
});

test('error: LensAnswerError when a list has over 10,000 entries', () => {
  // 30 words before the first list; zeros are valid in all of them, and as the length of the lists.
  for (const listsBefore of [0, 1])
    for (const length of [10_001n, 2n ** 32n, 2n ** 256n - 1n]) {
      const words = `0x${word(0n).repeat(30 + listsBefore)}${word(length)}` as const;
      expect(() => decodeExit(words)).toThrow(LensAnswerError);
      expect(() => decodeExit(words)).toThrow(/a list of \S+ entries/);
    }
});

test('error: LensAnswerError when a token has over 255 decimals', () => {
  expect(createWordReader(`0x${word(255n)}`).decimals()).toBe(255);
  for (const value of [256n, 2n ** 31n - 1n, 2n ** 256n - 1n])
    expect(() => createWordReader(`0x${word(value)}`).decimals()).toThrow(LensAnswerError);
});

test('error: LensAnswerError when an exit reading contains too many candidate pools', () => {
  // Block, code, five fixed reads and two texts: 4 + 2 + 10 + 14 words; then four zeros: no
  // further getters, balances or bases, and the sequencer state.
  const words = `0x${word(0n).repeat(34)}${word(2n ** 200n)}${word(1n)}${word(0n).repeat(20)}` as const;
  expect(() => decodeExit(words)).toThrow(/candidate pools/);
});

test('default: returns the position of the next word, and lower-case digits', () => {
  const reader = createWordReader(`0x${word(0n)}${'AB'.repeat(32)}`);
  expect([reader.position(), reader.big(), reader.position(), reader.hex()]).toEqual([2, 0n, 66, 'ab'.repeat(32)]);
});

test('error: names the word at which the answer ends', () => {
  const reader = createWordReader(`0x${word(1n)}${word(2n)}${word(3n).slice(1)}`);
  expect([reader.int(), reader.int()]).toEqual([1, 2]);
  expect(() => reader.int()).toThrow('The answer ends at word 2.');
});
