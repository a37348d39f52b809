import { encodeFunctionData, parseAbi } from 'viem';
import { expect, test } from 'vitest';
import { decodeWords, encodeWords, toBytes, toWord } from './words.ts';

const account = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const wordOf = (value: bigint) => value.toString(16).padStart(64, '0');

test.each([0n, 1n, 2n ** 128n, 2n ** 256n - 1n])('encodes %i as viem does', (value) => {
  const abi = parseAbi(['function send(address,uint256)']);
  const encoded = encodeFunctionData({ abi, args: [account, value] });
  expect(encodeWords(encoded.slice(0, 10) as `0x${string}`, [account, value])).toBe(encoded);
});

test('encodes a negative number as two’s complement', () => {
  const abi = parseAbi(['function tick(int24)']);
  expect(`0x${toWord(-1n)}`).toBe(`0x${encodeFunctionData({ abi, args: [-1] }).slice(10)}`);
});

test('a number has as many bytes as requested, or is rejected', () => {
  expect(toBytes(255n, 1)).toBe('ff');
  expect(toBytes(5n, 3)).toBe('000005');
  expect(() => toBytes(256n, 1)).toThrow('256 does not fit in 1 bytes.');
});

test('decodes whole words, and drops an incomplete one', () => {
  const words = `${wordOf(7n)}${wordOf(2n ** 256n - 1n)}` as const;
  expect(decodeWords(`0x${words}`)).toEqual([7n, 2n ** 256n - 1n]);
  expect(decodeWords(`0x${words.slice(0, -1)}`)).toEqual([7n]);
  expect(decodeWords('0x')).toEqual([]);
});

test('decodes at most as many words as requested', () => {
  const data = `0x${[1n, 2n, 3n].map(wordOf).join('')}` as const;
  expect(decodeWords(data, 2)).toEqual([1n, 2n]);
  expect(decodeWords(data, 0)).toEqual([]);
});
