import { within } from './chain/within.ts';
import { readMarket } from './quote/market/readMarket.ts';
import type { QuoteQuery } from './quote/quoteTypes.ts';
import type { ServedChain } from './servedChain.ts';

/** Markets that are read at once. Further ones are read by their quotes alone. */
const maxRunning = 8;
/** A quote waits no longer than this for a running preparation of its market. */
const waitMs = 1_000;

/** Reads of markets before their quotes, while the payments settle. */
export interface MarketPreparation {
  /**
   * Starts to read a market, unless its quote needs only one small request anyway, or calls wait for the endpoint's budget.
   * Pools, funding and search are remembered, so that the quote needs one request. Nothing else is kept.
   * @returns a promise that resolves when the reading has ended; never rejects
   */
  start(chain: ServedChain, query: QuoteQuery): Promise<void>;
  /** Waits for the running preparation of this market. */
  wait(query: QuoteQuery): Promise<void>;
}

export function createMarketPreparation(): MarketPreparation {
  const running = new Map<string, Promise<void>>();
  const keyOf = ({ chain, tokenIn, tokenOut }: QuoteQuery) => `${chain}|${tokenIn}|${tokenOut}`;
  return {
    async start(chain, query) {
      const key = keyOf(query);
      const current = running.get(key);
      if (current || running.size >= maxRunning || isReady(chain, query)) return current;
      const reading = read(chain, query)
        // The quote reads the market itself, and reports its own failure.
        .catch(() => undefined)
        .finally(() => running.delete(key));
      running.set(key, reading);
      return reading;
    },
    async wait(query) {
      const reading = running.get(keyOf(query));
      if (reading) await within(waitMs, reading, undefined);
    },
  };
}

/** Whether a quote needs one request without the code of the lenses. */
const isReady = ({ data, lenses }: ServedChain, query: QuoteQuery): boolean =>
  lenses.state() === 'deployed' && data.markets.get(query)?.locations !== undefined;

async function read({ data, nodes }: ServedChain, query: QuoteQuery): Promise<void> {
  await nodes.read(async (node) => {
    if ((node.backlogMs?.() ?? 0) > 0 || node.memory.readMode === 'quoters') return;
    await readMarket(data, query, node);
  }, 'quote');
}
