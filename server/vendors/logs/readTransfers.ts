import { type LowerAddress, VendorUnavailableError } from '../ports.ts';
import { transferTopic } from '../transport/transferTopic.ts';
import { type LogRpc, logsLabel } from './logRpc.ts';
import type { LongestRange } from './longestRange.ts';
import { parseTransfer, type RawLog, type Transfer } from './parseTransfer.ts';
import { readLogRanges } from './readLogRanges.ts';

export interface TransferChunk {
  /** All transfers up to this block are in this chunk or an earlier one. */
  to: number;
  /** In block order. */
  transfers: Transfer[];
}

/**
 * Reads all Transfer logs of a token in ranges that the node accepts.
 *
 * @param range first and last block, inclusive
 * @throws {VendorUnavailableError} refused: the node rejects a single block; unreachable; malformed, wrong-token
 */
export async function* readTransfers(
  rpc: LogRpc,
  token: LowerAddress,
  { longest, ...blocks }: { from: number; to: number; longest: LongestRange },
): AsyncGenerator<TransferChunk> {
  const filter = { address: token, topics: [transferTopic] };
  const firstSize = longest.blocks();
  const range = { filter, ...blocks, onSize: longest.note, ...(firstSize !== undefined && { firstSize }) };
  for await (const chunk of readLogRanges(rpc, range)) {
    for (const log of chunk.logs) assertTransfer(log, token);
    yield { to: chunk.to, transfers: chunk.logs.map(parseTransfer) };
  }
}

function assertTransfer({ address, topics }: RawLog, token: LowerAddress): void {
  if (address !== token) throw new VendorUnavailableError(logsLabel, 'wrong-token');
  if (topics[0] !== transferTopic) throw new VendorUnavailableError(logsLabel, 'malformed');
}
