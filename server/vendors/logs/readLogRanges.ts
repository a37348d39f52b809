import { z } from 'zod';
import { type RpcCall, type RpcReply, RpcTransportError, VendorUnavailableError } from '../ports.ts';
import { blockParam, type LogRpc, logsLabel, takeResult } from './logRpc.ts';
import { type RawLog, rawLog } from './parseTransfer.ts';

export interface LogRange {
  /** `address` and `topics` of `eth_getLogs`. */
  filter: { address: string | readonly string[]; topics: readonly unknown[] };
  /** Both included. */
  from: number;
  to: number;
  /** Blocks of the first try; all at once when absent. */
  firstSize?: number;
  /** Asked in the same request as the logs up to a block. */
  beside?: (to: number) => RpcCall[];
  /** Told of each size that a node refused, or took. */
  onSize?: (size: number, taken: boolean) => void;
}

export interface LogChunk {
  /** Everything up to this block is in this chunk or an earlier one. */
  to: number;
  /** In the chain's order. */
  logs: RawLog[];
  beside: RpcReply[];
}

/** After so many transport failures in a row the node counts as unreachable, whatever the range. */
const patience = 3;
/** A ceiling found once is tried again after so many good answers: nodes also refuse for passing reasons. */
const retryCeilingAfter = 32;
const fewLogs = 500;
const manyLogs = 4_000;

const listOfLogs = z.array(rawLog);

/**
 * Reads all logs of a filter, in ranges that fit the node: nodes refuse ranges that are too long, or hold too many
 * logs, each in its own words. So a refused range is halved (or cut to what the refusal suggests), and ranges grow again
 * while they hold little.
 *
 * @throws {VendorUnavailableError} refused: not even one block; unreachable; malformed: a lying node
 */
export async function* readLogRanges(rpc: LogRpc, range: LogRange): AsyncGenerator<LogChunk> {
  const { from, to, firstSize = Number.POSITIVE_INFINITY, onSize } = range;
  let ceiling = Math.max(1, to - from + 1);
  let size = Math.min(ceiling, firstSize);
  let failures = 0;
  let goodAnswers = 0;
  let next = from;
  while (next <= to) {
    const last = Math.min(to, next + size - 1);
    const [reply, ...beside] = await tryRange(rpc, range, next, last);
    if (reply instanceof RpcTransportError || 'error' in reply) {
      failures = reply instanceof RpcTransportError ? failures + 1 : 0;
      if (failures >= patience) throw new VendorUnavailableError(logsLabel, 'unreachable');
      const tried = last - next + 1;
      onSize?.(tried, false);
      if (tried === 1 && failures === 0) throw new VendorUnavailableError(logsLabel, 'refused');
      size = suggestedSize(reply, next, tried) ?? Math.max(1, Math.floor(tried / 2));
      ceiling = size;
      goodAnswers = 0;
      continue;
    }
    const logs = takeLogs(reply, next, last);
    onSize?.(last - next + 1, true);
    yield { to: last, logs, beside };
    failures = 0;
    goodAnswers += 1;
    next = last + 1;
    if (goodAnswers % retryCeilingAfter === 0) ceiling *= 2;
    if (logs.length < fewLogs) size = Math.min(size * 2, ceiling);
    else if (logs.length > manyLogs) size = Math.max(1, Math.floor(size / 2));
  }
}

async function tryRange(
  rpc: LogRpc,
  { filter, beside }: LogRange,
  from: number,
  to: number,
): Promise<[RpcReply | RpcTransportError, ...RpcReply[]]> {
  const wanted = { ...filter, fromBlock: blockParam(from), toBlock: blockParam(to) };
  try {
    const [reply, ...rest] = await rpc.send([{ method: 'eth_getLogs', params: [wanted] }, ...(beside?.(to) ?? [])]);
    if (!reply) throw new RpcTransportError('The node left a call without a reply.');
    return [reply, ...rest];
  } catch (error) {
    // An answer beyond the size limit looks the same from here, so a smaller range is worth a try.
    if (error instanceof RpcTransportError) return [error];
    throw error;
  }
}

/** Some nodes say which range they would take: `… this block range should work: [0x1, 0xff]`. */
function suggestedSize(reply: RpcReply | RpcTransportError, from: number, tried: number): number | undefined {
  if (reply instanceof RpcTransportError || !('error' in reply)) return undefined;
  const [, first, last] = /\[(0x[0-9a-f]{1,13}),\s*(0x[0-9a-f]{1,13})\]/i.exec(reply.error.message) ?? [];
  if (!first || !last || Number(first) !== from) return undefined;
  const size = Number(last) - from + 1;
  return size >= 1 && size < tried ? size : undefined;
}

function takeLogs(reply: RpcReply, from: number, to: number): RawLog[] {
  const found = takeResult(reply, listOfLogs);
  let previous = from;
  for (const { blockNumber, removed } of found) {
    if (removed || blockNumber < previous || blockNumber > to) throw new VendorUnavailableError(logsLabel, 'malformed');
    previous = blockNumber;
  }
  return found;
}
