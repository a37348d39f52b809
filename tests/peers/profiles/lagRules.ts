import { type JsonCall, type JsonReply, refusal } from './profileTypes.ts';

/** Position of the block parameter, by method. */
const blockAt: Readonly<Record<string, number>> = {
  eth_call: 1,
  eth_estimateGas: 1,
  eth_simulateV1: 1,
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_getTransactionCount: 1,
  eth_getStorageAt: 2,
  eth_getBlockByNumber: 0,
};
/** Methods whose result contains a block number, and is null on a node that does not have that block yet. */
const ofBlocks = new Set(['eth_getBlockByHash', 'eth_getTransactionReceipt', 'eth_getTransactionByHash']);

export const hexNumber = (value: unknown): bigint | undefined =>
  typeof value === 'string' && /^0x[0-9a-f]+$/i.test(value) && value.length < 66 ? BigInt(value) : undefined;

/** The block parameter of a call; undefined where the method has none. */
export function blockOf(call: JsonCall): unknown {
  const at = blockAt[call.method];
  return at === undefined ? undefined : (call.params[at] ?? 'latest');
}

const withBlock = (call: JsonCall, block: string): JsonCall => ({
  ...call,
  params: Object.assign([...call.params], { [blockAt[call.method] ?? 0]: block }),
});

/** The call as a node whose head is `head` executes it, or that node's reply where it lacks the block. */
export function callAt(call: JsonCall, head: bigint): JsonCall | JsonReply {
  const own = `0x${head.toString(16)}`;
  if (call.method === 'eth_blockNumber') return { jsonrpc: '2.0', id: call.id, result: own };
  if (call.method === 'eth_getLogs') {
    const [filter] = call.params as [Record<string, unknown>];
    const to = hexNumber(filter?.toBlock);
    if (to !== undefined && to > head) {
      return refusal(call, -32_602, `block range extends beyond current head block: ${to} > ${head}`);
    }
    const limited = filter?.blockHash === undefined && to === undefined ? { ...filter, toBlock: own } : filter;
    return { ...call, params: [limited] };
  }
  const block = blockOf(call);
  if (block === undefined) return call;
  if (block === 'latest' || block === 'pending') return withBlock(call, own);
  const number = hexNumber(block);
  if (number === undefined || number <= head) return call;
  if (call.method === 'eth_getBlockByNumber') return { jsonrpc: '2.0', id: call.id, result: null };
  return refusal(call, -32_000, 'header not found');
}

/** The reply as a node whose head is `head` returns it. */
export function replyAt(call: JsonCall, reply: JsonReply, head: bigint): JsonReply {
  if (!ofBlocks.has(call.method) || !('result' in reply) || reply.result === null) return reply;
  const { number, blockNumber } = reply.result as { number?: unknown; blockNumber?: unknown };
  const at = hexNumber(blockNumber ?? number);
  return at !== undefined && at > head ? { ...reply, result: null } : reply;
}
