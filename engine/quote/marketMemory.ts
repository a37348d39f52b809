import type { LowerAddress } from '../lowerAddress.ts';
import { LruMap } from '../lruMap.ts';
import { locationsKeptMs } from '../pools/pairMemory.ts';
import type { EarlierRead } from '../pools/readPools.ts';

interface Pair {
  tokenIn: LowerAddress;
  tokenOut: LowerAddress;
}

/**
 * The last read of each market: the locations of its pools, and states that predict the plan of the next query. An
 * answer never contains states of an earlier block.
 */
export interface MarketMemory {
  find(pair: Pair): EarlierRead | undefined;
  remember(pair: Pair, read: EarlierRead): void;
  forget(pair: Pair): void;
}

const maxMarkets = 256;

export function createMarketMemory(now: () => number): MarketMemory {
  const kept = new LruMap<string, EarlierRead>(maxMarkets);
  const keyOf = ({ tokenIn, tokenOut }: Pair) => `${tokenIn}${tokenOut}`;
  return {
    find(pair) {
      const read = kept.get(keyOf(pair));
      const isOld = read?.locations && now() - read.locations.foundAt >= locationsKeptMs;
      return isOld ? { ...read, locations: undefined } : read;
    },
    remember: (pair, read) => kept.set(keyOf(pair), read),
    forget: (pair) => kept.delete(keyOf(pair)),
  };
}
