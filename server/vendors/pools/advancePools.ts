import type { PoolIndexStore } from '../../storage/index.ts';
import { blockParam, type LogRpc, logsLabel, takeResult } from '../logs/logRpc.ts';
import { header } from '../logs/readChainHead.ts';
import { type LogRange, readLogRanges } from '../logs/readLogRanges.ts';
import { type PoolEvents, VendorUnavailableError } from '../ports.ts';
import { readHistory } from './readHistory.ts';

/** Blocks this young may still be replaced: a check asks for them itself. */
const unsettledBlocks = 64;
/** What most hosted nodes take. */
const firstSize = 10_000;

export interface AdvanceOptions {
  rpc: LogRpc;
  store: PoolIndexStore;
  events: PoolEvents;
  onSize: NonNullable<LogRange['onSize']>;
  onHead: (head: number) => void;
}

/**
 * Brings the index of pools up to the settled blocks. Every range is stored with the block that it ends at, so that a
 * scan which is cut off, by whatever, goes on from there; where the chain has left that history, from before it.
 *
 * @throws {VendorUnavailableError | RpcTransportError}
 */
export async function advancePools({ rpc, store, events, onSize, onHead }: AdvanceOptions): Promise<void> {
  const { scope, filter, toCreation } = events;
  const checkpoints = await store.loadCheckpoints(scope);
  const { head, agreed, left } = await readHistory(rpc, checkpoints);
  onHead(head);
  if (left) await store.rollBack(scope, agreed?.block);
  else if (checkpoints.length > 0 && agreed !== checkpoints[0]) return;
  let at = agreed;
  const range = { filter, from: (at?.block ?? -1) + 1, to: head - unsettledBlocks, firstSize, onSize };
  // The node shows in the same request that it holds the last block: one that lags would send fewer logs without a word.
  const beside = (to: number) => [{ method: 'eth_getBlockByNumber', params: [blockParam(to), false] }];
  for await (const { to, logs, beside: replies } of readLogRanges(rpc, { ...range, beside })) {
    const { number, hash } = takeResult(replies[0], header);
    const known = new Set(filter.address.map((address) => address.toLowerCase()));
    if (number !== to || logs.some(({ address }) => !known.has(address.toLowerCase())))
      throw new VendorUnavailableError(logsLabel, 'malformed');
    const pools = logs.flatMap((log) => toCreation(log) ?? []);
    const next = { block: to, hash };
    // Another replica reads the same logs: what it has stored will be read next time.
    if (!(await store.save(scope, at, next, pools))) return;
    at = next;
  }
}
