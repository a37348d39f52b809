import { z } from 'zod';
import { type ChainName, type FetchOptions, type LowerAddress, VendorUnavailableError } from '../ports.ts';
import { untilAborted } from '../transport/untilAborted.ts';
import type { VendorClient } from '../transport/vendorClient.ts';

/** How long a list is shared, in milliseconds: a check needs it for market data and for hints, at nearly the same time. */
const sharedMs = 2_000;

const list = z.array(z.unknown());

export interface DexscreenerPairs {
  readonly label: string;
  /**
   * Pairs with the token on either side, at most 30, not validated, from `/token-pairs/v1/{chain}/{token}`. The vendor's
   * names of chains are ours.
   * @throws {VendorUnavailableError}
   */
  fetchPairs(chain: ChainName, token: LowerAddress, options: FetchOptions): Promise<unknown[]>;
}

interface SharedList {
  pairs: Promise<unknown[]>;
  callers: number;
  stop: AbortController;
}

/** Requests each list once for all callers of two seconds, until the last of them aborts. A failure is not kept. */
export function createDexscreenerPairs(client: VendorClient): DexscreenerPairs {
  const { label } = client;
  const shared = new Map<string, SharedList>();

  function start(path: string): SharedList {
    const stop = new AbortController();
    const started = { pairs: client.fetchJson({ path, schema: list }, { signal: stop.signal }), callers: 0, stop };
    shared.set(path, started);
    const forget = () => {
      if (shared.get(path) === started) shared.delete(path);
    };
    stop.signal.addEventListener('abort', forget, { once: true });
    started.pairs.then(() => setTimeout(forget, sharedMs).unref(), forget);
    return started;
  }

  return {
    label,
    async fetchPairs(chain, token, { signal }) {
      const path = `/token-pairs/v1/${chain}/${token}`;
      const used = shared.get(path) ?? start(path);
      used.callers += 1;
      try {
        return await untilAborted(used.pairs, signal, () => new VendorUnavailableError(label, 'timeout'));
      } finally {
        used.callers -= 1;
        if (signal.aborted && used.callers === 0) used.stop.abort();
      }
    },
  };
}
