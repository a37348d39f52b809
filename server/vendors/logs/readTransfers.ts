import { type Address, isAddressEqual } from 'viem';
import { z } from 'zod';
import { type RpcReply, RpcTransportError, VendorUnavailableError } from '../ports.ts';
import { transferTopic } from '../transport/transferTopic.ts';
import { blockParam, type LogRpc, logsLabel, takeResult } from './logRpc.ts';
import { parseTransfer, rawLog, type Transfer } from './parseTransfer.ts';

export interface TransferChunk {
  /** Everything up to this block is in this chunk or an earlier one. */
  to: number;
  /** In the chain's order. */
  transfers: Transfer[];
}

/** After so many transport failures in a row the node counts as unreachable, whatever the range. */
const patience = 3;
/** A ceiling found once is tried again after so many good answers: nodes also refuse for passing reasons. */
const retryCeilingAfter = 32;
const fewLogs = 500;
const manyLogs = 4_000;

const logs = z.array(rawLog);

/**
 * Reads all Transfer logs of a token from block `from` to block `to`, both included, in ranges that fit the node:
 * nodes refuse ranges that are too long, or hold too many logs, each in its own words. So a refused
 * range is halved (or cut to what the refusal suggests), and ranges grow again while they hold little.
 *
 * @throws {VendorUnavailableError} refused: not even one block; unreachable; malformed or wrong-token: a lying node
 */
export async function* readTransfers(
  rpc: LogRpc,
  token: Address,
  from: number,
  to: number,
): AsyncGenerator<TransferChunk> {
  let ceiling = Math.max(1, to - from + 1);
  let size = ceiling;
  let failures = 0;
  let goodAnswers = 0;
  let next = from;
  while (next <= to) {
    const last = Math.min(to, next + size - 1);
    const reply = await tryRange(rpc, token, next, last);
    if (reply instanceof RpcTransportError || 'error' in reply) {
      failures = reply instanceof RpcTransportError ? failures + 1 : 0;
      if (failures >= patience) throw new VendorUnavailableError(logsLabel, 'unreachable');
      const tried = last - next + 1;
      if (tried === 1 && failures === 0) throw new VendorUnavailableError(logsLabel, 'refused');
      size = suggestedSize(reply, next, tried) ?? Math.max(1, Math.floor(tried / 2));
      ceiling = size;
      goodAnswers = 0;
      continue;
    }
    const transfers = takeTransfers(reply, token, next, last);
    yield { to: last, transfers };
    failures = 0;
    goodAnswers += 1;
    next = last + 1;
    if (goodAnswers % retryCeilingAfter === 0) ceiling *= 2;
    if (transfers.length < fewLogs) size = Math.min(size * 2, ceiling);
    else if (transfers.length > manyLogs) size = Math.max(1, Math.floor(size / 2));
  }
}

async function tryRange(rpc: LogRpc, token: Address, from: number, to: number): Promise<RpcReply | RpcTransportError> {
  const filter = { address: token, topics: [transferTopic], fromBlock: blockParam(from), toBlock: blockParam(to) };
  try {
    const [reply] = await rpc.send([{ method: 'eth_getLogs', params: [filter] }]);
    if (!reply) throw new RpcTransportError('The node left a call without a reply.');
    return reply;
  } catch (error) {
    // An answer beyond the size limit looks the same from here, so a smaller range is worth a try.
    if (error instanceof RpcTransportError) return error;
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

function takeTransfers(reply: RpcReply, token: Address, from: number, to: number): Transfer[] {
  const found = takeResult(reply, logs);
  let previous = from;
  for (const { address, topics, blockNumber, removed } of found) {
    if (!isAddressEqual(address, token)) throw new VendorUnavailableError(logsLabel, 'wrong-token');
    const inOrder = blockNumber >= previous && blockNumber <= to;
    if (!inOrder || topics[0] !== transferTopic || removed) throw new VendorUnavailableError(logsLabel, 'malformed');
    previous = blockNumber;
  }
  return found.map(parseTransfer);
}
