import type { Hex } from 'viem';
import { z } from 'zod';
import type { LogIndexProgress } from '../../storage/index.ts';
import { hash, hexCount } from '../transport/wire.ts';
import { blockParam, type LogRpc, takeResult } from './logRpc.ts';

export const header = z.object({ number: hexCount, hash, timestamp: hexCount });

export interface ChainHead {
  number: number;
  timestamp: number;
  /** Whether the chain still contains the index's anchor block. */
  sameHistory: boolean;
}

/** Reads the latest block, and whether the index still matches the chain: local chains restart, live ones reorganise. */
export async function readChainHead(rpc: LogRpc, progress: LogIndexProgress | undefined): Promise<ChainHead> {
  const anchor = progress?.anchor;
  const calls = ['latest', ...(anchor ? [blockParam(anchor.block)] : [])].map((block) => ({
    method: 'eth_getBlockByNumber',
    params: [block, false],
  }));
  const [latest, anchored] = await rpc.send(calls);
  const { number, timestamp } = takeResult(latest, header);
  const current: Hex | undefined = anchor && takeResult(anchored, header.nullable())?.hash;
  return { number, timestamp, sameHistory: current === anchor?.hash && (progress?.scannedTo ?? 0) <= number };
}
