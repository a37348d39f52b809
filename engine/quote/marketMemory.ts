import type { Address } from 'viem';
import { LruMap } from '../lruMap.ts';
import type { StateReading } from '../pools/decodeStates.ts';

interface Pair {
  tokenIn: Address;
  tokenOut: Address;
}

/** The last states of each market, to predict the plan of the next question. Never a source of an answer. */
export interface MarketMemory {
  find(pair: Pair): StateReading | undefined;
  remember(pair: Pair, states: StateReading): void;
}

const mostMarkets = 256;

export function createMarketMemory(): MarketMemory {
  const kept = new LruMap<string, StateReading>(mostMarkets);
  const keyOf = ({ tokenIn, tokenOut }: Pair) => `${tokenIn}${tokenOut}`.toLowerCase();
  return {
    find: (pair) => kept.get(keyOf(pair)),
    remember: (pair, states) => kept.set(keyOf(pair), states),
  };
}
