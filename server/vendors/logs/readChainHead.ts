import type { Hex } from 'viem';
import { z } from 'zod';
import type { LogIndexProgress } from '../../storage/index.ts';
import { hash, hexCount } from '../transport/wire.ts';
import { blockParam, type LogRpc, takeResult } from './logRpc.ts';

export const header = z.object({ number: hexCount, hash, timestamp: hexCount });

export interface ChainHead {
  number: number;
  /** Whether the chain still contains the block that the index was built on. */
  sameHistory: boolean;
}

/** The latest block, and whether the index still matches the chain. A local chain restarts; a live one reorganises. */
export async function readChainHead(rpc: LogRpc, progress: LogIndexProgress | undefined): Promise<ChainHead> {
  const anchor = progress?.anchor;
  const calls = ['latest', ...(anchor ? [blockParam(anchor.block)] : [])].map((block) => ({
    method: 'eth_getBlockByNumber',
    params: [block, false],
  }));
  const [latest, anchored] = await rpc.send(calls);
  const { number } = takeResult(latest, header);
  const current: Hex | undefined = anchor && takeResult(anchored, header.nullable())?.hash;
  return { number, sameHistory: current === anchor?.hash && (progress?.scannedTo ?? 0) <= number };
}
