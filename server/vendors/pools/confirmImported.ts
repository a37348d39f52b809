import { z } from 'zod';
import type { PoolIndexStore, StoredPool } from '../../storage/index.ts';
import { blockParam, type LogRpc, takeResult } from '../logs/logRpc.ts';
import { rawLog } from '../logs/parseTransfer.ts';
import {
  hasOwnId,
  type IndexedCreation,
  type PoolEvents,
  RpcTransportError,
  VendorUnavailableError,
} from '../ports.ts';
import { poolText } from './readFromNode.ts';

/** Maximum number of pools that one load confirms: a paid call waits for it. */
const maxConfirmed = 50;
const logsOfBlock = z.array(rawLog);

/**
 * The pools that this deployment read itself, and the imported ones that a node confirms by their creation log, each once.
 * An imported pool could be any contract, so it is left out until then. The id of a v4 pool is the hash of its key, which
 * confirms it without a request.
 */
export async function confirmImported<Creation extends IndexedCreation>(
  pools: readonly StoredPool<Creation>[],
  { rpc, store, events }: { rpc: LogRpc; store: PoolIndexStore; events: PoolEvents },
): Promise<{ pools: Creation[]; areAllConfirmed: boolean }> {
  const isOpen = (pool: StoredPool<Creation>) => pool.isImported === true && !hasOwnId(pool);
  const open = pools.filter(isOpen);
  // The newest first: they are in the order of their age.
  const confirmed = new Set(await readConfirmed(open.slice(-maxConfirmed), rpc, events));
  // If the write fails, a later load confirms these pools again.
  if (confirmed.size > 0) await store.confirmPools(events.scope, [...confirmed]).catch(() => undefined);
  const usable = pools.filter((pool) => !isOpen(pool) || confirmed.has(pool));
  return {
    pools: usable.map(({ isImported: _, ...creation }) => creation as unknown as Creation),
    areAllConfirmed: usable.length === pools.length,
  };
}

async function readConfirmed<Pool extends IndexedCreation>(
  pools: readonly Pool[],
  rpc: LogRpc,
  { filter, toCreation }: PoolEvents,
): Promise<Pool[]> {
  if (pools.length === 0) return [];
  const calls = pools.map(({ factory, blockNumber }) => {
    const block = blockParam(blockNumber);
    return { method: 'eth_getLogs', params: [{ ...filter, address: factory, fromBlock: block, toBlock: block }] };
  });
  try {
    const replies = await rpc.send(calls);
    return pools.filter((pool, at) => {
      const reply = replies[at];
      if (!reply || 'error' in reply) return false;
      const created = takeResult(reply, logsOfBlock).flatMap((log) => toCreation(log) ?? []);
      return created.some((each) => poolText(each) === poolText(pool));
    });
  } catch (error) {
    if (error instanceof RpcTransportError || error instanceof VendorUnavailableError) return [];
    throw error;
  }
}
