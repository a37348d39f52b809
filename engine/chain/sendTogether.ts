import { RpcTransportError } from '../errors.ts';
import type { Node } from './node.ts';
import type { RpcCall, RpcReply } from './rpcEndpoint.ts';

/**
 * Calls as one request; at a node that takes no batches as several at once. Which it is, is found out by the first.
 * @throws {RpcTransportError}
 */
export async function sendTogether(node: Node, calls: readonly RpcCall[]): Promise<RpcReply[]> {
  const { memory } = node;
  if (calls.length < 2 || memory.batches === true) return node.send(calls);
  if (memory.batches === false) return sendApart(node, calls);
  try {
    const replies = await node.send(calls);
    memory.batches = true;
    return replies;
  } catch (error) {
    if (!(error instanceof RpcTransportError && error.answered)) throw error;
    const replies = await sendApart(node, calls);
    memory.batches = false;
    return replies;
  }
}

async function sendApart(node: Node, calls: readonly RpcCall[]): Promise<RpcReply[]> {
  return (await Promise.all(calls.map((call) => node.send([call])))).flat();
}
