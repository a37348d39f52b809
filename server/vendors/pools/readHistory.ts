import type { PoolCheckpoint } from '../../storage/index.ts';
import { blockParam, type LogRpc, takeResult } from '../logs/logRpc.ts';
import { type ChainHead, header } from '../logs/readChainHead.ts';

/** The position of an index on the current chain. */
export interface History {
  head: Pick<ChainHead, 'number' | 'timestamp'>;
  /** The newest checkpoint that the chain still contains; undefined if there is none. */
  lastCommon: PoolCheckpoint | undefined;
  /** Whether a reorganisation removed newer checkpoints. A lagging node, without their blocks, does not prove one. */
  isReorganised: boolean;
}

/**
 * Compares checkpoints with the chain.
 * @param checkpoints newest first
 * @throws {VendorUnavailableError | RpcTransportError}
 */
export async function readHistory(rpc: LogRpc, checkpoints: readonly PoolCheckpoint[]): Promise<History> {
  const [newest] = checkpoints;
  // Older checkpoints are read only if the chain does not contain the newest one, which is rare.
  const first = newest ? await readBlocks(rpc, [newest]) : await readBlocks(rpc, []);
  if (!newest || first.hashes[0] === newest.hash) return { head: first.head, lastCommon: newest, isReorganised: false };
  const { head, hashes } = await readBlocks(rpc, checkpoints);
  const at = checkpoints.findIndex(({ hash }, index) => hash === hashes[index]);
  const isReorganised = checkpoints.some(({ block, hash }, index) => {
    const current = hashes[index];
    return block <= head.number && current !== undefined && current !== hash;
  });
  return { head, lastCommon: checkpoints[at], isReorganised };
}

async function readBlocks(rpc: LogRpc, checkpoints: readonly PoolCheckpoint[]) {
  const blocks = ['latest', ...checkpoints.map(({ block }) => blockParam(block))];
  const replies = await rpc.send(blocks.map((block) => ({ method: 'eth_getBlockByNumber', params: [block, false] })));
  const [latest, ...rest] = replies;
  const hashes = checkpoints.map((_, index) => takeResult(rest[index], header.nullable())?.hash);
  return { head: takeResult(latest, header), hashes };
}
