import type { Address } from 'viem';
import { LruMap } from '../lruMap.ts';
import type { EarlierRead } from '../pools/readPools.ts';
import type { LastPlans } from './planRequests.ts';

interface Pair {
  tokenIn: Address;
  tokenOut: Address;
}

/** The last read of a market, and the plans of its order. */
export interface KnownMarket extends EarlierRead {
  plans?: LastPlans | undefined;
}

/**
 * The last read of each market: where its pools are, and states to predict the plan of the next question. States of an
 * earlier block are never a source of an answer.
 */
export interface MarketMemory {
  find(pair: Pair): KnownMarket | undefined;
  remember(pair: Pair, read: KnownMarket): void;
  forget(pair: Pair): void;
}

const mostMarkets = 256;
/** A pool that was created since is found after this time at the latest; at once where there is no route without it. */
const placesKeptMs = 60_000;

export function createMarketMemory(now: () => number): MarketMemory {
  const kept = new LruMap<string, { read: KnownMarket; foundAt: number }>(mostMarkets);
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
