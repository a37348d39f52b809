import type { Address } from 'viem';
import { LruMap } from '../lruMap.ts';
import type { EarlierRead } from '../pools/readPools.ts';

interface Pair {
  tokenIn: Address;
  tokenOut: Address;
}

/**
 * The last read of each market: where its pools are, and states to predict the plan of the next question. States of an
 * earlier block are never a source of an answer.
 */
export interface MarketMemory {
  find(pair: Pair): EarlierRead | undefined;
  remember(pair: Pair, read: EarlierRead): void;
  forget(pair: Pair): void;
}

const mostMarkets = 256;
/** A pool that was created since is found after this time at the latest; at once where there is no route without it. */
const placesKeptMs = 60_000;

export function createMarketMemory(now: () => number): MarketMemory {
  const kept = new LruMap<string, { read: EarlierRead; foundAt: number }>(mostMarkets);
  const keyOf = ({ tokenIn, tokenOut }: Pair) => `${tokenIn}${tokenOut}`.toLowerCase();
  return {
    find(pair) {
      const entry = kept.get(keyOf(pair));
      if (!entry) return undefined;
      return now() - entry.foundAt < placesKeptMs ? entry.read : { ...entry.read, locations: undefined };
    },
    remember(pair, read) {
      const before = kept.get(keyOf(pair));
      kept.set(keyOf(pair), {
        read,
        foundAt: before && before.read.locations === read.locations ? before.foundAt : now(),
      });
    },
    forget: (pair) => kept.delete(keyOf(pair)),
  };
}
