import type { Address } from 'viem';
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

/** Bounded; the market that was not read for longest leaves first. */
export function createMarketMemory(): MarketMemory {
  const kept = new Map<string, StateReading>();
  const keyOf = ({ tokenIn, tokenOut }: Pair) => `${tokenIn}${tokenOut}`.toLowerCase();
  return {
    find: (pair) => kept.get(keyOf(pair)),
    remember(pair, states) {
      const key = keyOf(pair);
      kept.delete(key);
      const oldest = kept.keys().next();
      if (kept.size >= mostMarkets && !oldest.done) kept.delete(oldest.value);
      kept.set(key, states);
    },
  };
}
