import { Memory } from '../../memory.ts';
import type { StateReading } from '../../pools/decodeStates.ts';
import { locationsKeptMs } from '../../pools/poolLocations.ts';
import type { EarlierRead } from '../../pools/readPools.ts';
import type { KnownPool } from '../../pools/stateQuery.ts';
import type { Order, RememberedPlan, TokenPair } from '../search/planTypes.ts';
import type { SearchResult } from '../search/searchPlan.ts';

/** A search, and the states and the order for which it ran. */
export interface Search {
  states: StateReading;
  order: Order;
  result: SearchResult;
  /** For each repeat of the search, the ids of the pools that it excluded. */
  leftOut?: readonly ReadonlySet<string>[];
  /** Executed plans over sampled pools. */
  sampled?: readonly RememberedPlan[] | undefined;
}

/** An earlier read of a market, and the search of its order. */
export interface LastRead extends EarlierRead {
  search?: Search | undefined;
}

/**
 * The last read of each market: the locations of its pools, states that predict the plan of the next query, and the
 * last search, which need not run again for the same order and pools. An answer never contains states of an earlier block.
 */
export interface MarketMemory {
  get(pair: TokenPair): LastRead | undefined;
  set(pair: TokenPair, read: LastRead): void;
  forget(pair: TokenPair): void;
}

const maxMarkets = 256;
const maxBytes = 64 * 2 ** 20;
/** The decoded states and the search take about so many bytes for each character of the answer. */
const bytesOfCharacter = 8;

export function createMarketMemory(now: () => number): MarketMemory {
  const bytesOf = ({ words }: LastRead) => words.length * bytesOfCharacter;
  const kept = new Memory<string, LastRead>({ maxEntries: maxMarkets, maxBytes, bytesOf });
  const keyOf = ({ tokenIn, tokenOut }: TokenPair) => `${tokenIn}${tokenOut}`;
  return {
    get(pair) {
      const read = kept.get(keyOf(pair));
      const isOld = read?.locations && now() - read.locations.foundAt >= locationsKeptMs;
      return isOld ? { ...read, locations: undefined } : read;
    },
    set: (pair, read) => kept.set(keyOf(pair), read),
    forget: (pair) => kept.forget(keyOf(pair)),
  };
}

/** An earlier read, without its locations if logs contain pools that it did not include: all pairs are looked up again. */
export function withKnown(earlier: LastRead | undefined, known: readonly KnownPool[]): LastRead | undefined {
  const included = new Set(earlier?.locations?.known.map(({ ref }) => ref.id));
  return earlier && known.some(({ ref }) => !included.has(ref.id)) ? { ...earlier, locations: undefined } : earlier;
}
