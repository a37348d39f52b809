import { expect, test } from 'vitest';
import { decodeExit } from '../pretrade/exit/decodeExit.ts';
import { decodeReading } from '../quote/decodeReading.ts';
import { createWordReader, LensAnswerError } from './wordReader.ts';

const word = (value: bigint) => value.toString(16).padStart(64, '0');

test('default: words, numbers and addresses, one after another', () => {
  const reader = createWordReader(`0x${word(7n)}${word(2n ** 255n)}${word(0xabcn)}`);
  expect(reader.int()).toBe(7);
  expect(reader.big()).toBe(2n ** 255n);
  expect(reader.address()).toBe(`0x${'0'.repeat(37)}abc`);
  expect(() => reader.hex()).toThrow(LensAnswerError);
});

test('error: LensAnswerError: a reading whose lists are longer than any array', () => {
  let refused = 0;
  // Up to the first list everything is a number or a status: zeros will do, whatever the layout.
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

test('error: LensAnswerError: a token of more decimals than the lens passes on, of which powers of ten would be made', () => {
  expect(createWordReader(`0x${word(255n)}`).decimals()).toBe(255);
  for (const value of [256n, 2n ** 31n - 1n, 2n ** 256n - 1n])
    expect(() => createWordReader(`0x${word(value)}`).decimals()).toThrow(LensAnswerError);
});

test('error: LensAnswerError: an exit reading of more slots than there can be', () => {
  // Block, code, five getters and two texts: 4 + 2 + 10 + 14 words; no getters, no balances, a sequencer, no bases.
  const words = `0x${word(0n).repeat(34)}${word(2n ** 200n)}${word(1n)}${word(0n).repeat(20)}` as const;
  expect(() => decodeExit(words)).toThrow(/slots/);
});
