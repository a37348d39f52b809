import { expect, test } from 'vitest';
import type { IndexedPools, PoolCreation } from '../../pools/poolIndex.ts';
import { recallPools } from './recallPools.ts';

const token = '0x4200000000000000000000000000000000000099';
const creation = (blockNumber: number): PoolCreation => ({
  event: 'pairCreated' as PoolCreation['event'],
  factory: token,
  id: `0x${blockNumber.toString(16).padStart(40, '0')}`,
  currency0: token,
  currency1: token,
  fee: 0,
  tickSpacing: 0,
  hooks: token,
  blockNumber,
});
const indexed = (more: Partial<IndexedPools> = {}): IndexedPools => ({
  creations: [creation(500), creation(900_000)],
  truncated: false,
  scannedTo: 999_000n,
  newest: { from: 0n, to: 999_000n },
  longestRange: 1_000,
  seenHead: 999_060n,
  ...more,
});
const incomplete = { scannedTo: 399n, newest: { from: 900_000n, to: 999_000n }, creations: [creation(900_000)] };

function recall(more: Partial<IndexedPools>, memory?: Parameters<typeof recallPools>[0]['memory']) {
  const pools = {
    load: async () => indexed(more),
    wake: () => undefined,
    state: () => {
      throw new TypeError('not needed');
    },
  };
  return recallPools({ pools, token, memory, head: 999_070n, isBase: false, pace: { blocksIn: () => 60n } });
}

const blocks = ({ creations }: { creations: PoolCreation[] }) => creations.map(({ blockNumber }) => blockNumber);

test('a complete index needs only the blocks after it', async () => {
  const recalled = await recall({});
  expect(recalled).toMatchObject({ isComplete: true, tail: { from: 999_001n } });
  expect(blocks(recalled)).toEqual([500, 900_000]);
});

test('an index without earlier blocks returns its pools and is not complete', async () => {
  const recalled = await recall(incomplete);
  expect(recalled).toMatchObject({ isComplete: false, tail: { from: 999_001n } });
  expect(blocks(recalled)).toEqual([900_000]);
});

test('an index with a short gap leaves the pools after the gap to the read', async () => {
  const newest = { from: 998_000n, to: 999_000n };
  const recalled = await recall({ scannedTo: 990_000n, newest, creations: [creation(500), creation(998_500)] });
  expect(recalled).toMatchObject({ isComplete: true, tail: { from: 990_001n } });
  expect(blocks(recalled)).toEqual([500]);
});

test('an earlier search of all blocks replaces an index without them', async () => {
  const memory = { pools: [creation(100), creation(998_000)], poolsTruncated: false, scannedTo: 998_900n };
  const recalled = await recall(incomplete, memory);
  expect(recalled).toMatchObject({ isComplete: true, tail: { from: 998_836n } });
  expect(blocks(recalled)).toEqual([100, 998_000]);
});
