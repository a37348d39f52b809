import { expect, test } from 'vitest';
import { tailAfter } from './poolLogs.ts';

const head = 50_000_000n;
const index = (scannedTo: bigint, from: bigint, to: bigint, longestRange?: number) => ({
  scannedTo,
  newest: { from, to },
  longestRange,
});

test.each([
  ['a complete index', index(49_999_700n, 0n, 49_999_700n, 10_000), 49_999_701n, true],
  ['an index of the newest blocks only', index(-1n, 49_000_000n, 49_999_700n, 10_000), 49_999_701n, false],
  ['blocks before the first factory', index(1_999_999n, 49_000_000n, 49_999_700n, 10_000), 49_999_701n, false],
  ['a gap of sixteen ranges up to the head', index(49_840_000n, 49_999_000n, 49_999_700n, 10_000), 49_840_001n, true],
  [
    'a gap of seventeen ranges up to the head',
    index(49_830_000n, 49_999_000n, 49_999_700n, 10_000),
    49_999_701n,
    false,
  ],
  ['nodes without a limit', index(-1n, 49_000_000n, 49_999_700n), 0n, true],
])('after %s, the blocks to read begin where one read can reach the head', (_name, indexed, from, isComplete) => {
  expect(tailAfter(indexed, head)).toMatchObject({ tail: { from, seenHead: head }, isComplete });
});
