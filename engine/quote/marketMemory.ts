import type { Address } from 'viem';
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

/** Bounded; the market that was not read for longest leaves first. */
export function createMarketMemory(now: () => number): MarketMemory {
  const kept = new Map<string, { read: EarlierRead; foundAt: number }>();
  const keyOf = ({ tokenIn, tokenOut }: Pair) => `${tokenIn}${tokenOut}`.toLowerCase();
  return {
    find(pair) {
      const entry = kept.get(keyOf(pair));
      if (!entry) return undefined;
      return now() - entry.foundAt < placesKeptMs ? entry.read : { ...entry.read, places: undefined };
    },
    remember(pair, read) {
      const key = keyOf(pair);
      const before = kept.get(key);
      kept.delete(key);
      const oldest = kept.keys().next();
      if (kept.size >= mostMarkets && !oldest.done) kept.delete(oldest.value);
      const foundAt = before && before.read.places === read.places ? before.foundAt : now();
      kept.set(key, { read, foundAt });
    },
    forget: (pair) => void kept.delete(keyOf(pair)),
  };
}
