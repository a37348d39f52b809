import { z } from 'zod';
import { isLimited, type RpcCall, type RpcReply, RpcTransportError, VendorUnavailableError } from '../ports.ts';
import { blockParam, type LogRpc, logsLabel, takeResult } from './logRpc.ts';
import { type RawLog, rawLog } from './parseTransfer.ts';

export interface LogRange {
  /** `address` and `topics` of `eth_getLogs`. */
  filter: { address: string | readonly string[]; topics: readonly unknown[] };
  /** First and last block, inclusive. */
  from: number;
  to: number;
  /** Whether to read the newest blocks first; default: the oldest. */
  newestFirst?: boolean;
  /** Size of the first range in blocks; the whole range when absent. */
  firstSize?: number;
  /** Calls to send in the same request as the logs up to block `to`. */
  extraCalls?: (to: number) => RpcCall[];
  /** Called with the size of each accepted range, and after a rejection with the size that is tried next. */
  onSize?: (size: number, accepted: boolean) => void;
}

export interface LogChunk {
  /** First and last block; the chunk contains all of their logs. */
  from: number;
  to: number;
  /** In block order. */
  logs: RawLog[];
  extraReplies: RpcReply[];
}

/** After this many consecutive transport failures the node counts as unreachable. */
const maxTransportFailures = 3;
/** The size ceiling doubles after this many successes: nodes also reject ranges for temporary reasons. */
const raiseCeilingAfter = 32;
/** A range with fewer logs grows; one with more than `manyLogs` shrinks. */
const fewLogs = 500;
const manyLogs = 4_000;

const listOfLogs = z.array(rawLog);

/**
 * Reads all logs of a filter in ranges that the node accepts. Nodes reject ranges that are too long or contain too many
 * logs, with differing messages. A rejected range is halved, or cut to the suggested size; ranges with few logs grow, up
 * to a limit that the node stated.
 *
 * @throws {VendorUnavailableError} refused: the node rejects a single block; unreachable; malformed: inconsistent logs;
 * rate-limited: the node refused the request because there were too many, which is no fault of the range
 * @throws {RpcTransportError} the same, as an HTTP status
 */
export async function* readLogRanges(rpc: LogRpc, range: LogRange): AsyncGenerator<LogChunk> {
  const { from, to, newestFirst = false, firstSize = Number.POSITIVE_INFINITY, onSize } = range;
  let ceiling = Math.max(1, to - from + 1);
  let stated = Number.POSITIVE_INFINITY;
  let size = Math.min(ceiling, firstSize);
  let failures = 0;
  let successes = 0;
  let [low, high] = [from, to];
  while (low <= high) {
    const [first, last] = newestFirst ? [Math.max(low, high - size + 1), high] : [low, Math.min(high, low + size - 1)];
    const [reply, ...extraReplies] = await tryRange(rpc, range, first, last);
    assertNotLimited(reply);
    if (reply instanceof RpcTransportError || 'error' in reply) {
      // Some nodes refuse a range with an HTTP status or by cutting the response; that is no failed connection.
      failures = reply instanceof RpcTransportError && !reply.answered && !reply.tooLarge ? failures + 1 : 0;
      if (failures >= maxTransportFailures) throw new VendorUnavailableError(logsLabel, 'unreachable');
      const tried = last - first + 1;
      if (tried === 1 && failures === 0) throw new VendorUnavailableError(logsLabel, 'refused');
      const limit = statedLimit(reply, tried);
      stated = limit ?? stated;
      size = suggestedSize(reply, first, tried) ?? limit ?? Math.max(1, Math.floor(tried / 2));
      ceiling = size;
      onSize?.(size, false);
      successes = 0;
      continue;
    }
    const logs = takeLogs(reply, first, last);
    onSize?.(last - first + 1, true);
    yield { from: first, to: last, logs, extraReplies };
    failures = 0;
    successes += 1;
    if (newestFirst) high = first - 1;
    else low = last + 1;
    if (successes % raiseCeilingAfter === 0) ceiling = Math.min(ceiling * 2, stated);
    if (logs.length < fewLogs) size = Math.min(size * 2, ceiling);
    else if (logs.length > manyLogs) size = Math.max(1, Math.floor(size / 2));
  }
}

async function tryRange(
  rpc: LogRpc,
  { filter, extraCalls }: LogRange,
  from: number,
  to: number,
): Promise<[RpcReply | RpcTransportError, ...RpcReply[]]> {
  const query = { ...filter, fromBlock: blockParam(from), toBlock: blockParam(to) };
  try {
    const [reply, ...rest] = await rpc.send([{ method: 'eth_getLogs', params: [query] }, ...(extraCalls?.(to) ?? [])]);
    if (!reply) throw new RpcTransportError('The node returned no reply to a call.');
    return [reply, ...rest];
  } catch (error) {
    // A response beyond the size limit also throws this error; a smaller range may succeed.
    if (error instanceof RpcTransportError) return [error];
    throw error;
  }
}

function assertNotLimited(reply: RpcReply | RpcTransportError): void {
  if (!(reply instanceof RpcTransportError)) {
    if (isLimited(reply)) throw new VendorUnavailableError(logsLabel, 'rate-limited');
  } else if (reply.limited) throw reply;
}

/** Some nodes suggest a range: `… this block range should work: [0x1, 0xff]`. */
function suggestedSize(reply: RpcReply | RpcTransportError, from: number, tried: number): number | undefined {
  if (reply instanceof RpcTransportError || !('error' in reply)) return undefined;
  const [, first, last] = /\[(0x[0-9a-f]{1,13}),\s*(0x[0-9a-f]{1,13})\]/i.exec(reply.error.message) ?? [];
  if (!first || !last || Number(first) !== from) return undefined;
  const size = Number(last) - from + 1;
  return size >= 1 && size < tried ? size : undefined;
}

/** Most nodes state their limit: `eth_getLogs is limited to a 10,000 range`, `block range is limited to 500 blocks`. */
function statedLimit(reply: RpcReply | RpcTransportError, tried: number): number | undefined {
  const message = reply instanceof RpcTransportError ? '' : 'error' in reply ? reply.error.message : '';
  const [, before, after] =
    /(\d[\d,]*)[ -]*(?:blocks?\b|range)|range[^\d[]{0,30}?(\d[\d,]*)(?![\d,]| *(?:results|logs))/i.exec(message) ?? [];
  const limit = Number((before ?? after ?? '').replaceAll(',', ''));
  return limit >= 1 && limit < tried ? limit : undefined;
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
