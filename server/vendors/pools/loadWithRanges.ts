import { type BlockRange, isWithin, type StoredPool } from '../../storage/index.ts';
import type { IndexedCreation, IndexedPools } from '../ports.ts';
import type { ImportConfirmer } from './confirmImported.ts';

/** Repeated reads after which the index is not used: blocks were deleted during each. */
const maxReads = 3;

/**
 * Loads pools, and which blocks the index has.
 * @returns undefined if the index has no blocks, or if they are being deleted
 */
export async function loadWithRanges<Creation extends IndexedCreation>(
  loadStored: () => Promise<StoredPool<Creation>[]>,
  source: {
    /** Of the newest and of the oldest pools that `loadStored` returns. */
    most: number;
    confirmer: ImportConfirmer;
    loadRanges: () => Promise<BlockRange[]>;
    longestRange: number | undefined;
    seenHead: bigint | undefined;
  },
): Promise<IndexedPools<Creation> | undefined> {
  const { most, confirmer, loadRanges, longestRange, seenHead } = source;
  const read = await readTogether(loadStored, loadRanges);
  const [first, newest] = [read?.ranges[0], read?.ranges.at(-1)];
  if (!read || !first || !newest) return undefined;
  const { pools, areAllConfirmed } = await confirmer.confirm(read.stored);
  return {
    creations: pools,
    // A full reply means that pools between the two ends may be missing.
    truncated: read.stored.length === 2 * most || !areAllConfirmed,
    scannedTo: BigInt(first.from === 0 ? first.to : -1),
    newest: { from: BigInt(newest.from), to: BigInt(newest.to) },
    longestRange,
    seenHead,
  };
}

/**
 * Reads the ranges before the pools, so that every pool of these blocks is among them, and again after them: a rollback or
 * another release may delete pools and ranges in between, and the blocks must not count as read then.
 */
async function readTogether<Pool>(loadStored: () => Promise<Pool[]>, loadRanges: () => Promise<BlockRange[]>) {
  let ranges = await loadRanges();
  for (let reads = 0; reads < maxReads && ranges.length > 0; reads += 1) {
    const stored = await loadStored();
    const after = await loadRanges();
    if (isWithin(ranges, after)) return { ranges, stored };
    ranges = after;
  }
  return undefined;
}
