import { toHex } from 'viem';
import { expect, test } from 'vitest';
import { blockTimeMs, toBlockRef } from './blockRef.ts';

const hash = `0x${'11'.repeat(32)}`;
const timeOf = (more: object) => {
  const read = toBlockRef({
    result: { number: '0x1', hash, parentHash: hash, timestamp: toHex(1_800_000_000), ...more },
  });
  return read && blockTimeMs(read.block);
};

test('the time of a block has the milliseconds that the node returns', () => {
  expect(timeOf({ timestampMs: toHex(1_800_000_000_400) })).toBe(1_800_000_000_400);
});

test.each([
  ['are absent', {}],
  ['are of another second', { timestampMs: toHex(1_800_000_001_000) }],
  ['are no quantity', { timestampMs: 1_800_000_000_400 }],
])('the time of a block is the start of its second if the milliseconds %s', (_name, more) => {
  expect(timeOf(more)).toBe(1_800_000_000_000);
});
