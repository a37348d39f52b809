import { type Address, type Hex, pad, slice } from 'viem';
import { type ChainCall, ChainUnreachableError, isChainError, toQuantity } from '../../chainCall.ts';
import { header, loggedEvents, quantity } from './nodeAnswers.ts';
import { transferTopic } from './paidInReceipt.ts';

/** A transfer of the token to the payee. */
export interface IncomingTransfer {
  transaction: Hex;
  from: Address;
  /** Raw units. */
  units: bigint;
  block: bigint;
}

interface BlockRange {
  first: bigint;
  last: bigint;
}

/** Blocks of the first eth_getLogs; it is halved where a node refuses it. */
const longestSpan = 10_000n;
/** Requests for one payee. A node that allows ten blocks at a time then covers 20,000 blocks. */
const maxRequests = 2_000;

const transferLogs = loggedEvents.element.extend({ blockNumber: quantity }).array();

/** The lowest block with at least this timestamp, up to `last`; `last + 1n` if there is none. Sends about 30 requests. */
export async function findBlockAt(call: ChainCall, seconds: bigint, last: bigint): Promise<bigint> {
  let low = 0n;
  let high = last + 1n;
  while (low < high) {
    const middle = (low + high) / 2n;
    const { timestamp } = await call('eth_getBlockByNumber', [toQuantity(middle), false], header);
    if (timestamp >= seconds) high = middle;
    else low = middle + 1n;
  }
  return low;
}

/** @throws {ChainUnreachableError} @throws {JsonRpcError} */
async function readRange(
  call: ChainCall,
  { asset, payTo }: { asset: Address; payTo: Address },
  { first, last }: BlockRange,
): Promise<IncomingTransfer[]> {
  const filter = {
    address: asset,
    fromBlock: toQuantity(first),
    toBlock: toQuantity(last),
    topics: [transferTopic, null, pad(payTo)],
  };
  const logs = await call('eth_getLogs', [filter], transferLogs);
  return logs.map(({ transactionHash, topics, data, blockNumber }) => {
    const [topic, from, to] = topics;
    const isTransfer = topic === transferTopic && from && to?.toLowerCase() === pad(payTo).toLowerCase();
    if (!isTransfer || data.length !== 66 || blockNumber < first || blockNumber > last)
      throw new ChainUnreachableError('The node returned logs that were not requested.');
    return { transaction: transactionHash, from: slice(from, 12), units: BigInt(data), block: blockNumber };
  });
}

/** Reads the transfers to a payee in bounded ranges. Ranges that no node returns are listed, not skipped silently. */
export async function readTransfersTo(
  call: ChainCall,
  payee: { asset: Address; payTo: Address },
  { first, last }: BlockRange,
): Promise<{ transfers: IncomingTransfer[]; unread: BlockRange[] }> {
  const transfers: IncomingTransfer[] = [];
  let span = longestSpan;
  let next = first;
  for (let requests = 0; next <= last && requests < maxRequests; requests += 1) {
    const end = next + span - 1n < last ? next + span - 1n : last;
    try {
      transfers.push(...(await readRange(call, payee, { first: next, last: end })));
      next = end + 1n;
    } catch (error) {
      if (!isChainError(error)) throw error;
      // A node that refuses a single block returns no logs at all.
      if (end === next) break;
      span = (end - next + 1n) / 2n;
    }
  }
  return { transfers, unread: next <= last ? [{ first: next, last }] : [] };
}
