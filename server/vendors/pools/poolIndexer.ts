import { setTimeout as sleep } from 'node:timers/promises';
import { numberToHex } from 'viem';
import type { PoolIndexStore, StoredPool } from '../../storage/index.ts';
import { createLogRpc, type LogRpc, withPauses } from '../logs/logRpc.ts';
import { createLongestRange } from '../logs/longestRange.ts';
import {
  type IndexedCreation,
  type PoolEvents,
  type PoolIndex,
  type RpcEndpoint,
  RpcTransportError,
  VendorUnavailableError,
  type WeightedIndex,
} from '../ports.ts';
import type { VendorFaultNotice } from '../transport/vendorClient.ts';
import type { PoolIndexLimits } from '../vendorConfig.ts';
import { advancePools, defaultSize } from './advancePools.ts';
import { createImportConfirmer } from './confirmImported.ts';
import { loadWithRanges } from './loadWithRanges.ts';
import { createScanProgress } from './scanProgress.ts';
import { createScopeCleaner } from './scopeCleaner.ts';

export interface PoolIndexer extends PoolIndex, WeightedIndex {
  /** Stops the background scan; its progress is stored. */
  close(): Promise<void>;
}

/** Limit of the newest and of the oldest pools returned for a token; the engine measures fewer. */
const maxPools = 200;
/** The same for all weighted pools of a chain: the engine lists 2,000. */
const maxWeighted = 1_000;
/** An address without pools, so that the probe query returns no logs. */
const unusedAddress = numberToHex(0x7f11n, { size: 32 });

/**
 * Maintains the index of all pools in the background, for pretrade checks. It is idle while the nodes return logs of all
 * blocks in one query. A rejected query, or stored blocks of an earlier process, start it.
 *
 * @param options.onFault called for each failed pass, for the log
 */
export function createPoolIndexer(options: {
  endpoints: readonly RpcEndpoint[];
  store: PoolIndexStore;
  events: PoolEvents;
  limits: PoolIndexLimits;
  onFault: (notice: VendorFaultNotice) => void;
  now?: () => number;
}): PoolIndexer {
  const { endpoints, store, events, limits, now = Date.now } = options;
  const onFault = (error: unknown) => options.onFault(toNotice(error));
  const progress = createScanProgress(now);
  const closing = new AbortController();
  const { signal } = closing;
  let running: Promise<void> | undefined;
  const longest = createLongestRange();
  let seenHead: bigint | undefined;

  const unthrottled = createLogRpc(endpoints, signal, () => undefined);
  const rpc = withPauses(unthrottled, limits.pauseMs, signal);
  const confirmer = createImportConfirmer({ rpc: unthrottled, store, events, now });

  const cleaner = createScopeCleaner({ store, scope: events.scope, pauseMs: limits.pauseMs, signal, now, onFault });

  const pass = () =>
    advancePools({
      rpc,
      store,
      events,
      longest,
      progress,
      onHead(head) {
        seenHead = BigInt(head);
      },
    }).then(
      () => {
        progress.end();
        if (progress.state().status === 'complete') cleaner.start();
      },
      (error: unknown) => {
        progress.end(describe(error));
        throw error;
      },
    );

  function wake(): void {
    if (!signal.aborted) running ??= repeat(pass, limits.everyMs, signal, onFault);
  }

  const started = start().catch((error: unknown) => {
    if (!(error instanceof RpcTransportError || error instanceof VendorUnavailableError)) onFault(error);
  });

  async function start(): Promise<void> {
    if ((await store.loadRanges(events.scope)).length > 0) wake();
    if (await acceptsAllBlocks(unthrottled, events)) return;
    // Until a limit is known, reads after the index would ask for all missing blocks at once.
    if (longest.blocks() === undefined) longest.note(defaultSize, false);
    wake();
  }

  const loader = createPoolLoader({ store, events, confirmer, longest, seenHead: () => seenHead });

  return {
    ...loader,
    wake,
    state: progress.state,
    async close() {
      closing.abort();
      await started;
      await running;
      await cleaner.ended();
      await confirmer.close();
    },
  };
}

/** Loads stored pools with the state of the index. */
function createPoolLoader({
  store,
  events,
  confirmer,
  longest,
  seenHead,
}: {
  store: PoolIndexStore;
  events: PoolEvents;
  confirmer: ReturnType<typeof createImportConfirmer>;
  longest: ReturnType<typeof createLongestRange>;
  seenHead: () => bigint | undefined;
}): Pick<PoolIndexer, 'load' | 'loadWeighted'> {
  const load = <Creation extends IndexedCreation>(most: number, loadStored: () => Promise<StoredPool<Creation>[]>) =>
    loadWithRanges(loadStored, {
      most,
      confirmer,
      loadRanges: () => store.loadRanges(events.scope),
      longestRange: longest.blocks(),
      seenHead: seenHead(),
    });
  return {
    load: (token) => load(maxPools, () => store.loadPools(events.scope, token, maxPools)),
    loadWeighted: () =>
      load(maxWeighted, () => store.loadWeighted(events.scope, events.weightedFactories, maxWeighted)),
  };
}

function toNotice(error: unknown): VendorFaultNotice {
  const fault = error instanceof VendorUnavailableError ? error.fault : 'unreachable';
  return { vendor: 'pool index', fault, detail: error instanceof Error ? error.name : 'unknown fault' };
}

/** Without an address or a URL. */
const describe = (error: unknown): string =>
  error instanceof VendorUnavailableError
    ? `the nodes' logs are ${error.fault}`
    : error instanceof RpcTransportError
      ? error.limited
        ? 'the nodes accept no more requests for now'
        : 'no node responds'
      : 'the index could not be stored';

/** Whether the nodes accept the pretrade check's query over all blocks. */
async function acceptsAllBlocks(rpc: LogRpc, { filter: { address, topics } }: PoolEvents): Promise<boolean> {
  const all = { address, topics: [...topics, unusedAddress], fromBlock: '0x0', toBlock: 'latest' };
  const [reply] = await rpc.send([{ method: 'eth_getLogs', params: [all] }]);
  return reply === undefined || !('error' in reply);
}

/** Repeats passes until the signal aborts. Each failure is reported and doubles the pause, up to 32 times `everyMs`. */
async function repeat(
  pass: () => Promise<void>,
  everyMs: number,
  signal: AbortSignal,
  onFault: (error: unknown) => void,
): Promise<void> {
  let pauseMs = everyMs;
  while (!signal.aborted) {
    try {
      await pass();
      pauseMs = everyMs;
    } catch (error) {
      if (signal.aborted) return;
      onFault(error);
      pauseMs = Math.min(pauseMs * 2, everyMs * 32);
    }
    await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
}
