import type { LogHolder, LogIndexProgress, LogIndexStore } from '../../storage/index.ts';
import type { LowerAddress } from '../ports.ts';
import type { LogIndexLimits } from '../vendorConfig.ts';
import { applyTransfers } from './applyTransfers.ts';
import { blockParam, type LogRpc, takeResult } from './logRpc.ts';
import type { LongestRange } from './longestRange.ts';
import type { Transfer } from './parseTransfer.ts';
import { header, readChainHead } from './readChainHead.ts';
import { readSettledBlock } from './readSettledBlock.ts';
import { type CodeProbe, readStartBlock } from './readStartBlock.ts';
import { readTransfers } from './readTransfers.ts';
import { ScanEndedError } from './scanEnd.ts';
import type { ScanPace } from './scanPace.ts';

/** Transfers per write, so that other writers are not blocked for long. */
const sliceSize = 1_000;

/** The index of one token at the latest block. */
export interface IndexView {
  head: number;
  first: LogIndexProgress['first'];
  /** Undefined if the token exceeds the limits of the index. */
  holders: Map<LowerAddress, LogHolder> | undefined;
}

export interface AdvanceOptions {
  rpc: LogRpc;
  store: LogIndexStore;
  limits: LogIndexLimits;
  codeProbe: CodeProbe;
  /** Called as soon as the first transfer is known, long before a large token is complete. */
  onFirst: (first: NonNullable<LogIndexProgress['first']>) => void;
  longest: LongestRange;
  pace: ScanPace;
}

/**
 * Advances a token's index to the latest block. Progress is stored after every slice, so that a later scan continues
 * there.
 *
 * @throws {VendorUnavailableError | RpcTransportError}
 */
export async function advanceIndex(token: LowerAddress, options: AdvanceOptions): Promise<IndexView> {
  const { rpc, store, limits, onFirst, longest, pace, codeProbe } = options;
  const { newest, progress: known } = await loadProgress(token, rpc, store);
  const head = newest.number;
  let stored = known;
  let progress = known ?? begin((await readStartBlock(rpc, token, head, codeProbe)) ?? 0);
  if (progress.first) onFirst(progress.first);
  if (progress.overgrown) return { head, first: progress.first, holders: undefined };
  const holders = new Map((await store.loadHolders(token)).map((entry) => [entry.holder, entry]));
  const save = async (changed: readonly LogHolder[]) => {
    // Another replica stored progress first; the next request reads it.
    if (!(await store.save(token, stored, progress, changed))) throw new ScanEndedError('replica');
    stored = progress;
  };

  // Later blocks may be reorganised: they are read for each request and never stored.
  const settled = Math.max(progress.scannedTo, await readSettledBlock(rpc, newest));
  pace.reached(progress.scannedTo, settled);
  for await (const chunk of readTransfers(rpc, token, { from: progress.scannedTo + 1, to: settled, longest })) {
    for (const { to, transfers } of toSlices(chunk.transfers, chunk.to)) {
      const changed = applyTransfers(holders, transfers);
      progress = grow(progress, to, transfers, holders.size, limits);
      if (progress.first) onFirst(progress.first);
      await save(progress.overgrown ? [] : changed);
      if (progress.overgrown) return { head, first: progress.first, holders: undefined };
    }
    pace.reached(progress.scannedTo, settled);
  }
  if (settled > 0 && progress.anchor?.block !== settled) {
    const [reply] = await rpc.send([{ method: 'eth_getBlockByNumber', params: [blockParam(settled), false] }]);
    progress = { ...progress, anchor: { block: settled, hash: takeResult(reply, header).hash } };
    await save([]);
  }

  // Unsettled blocks are applied to this view only.
  let first = progress.first;
  for await (const { transfers } of readTransfers(rpc, token, { from: settled + 1, to: head, longest })) {
    applyTransfers(holders, transfers);
    first ??= firstOf(transfers);
    if (first) onFirst(first);
  }
  return { head, first, holders };
}

async function loadProgress(token: LowerAddress, rpc: LogRpc, store: LogIndexStore) {
  const progress = await store.load(token);
  const newest = await readChainHead(rpc, progress);
  if (progress && !newest.sameHistory) await store.forget(token);
  return { newest, progress: newest.sameHistory ? progress : undefined };
}

function begin(startBlock: number): LogIndexProgress {
  return { scannedTo: startBlock - 1, anchor: undefined, transfers: 0, holders: 0, overgrown: false, first: undefined };
}

function firstOf([first]: readonly Transfer[]): LogIndexProgress['first'] {
  return first && { block: first.block, transaction: first.transaction };
}

function grow(
  progress: LogIndexProgress,
  to: number,
  transfers: readonly Transfer[],
  holders: number,
  limits: LogIndexLimits,
): LogIndexProgress {
  const newest = transfers.at(-1);
  const count = progress.transfers + transfers.length;
  return {
    scannedTo: to,
    anchor: newest ? { block: newest.block, hash: newest.blockHash } : progress.anchor,
    transfers: count,
    holders,
    overgrown: count > limits.maxTransfers || holders > limits.maxHolders,
    first: progress.first ?? firstOf(transfers),
  };
}

/** Splits between blocks only, so that each slice is complete up to its block. */
function* toSlices(transfers: readonly Transfer[], to: number): Generator<{ to: number; transfers: Transfer[] }> {
  let begun = 0;
  for (let index = sliceSize; index < transfers.length; index += 1) {
    const block = transfers[index]?.block ?? to;
    if (index - begun < sliceSize || block === transfers[index - 1]?.block) continue;
    yield { to: block - 1, transfers: transfers.slice(begun, index) };
    begun = index;
  }
  yield { to, transfers: transfers.slice(begun) };
}
