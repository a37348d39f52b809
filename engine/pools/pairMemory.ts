import type { LowerAddress } from '../lowerAddress.ts';
import { LruMap } from '../lruMap.ts';
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
export interface PairMemory {
  find(a: LowerAddress, b: LowerAddress): FoundPair | undefined;
  remember(a: LowerAddress, b: LowerAddress, found: Omit<FoundPair, 'foundAt'>): void;
  forget(a: LowerAddress, b: LowerAddress): void;
}

/** A new pool is found after at most this time, or at once if there is no route without it. */
export const locationsKeptMs = 60_000;
const maxPairs = 4_096;

export function createPairMemory(now: () => number): PairMemory {
  const kept = new LruMap<string, FoundPair>(maxPairs);
  const keyOf = (a: LowerAddress, b: LowerAddress) => (a < b ? `${a}${b}` : `${b}${a}`);
  return {
    find(a, b) {
      const found = kept.get(keyOf(a, b));
      return found && now() - found.foundAt < locationsKeptMs ? found : undefined;
    },
    remember: (a, b, found) => kept.set(keyOf(a, b), { ...found, foundAt: now() }),
    forget: (a, b) => kept.delete(keyOf(a, b)),
  };
}
