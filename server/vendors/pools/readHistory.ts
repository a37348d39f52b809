import type { PoolCheckpoint } from '../../storage/index.ts';
import { blockParam, type LogRpc, takeResult } from '../logs/logRpc.ts';
import { header } from '../logs/readChainHead.ts';

/** Where an index stands on the chain as it is now. */
export interface History {
  head: number;
  /** The newest checkpoint that the chain still holds; undefined: none of them, or there is none. */
  agreed: PoolCheckpoint | undefined;
  /** Newer checkpoints are of blocks that the chain has left. A node that lags behind them proves nothing. */
  left: boolean;
}

/**
 * Holds checkpoints against the chain.
 * @param checkpoints newest first
 * @throws {VendorUnavailableError | RpcTransportError}
 */
export async function readHistory(rpc: LogRpc, checkpoints: readonly PoolCheckpoint[]): Promise<History> {
  const [newest] = checkpoints;
  // The rest is asked only when the newest is gone, which is rare.
  const early = newest ? await readBlocks(rpc, [newest]) : await readBlocks(rpc, []);
  if (!newest || early.hashes[0] === newest.hash) return { head: early.head, agreed: newest, left: false };
  const { head, hashes } = await readBlocks(rpc, checkpoints);
  const at = checkpoints.findIndex(({ hash }, index) => hash === hashes[index]);
  const contradicted = checkpoints.some(({ block, hash }, index) => {
    const there = hashes[index];
    return block <= head && there !== undefined && there !== hash;
  });
  return { head, agreed: checkpoints[at], left: contradicted };
}

async function readBlocks(rpc: LogRpc, checkpoints: readonly PoolCheckpoint[]) {
  const blocks = ['latest', ...checkpoints.map(({ block }) => blockParam(block))];
  const replies = await rpc.send(blocks.map((block) => ({ method: 'eth_getBlockByNumber', params: [block, false] })));
  const [latest, ...rest] = replies;
  const hashes = checkpoints.map((_, index) => takeResult(rest[index], header.nullable())?.hash);
  return { head: takeResult(latest, header).number, hashes };
}
