import { expect, test } from 'vitest';
import type { ExitReading } from '../exit/exitTypes.ts';
import { describeOwnership, ownerOf } from './ownership.ts';

const address = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';
const word = BigInt(address);
const read = (value: bigint) => ({ ok: true, word: value });
const failed = { ok: false, word: 0n };

/** A token whose getters return these words. */
const readingOf = (owner = failed, getOwner = failed, answersEverything = false) =>
  ({ owner, getOwner, answersEverything, decimals: 18, totalSupply: 1_000n }) as unknown as ExitReading;

test('the owner is the address that owner() returns, or else getOwner()', () => {
  expect(ownerOf(readingOf(read(word), read(1n)))).toBe(address);
  expect(ownerOf(readingOf(failed, read(word)))).toBe(address);
  expect(ownerOf(readingOf(read(1n)))).toBe('0x0000000000000000000000000000000000000001');
  expect(ownerOf(readingOf())).toBeUndefined();
});

test('a contract that answers every selector has no owner', () => {
  expect(ownerOf(readingOf(read(word), failed, true))).toBeUndefined();
});

// A token chooses the word. Without this check the address has more than 40 digits, and a paid check fails.
test.each([
  ['the lowest bit above an address', 1n << 160n],
  ['an address with a byte above it', word | (1n << 160n)],
  ['an address on the left of the word', word << 96n],
  ['all bits', 2n ** 256n - 1n],
])('a word that is larger than an address is no owner: %s', (_, hostile) => {
  expect(ownerOf(readingOf(read(hostile)))).toBeUndefined();
  expect(ownerOf(readingOf(read(hostile), read(word)))).toBe(address);
  const described = describeOwnership({
    reading: readingOf(read(hostile), read(hostile)),
    powers: [],
    b20: undefined,
    gap: null,
    creator: { status: 'known', value: { address, source: 'blockscout' }, stored: false },
    creatorBalance: undefined,
  });
  expect(described).toMatchObject({ ownerAddress: null, ownerRenounced: null });
});

test('the largest address is an owner', () => {
  expect(ownerOf(readingOf(read(2n ** 160n - 1n)))).toBe(`0x${'f'.repeat(40)}`);
});
