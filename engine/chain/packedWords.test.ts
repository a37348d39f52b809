import { concat, encodeFunctionData, type Hex, numberToHex, parseAbi } from 'viem';
import { expect, test } from 'vitest';
import { packCall, unpackCall, unpackWords } from './packedWords.ts';

const wordOf = (value: bigint) => numberToHex(value, { size: 32 });
const bytesOf = (value: bigint): Hex => (value === 0n ? '0x' : numberToHex(value));

/** Values at each boundary of a byte. */
const boundaries = Array.from({ length: 33 }, (_, bytes) => 2n ** BigInt(8 * bytes)).flatMap((power) => [
  power - 1n,
  power % 2n ** 256n,
]);

/** What contracts/lens/Packing.sol returns for these words. */
const pack = (words: readonly bigint[]): Hex =>
  concat(
    words.map((word) => {
      const bytes = bytesOf(word).replace(/^0x(.(..)*)$/, '0x0$1') as Hex;
      return concat([numberToHex((bytes.length - 2) / 2, { size: 1 }), bytes]);
    }),
  );

test('unpacks words of every length', () => {
  const words = [3n, ...boundaries];
  expect(unpackWords(pack(words))).toBe(concat(words.map(wordOf)));
});

test('words that are not packed are returned unchanged', () => {
  const words = concat([3n, ...boundaries].map(wordOf));
  expect(unpackWords(words)).toBe(words);
});

test.each([
  ['a word of 33 bytes', `0x010321${'11'.repeat(33)}`],
  ['a word that is cut off', '0x01030411'],
  ['half a byte', '0x010301f'],
  ['a repeated word, which only calls contain', '0x010321'],
] as const)('%s is no packed answer', (_, answer) => {
  expect(unpackWords(answer)).toBeUndefined();
});

test('packs the words of a call after the two selectors', () => {
  const abi = parseAbi(['function read(uint256[] values)', 'function packed()']);
  const data = encodeFunctionData({ abi, functionName: 'read', args: [boundaries] });
  const packed = encodeFunctionData({ abi, functionName: 'packed' });
  const words = [32n, BigInt(boundaries.length), ...boundaries];
  expect(packCall(data)).toBe(concat([packed, data.slice(0, 10) as Hex, pack(words)]));
  expect([unpackCall(packCall(data)), unpackCall(data)]).toEqual([data, data]);
});

test('packs a word that was sent before as its distance, up to 223 words', () => {
  const [selector, repeated] = ['0x01020304', 2n ** 160n - 1n] as const;
  const repeatAfter = (words: number) => [repeated, ...Array.from({ length: words - 1 }, () => 0n), repeated];
  const near = concat([selector, ...repeatAfter(223).map(wordOf)]);
  const far = concat([selector, ...repeatAfter(224).map(wordOf)]);
  expect(packCall(near)).toBe(concat([packCall('0x'), selector, pack(repeatAfter(223).slice(0, -1)), '0xff']));
  expect(packCall(far)).toBe(concat([packCall('0x'), selector, pack(repeatAfter(224))]));
  expect([near, far].map((data) => unpackCall(packCall(data)))).toEqual([near, far]);
});

test('a packed answer of more than 200,000 words is no answer', () => {
  const zeros = (count: number): Hex => `0x0103${'00'.repeat(count)}`;
  expect(unpackWords(zeros(199_999))).toHaveLength(2 + 200_000 * 64);
  expect(unpackWords(zeros(200_000))).toBeUndefined();
});
