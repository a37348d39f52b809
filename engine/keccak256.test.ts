import { toHex, keccak256 as viemKeccak256 } from 'viem';
import { expect, test } from 'vitest';
import { keccak256 } from './keccak256.ts';

// Lengths around the block of 136 bytes, and above the 16 KiB that the WebAssembly module hashes at once.
const lengths = [0, 1, 31, 32, 64, 135, 136, 137, 271, 272, 273, 16_383, 16_384, 16_385, 60_000];

test.each(lengths)("default: equals viem's hash of %i bytes", (length) => {
  const bytes = Uint8Array.from({ length }, (_, index) => (index * 31 + length) % 256);
  expect(keccak256(bytes)).toBe(viemKeccak256(bytes));
  expect(keccak256(toHex(bytes))).toBe(viemKeccak256(bytes));
  expect([...keccak256(bytes, 'bytes')]).toEqual([...viemKeccak256(bytes, 'bytes')]);
});

test('default: a later hash does not change the bytes of an earlier one', () => {
  const first = keccak256('0x01', 'bytes');
  const copy = [...first];
  keccak256('0x02', 'bytes');
  expect([...first]).toEqual(copy);
});

test.each(['0x1', '0x0g', '0x00zz'] as const)('error: throws for %s', (text) => {
  expect(() => keccak256(text)).toThrow(TypeError);
});

test('error: the message contains at most 80 characters of the text', () => {
  expect(() => keccak256(`0x${'zz'.repeat(10_000)}`)).toThrow(`Cannot hash 0x${'z'.repeat(78)}: not hex bytes.`);
});
