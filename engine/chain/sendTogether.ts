import { RpcTransportError } from '../errors.ts';
import type { Node } from './node.ts';
import type { RpcCall, RpcReply } from './rpcEndpoint.ts';

/**
 * Sends calls as one batch, or as concurrent requests if the node does not support batches. The first batch determines it.
 * @throws {RpcTransportError}
 */
export async function sendTogether(node: Node, calls: readonly RpcCall[]): Promise<RpcReply[]> {
  const { memory } = node;
  if (calls.length < 2 || memory.batches === true) return node.send(calls);
  if (memory.batches === false) return sendSingly(node, calls);
  try {
    const replies = await node.send(calls);
    memory.batches = true;
    return replies;
  } catch (error) {
    if (!(error instanceof RpcTransportError && error.answered)) throw error;
    const replies = await sendSingly(node, calls);
    memory.batches = false;
    return replies;
  }
}

async function sendSingly(node: Node, calls: readonly RpcCall[]): Promise<RpcReply[]> {
  return (await Promise.all(calls.map((call) => node.send([call])))).flat();
}
