import type { LowerAddress } from '../lowerAddress.ts';
import { Memory } from '../memory.ts';
import type { PoolStatus } from '../venues/poolStatus.ts';
import type { PoolRef } from '../venues/poolTypes.ts';

/** Result of a look-up of all candidate pools of two tokens. */
export interface FoundPair {
  /** In the order of the candidate pools. */
  statuses: readonly PoolStatus[];
  /** Every pool that exists, empty and thin ones included, with its index among the candidate pools. */
  pools: readonly { ref: PoolRef; candidatePool: number }[];
  /** In milliseconds. */
  foundAt: number;
}

/**
 * The last look-up of each pair: markets share the pairs of the routing assets, and querying all factories for them is most
 * of a node's work.
 */
export type PairMemory = Memory<string, FoundPair>;

/** A new pool is found after at most this time, or at once if there is no route without it. */
export const locationsKeptMs = 60_000;
const maxPairs = 4_096;

export const createPairMemory = (now: () => number): PairMemory =>
  new Memory({ maxEntries: maxPairs, keptMs: locationsKeptMs, now });

export const pairKey = (a: LowerAddress, b: LowerAddress): string => (a < b ? `${a}${b}` : `${b}${a}`);
