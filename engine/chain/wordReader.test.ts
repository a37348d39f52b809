import { expect, test } from 'vitest';
import { decodeExit } from '../pretrade/exit/decodeExit.ts';
import { decodeReading } from '../quote/decodeReading.ts';
import { createWordReader, LensAnswerError } from './wordReader.ts';

const word = (value: bigint) => value.toString(16).padStart(64, '0');

test('default: reads words, numbers and addresses in order', () => {
  const reader = createWordReader(`0x${word(7n)}${word(2n ** 255n)}${word(0xabcn)}`);
  expect(reader.int()).toBe(7);
  expect(reader.big()).toBe(2n ** 255n);
  expect(reader.address()).toBe(`0x${'0'.repeat(37)}abc`);
  expect(() => reader.hex()).toThrow(LensAnswerError);
});

test('error: LensAnswerError when a list is longer than an array can be', () => {
  let refused = 0;
  // Everything before the first list is a number or a status, so zeros are valid in both layouts.
  for (const layout of [2n, 3n])
    for (const length of [2n ** 32n - 1n, 2n ** 32n, 2n ** 256n - 1n])
      for (let zeros = 10; zeros < 30; zeros += 1) {
        try {
          decodeReading(`0x${word(layout)}${word(0n).repeat(zeros)}${word(length)}`, []);
        } catch (error) {
          expect(error).toBeInstanceOf(LensAnswerError);
          refused += 1;
        }
      }
  expect(refused).toBeGreaterThan(60);
});

test('error: LensAnswerError when a token has over 255 decimals', () => {
  expect(createWordReader(`0x${word(255n)}`).decimals()).toBe(255);
  for (const value of [256n, 2n ** 31n - 1n, 2n ** 256n - 1n])
    expect(() => createWordReader(`0x${word(value)}`).decimals()).toThrow(LensAnswerError);
});

test('error: LensAnswerError when an exit reading contains too many slots', () => {
  // Block, code, five getters and two texts: 4 + 2 + 10 + 14 words; no getters, no balances, a sequencer, no bases.
  const words = `0x${word(0n).repeat(34)}${word(2n ** 200n)}${word(1n)}${word(0n).repeat(20)}` as const;
  expect(() => decodeExit(words)).toThrow(/slots/);
});
