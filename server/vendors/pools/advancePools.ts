import { type BlockRange, countBlocks, missingRanges, type PoolIndexStore } from '../../storage/index.ts';
import { blockParam, type LogRpc, logsLabel, takeResult } from '../logs/logRpc.ts';
import type { LongestRange } from '../logs/longestRange.ts';
import { header } from '../logs/readChainHead.ts';
import { type LogChunk, readLogRanges } from '../logs/readLogRanges.ts';
import { readSettledBlock } from '../logs/readSettledBlock.ts';
import { type PoolEvents, VendorUnavailableError } from '../ports.ts';
import { readFirstBlock } from './readFirstBlock.ts';
import { readHistory } from './readHistory.ts';
import type { ScanProgress } from './scanProgress.ts';

/** First range in blocks; most hosted nodes accept it. It is 33 minutes of Base, and several hours of Polygon. */
export const defaultSize = 10_000;

export interface AdvanceOptions {
  rpc: LogRpc;
  store: PoolIndexStore;
  events: PoolEvents;
  onHead: (head: number) => void;
  longest: LongestRange;
  progress: ScanProgress;
}

/**
 * Reads the settled blocks that the index lacks, newest first: the pools that trades use today are mostly new. Each range
 * is stored with its pools, so that an interrupted scan continues with the blocks that are missing, at both ends. After a
 * reorg it continues from the last checkpoint that the chain still contains.
 *
 * @throws {VendorUnavailableError | RpcTransportError}
 */
export async function advancePools({ rpc, store, events, onHead, longest, progress }: AdvanceOptions): Promise<void> {
  const { scope, filter, toCreation } = events;
  const checkpoints = await store.loadCheckpoints(scope);
  const { head, lastCommon, isReorganised } = await readHistory(rpc, checkpoints);
  onHead(head.number);
  if (isReorganised) await store.rollBack(scope, lastCommon?.block);
  else if (checkpoints.length > 0 && lastCommon !== checkpoints[0]) return;
  let newest = lastCommon;
  // Later blocks may be reorganised: the pretrade check reads them itself.
  const settled = await readSettledBlock(rpc, head);
  const missing = await findMissing();
  progress.begin(countBlocks(missing), settled);
  for (const gap of missing) {
    const range = { filter, ...gap, newestFirst: true, firstSize: longest.blocks() ?? defaultSize };
    // Read the range's last block in the same request: a lagging node would return fewer logs without an error.
    const extraCalls = (to: number) => [{ method: 'eth_getBlockByNumber', params: [blockParam(to), false] }];
    for await (const chunk of readLogRanges(rpc, { ...range, extraCalls, onSize: longest.note })) {
      const { from, to, logs } = chunk;
      const hash = lastHashOf(chunk, filter.address);
      const pools = logs.flatMap((log) => toCreation(log) ?? []);
      // Another replica stored this range first; the next pass continues with what is missing then.
      if (!(await store.save(scope, newest, { from, to, hash }, pools))) return;
      if (newest === undefined || to > newest.block) newest = { block: to, hash };
      progress.advance(to - from + 1);
    }
  }

  /** No block before the first factory has logs, so the index counts them as read. */
  async function findMissing(): Promise<BlockRange[]> {
    const ranges = await store.loadRanges(scope);
    if (settled < 0 || ranges[0]?.from === 0) return missingRanges(ranges, settled);
    const first = await readFirstBlock(rpc, filter.address, settled);
    if (first > 0) await store.save(scope, newest, { from: 0, to: first - 1, hash: undefined }, []);
    return missingRanges(await store.loadRanges(scope), settled);
  }
}

/** @throws {VendorUnavailableError} for logs of other contracts, or without the last block of the range */
function lastHashOf({ to, logs, extraReplies }: LogChunk, factories: readonly string[]) {
  const { number, hash } = takeResult(extraReplies[0], header);
  if (number !== to || logs.some(({ address }) => !factories.includes(address)))
    throw new VendorUnavailableError(logsLabel, 'malformed');
  return hash;
}
