import type { PoolIndexStore } from '../../storage/index.ts';
import { blockParam, type LogRpc, logsLabel, takeResult } from '../logs/logRpc.ts';
import { header } from '../logs/readChainHead.ts';
import { type LogRange, readLogRanges } from '../logs/readLogRanges.ts';
import { readSettledBlock } from '../logs/readSettledBlock.ts';
import { type PoolEvents, VendorUnavailableError } from '../ports.ts';
import { readFirstBlock } from './readFirstBlock.ts';
import { readHistory } from './readHistory.ts';
import type { ScanProgress } from './scanProgress.ts';

/** First range in blocks; most hosted nodes accept it. It is 33 minutes of Base, and several hours of Polygon. */
const defaultSize = 10_000;

export interface AdvanceOptions {
  rpc: LogRpc;
  store: PoolIndexStore;
  events: PoolEvents;
  onSize: NonNullable<LogRange['onSize']>;
  onHead: (head: number) => void;
  /** The longest range that the nodes accepted before. */
  longestRange: number | undefined;
  progress: ScanProgress;
}

/**
 * Advances the pool index to the settled blocks. Each range is stored with its last block as checkpoint, so that an
 * interrupted scan continues there. After a reorg it continues from the last checkpoint that the chain still contains.
 *
 * @throws {VendorUnavailableError | RpcTransportError}
 */
export async function advancePools(options: AdvanceOptions): Promise<void> {
  const { rpc, store, events, onSize, onHead, longestRange: firstSize = defaultSize, progress } = options;
  const { scope, filter, toCreation } = events;
  const checkpoints = await store.loadCheckpoints(scope);
  const { head, lastCommon, isReorganised } = await readHistory(rpc, checkpoints);
  onHead(head.number);
  if (isReorganised) await store.rollBack(scope, lastCommon?.block);
  else if (checkpoints.length > 0 && lastCommon !== checkpoints[0]) return;
  let stored = lastCommon;
  // Later blocks may be reorganised: the pretrade check reads them itself.
  const settled = await readSettledBlock(rpc, head);
  const from = stored ? stored.block + 1 : await readFirstBlock(rpc, filter.address, Math.max(0, settled));
  progress.restore(stored?.block);
  progress.begin(from, settled);
  const range = { filter, from, to: settled, firstSize, onSize };
  // Read the range's last block in the same request: a lagging node would return fewer logs without an error.
  const extraCalls = (to: number) => [{ method: 'eth_getBlockByNumber', params: [blockParam(to), false] }];
  for await (const { to, logs, extraReplies } of readLogRanges(rpc, { ...range, extraCalls })) {
    const { number, hash } = takeResult(extraReplies[0], header);
    if (number !== to || logs.some(({ address }) => !filter.address.includes(address)))
      throw new VendorUnavailableError(logsLabel, 'malformed');
    const pools = logs.flatMap((log) => toCreation(log) ?? []);
    const next = { block: to, hash };
    // Another replica stored this range first; the next pass continues from there.
    if (!(await store.save(scope, stored, next, pools))) return;
    stored = next;
    progress.advance(to);
  }
}
