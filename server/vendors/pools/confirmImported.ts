import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { PoolIndexStore, StoredPool } from '../../storage/index.ts';
import { blockParam, type LogRpc, takeResult } from '../logs/logRpc.ts';
import { rawLog } from '../logs/parseTransfer.ts';
import {
  hasOwnId,
  type IndexedCreation,
  Memory,
  type PoolEvents,
  RpcTransportError,
  VendorUnavailableError,
} from '../ports.ts';
import { poolText } from './readFromNode.ts';

/** Maximum number of pools that one load confirms. */
const maxConfirmed = 50;
/** How long a paid call waits for the node. A later reply counts for the next call. */
const waitMs = 500;
/** How long a pool that the node does not confirm is not requested again. */
const refutedMs = 3_600_000;
/** Pools whose result is remembered. */
const maxRemembered = 20_000;
const logsOfBlock = z.array(rawLog);

interface Confirmed<Creation> {
  pools: Creation[];
  areAllConfirmed: boolean;
}

export interface ImportConfirmer {
  /**
   * The pools that this deployment read itself, and the imported ones that a node confirms by their creation log, each once.
   * An imported pool could be any contract, so it is left out until then. The id of a v4 pool is the hash of its key, which
   * confirms it without a request.
   */
  confirm<Creation extends IndexedCreation>(pools: readonly StoredPool<Creation>[]): Promise<Confirmed<Creation>>;
  /** Waits for writes that have begun. */
  close(): Promise<void>;
}

/** @param source.now milliseconds since the epoch */
export function createImportConfirmer(source: {
  rpc: LogRpc;
  store: PoolIndexStore;
  events: PoolEvents;
  now: () => number;
}): ImportConfirmer {
  const { rpc, store, events, now } = source;
  const keptMs = (isConfirmed: boolean) => (isConfirmed ? Number.POSITIVE_INFINITY : refutedMs);
  const results = new Memory<string, boolean>({ maxEntries: maxRemembered, keptMs, now });
  const reading = new Set<string>();
  const writes = new Set<Promise<void>>();

  /** A paid call does not wait for this write: an import may hold the lock of the index for seconds. */
  function save(pools: readonly IndexedCreation[]): void {
    // If the write fails, a later process confirms these pools again.
    const write = store.confirmPools(events.scope, pools).catch(() => undefined);
    writes.add(write);
    void write.finally(() => writes.delete(write));
  }

  const resultOf = (pool: IndexedCreation): boolean | undefined => results.get(poolText(pool));

  async function read(pools: readonly IndexedCreation[]): Promise<void> {
    const texts = pools.map(poolText);
    for (const text of texts) reading.add(text);
    try {
      const found = await readConfirmations(pools, rpc, events);
      for (const [pool, isConfirmed] of found) results.set(poolText(pool), isConfirmed);
      const confirmed = [...found].filter(([, isConfirmed]) => isConfirmed).map(([pool]) => pool);
      if (confirmed.length > 0) save(confirmed);
    } finally {
      for (const text of texts) reading.delete(text);
    }
  }

  return {
    async confirm<Creation extends IndexedCreation>(pools: readonly StoredPool<Creation>[]) {
      const isOpen = (pool: StoredPool<Creation>) => pool.isImported === true && !hasOwnId(pool);
      const isUnknown = (pool: StoredPool<Creation>) =>
        isOpen(pool) && resultOf(pool) === undefined && !reading.has(poolText(pool));
      // The newest first: they are in the order of their age.
      const unknown = pools.filter(isUnknown).slice(-maxConfirmed);
      if (unknown.length > 0) await within(read(unknown), waitMs);
      const usable = pools.filter((pool) => !isOpen(pool) || resultOf(pool) === true);
      return {
        pools: usable.map(({ isImported: _, ...creation }) => creation as unknown as Creation),
        areAllConfirmed: usable.length === pools.length,
      };
    },
    async close() {
      await Promise.all(writes);
    },
  };
}

/** Waits for the work, but not longer. A failure after that is not reported: the next call tries again. */
async function within(work: Promise<void>, ms: number): Promise<void> {
  const ended = new AbortController();
  const { signal } = ended;
  work.catch(() => undefined);
  try {
    await Promise.race([work, sleep(ms, undefined, { signal, ref: false }).catch(() => undefined)]);
  } finally {
    ended.abort();
  }
}

/** Whether the block of each pool has its creation log. Without a usable reply a pool is absent. */
async function readConfirmations<Pool extends IndexedCreation>(
  pools: readonly Pool[],
  rpc: LogRpc,
  { filter, toCreation }: PoolEvents,
): Promise<Map<Pool, boolean>> {
  const found = new Map<Pool, boolean>();
  if (pools.length === 0) return found;
  const calls = pools.map(({ factory, blockNumber }) => {
    const block = blockParam(blockNumber);
    return { method: 'eth_getLogs', params: [{ ...filter, address: factory, fromBlock: block, toBlock: block }] };
  });
  try {
    const replies = await rpc.send(calls);
    for (const [at, pool] of pools.entries()) {
      const reply = replies[at];
      if (!reply || 'error' in reply) continue;
      const created = takeResult(reply, logsOfBlock).flatMap((log) => toCreation(log) ?? []);
      found.set(
        pool,
        created.some((each) => poolText(each) === poolText(pool)),
      );
    }
  } catch (error) {
    if (!(error instanceof RpcTransportError || error instanceof VendorUnavailableError)) throw error;
  }
  return found;
}
