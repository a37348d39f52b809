import { setTimeout as sleep } from 'node:timers/promises';
import { type Address, numberToHex } from 'viem';
import type { PoolIndexStore } from '../../storage/index.ts';
import { createLogRpc, type LogRpc } from '../logs/logRpc.ts';
import {
  type PoolEvents,
  type PoolIndex,
  type RpcEndpoint,
  RpcTransportError,
  VendorUnavailableError,
} from '../ports.ts';
import type { PoolIndexLimits } from '../vendorConfig.ts';
import { advancePools } from './advancePools.ts';

export interface PoolIndexer extends PoolIndex {
  /** Ends what runs in the background; what was read is stored. */
  close(): Promise<void>;
}

/** More pools of one token than the engine would measure. */
const mostPools = 200;
/** Nobody's address: a question for its pools has a short answer. */
const nobody = numberToHex(0x7f11n, { size: 32 });

/**
 * The index of all pools, kept in the background and asked by every check. It sleeps as long as the nodes tell of all
 * blocks at once; the first refusal wakes it, and so does what an earlier process has begun.
 *
 * @param options.onFault told of each pass that failed, for the operator's log
 */
export function createPoolIndexer(options: {
  endpoints: readonly RpcEndpoint[];
  store: PoolIndexStore;
  events: PoolEvents;
  limits: PoolIndexLimits;
  onFault: (error: unknown) => void;
}): PoolIndexer {
  const { endpoints, store, events, limits, onFault } = options;
  const closing = new AbortController();
  const { signal } = closing;
  let running: Promise<void> | undefined;
  let longestRange: number | undefined;
  let seenHead: bigint | undefined;

  const plain = createLogRpc(endpoints, signal, () => undefined);
  /** One request at a time, with a pause: the same nodes serve those who wait for an answer. */
  const rpc: LogRpc = {
    async send(calls) {
      await sleep(limits.pauseMs, undefined, { signal, ref: false });
      return plain.send(calls);
    },
  };

  async function run(): Promise<void> {
    let restMs = limits.everyMs;
    while (!signal.aborted) {
      try {
        await advancePools({ rpc, store, events, onSize: noteSize, onHead: noteHead });
        restMs = limits.everyMs;
      } catch (error) {
        if (signal.aborted) return;
        onFault(error);
        // Whatever it was, a pass is not lost by waiting; a defect is told each time.
        restMs = Math.min(restMs * 2, limits.everyMs * 32);
      }
      await sleep(restMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  function noteSize(size: number, taken: boolean): void {
    if (!taken) longestRange = Math.max(1, Math.floor(size / 2));
    else if (longestRange !== undefined && size > longestRange) longestRange = size;
  }

  function noteHead(head: number): void {
    seenHead = BigInt(head);
  }

  function wake(): void {
    if (!signal.aborted) running ??= run();
  }

  /** Whether the nodes refuse what a check asks. Who cannot be reached has not refused. */
  async function isWanted(): Promise<boolean> {
    if ((await store.loadCheckpoints(events.scope)).length > 0) return true;
    const { address, topics } = events.filter;
    const all = { address, topics: [...topics, nobody], fromBlock: '0x0', toBlock: 'latest' };
    const [reply] = await plain.send([{ method: 'eth_getLogs', params: [all] }]);
    return reply !== undefined && 'error' in reply;
  }

  const begun = isWanted().then(
    (wanted) => wanted && wake(),
    (error: unknown) => {
      if (!(error instanceof RpcTransportError || error instanceof VendorUnavailableError)) onFault(error);
    },
  );

  return {
    async load(token: Address) {
      const [[newest], pools] = await Promise.all([
        store.loadCheckpoints(events.scope),
        store.loadPools(events.scope, token, mostPools + 1),
      ]);
      if (!newest) return undefined;
      return {
        creations: pools.slice(0, mostPools),
        truncated: pools.length > mostPools,
        scannedTo: BigInt(newest.block),
        longestRange,
        seenHead,
      };
    },
    wake,
    async close() {
      closing.abort();
      await begun;
      await running;
    },
  };
}
