import { expect, test } from 'vitest';
import type { BlockRef } from './blockRef.ts';
import { farBehind } from './headLag.ts';

const nowMs = 1_800_000_000_000;
const second = BigInt(nowMs / 1000);
const block = (number: bigint, timestamp: bigint): BlockRef => ({ number, timestamp, hash: '0x', parentHash: '0x' });
const own = block(1_000n, second - 40n);
const seen = (head: BlockRef, agoMs = 0) => farBehind(own, [undefined, { block: head, at: nowMs - agoMs }], nowMs);

test.each([
  ['five blocks a second', 200n],
  ['a block every two seconds', 20n],
  ['a block every six seconds', 7n],
])('forty seconds behind another node is far behind, with %s', (_name, blocks) => {
  expect(seen(block(1_000n + blocks, second))).toBe(true);
});

test('twenty seconds are not far behind, however many blocks they have, and an old head does not count', () => {
  expect(seen(block(1_010n, second - 20n))).toBe(false);
  expect(seen(block(1_100n, second - 20n))).toBe(false);
  expect(seen(block(1_200n, second), 31_000)).toBe(false);
});

test('ignores a head whose block number or timestamp is implausible', () => {
  expect(seen(block(1_000_000n, second - 38n))).toBe(false);
  expect(seen(block(1_005n, second))).toBe(false);
  expect(seen(block(1_000_000n, second + 1_000_000n))).toBe(false);
});
