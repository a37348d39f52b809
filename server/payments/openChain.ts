import type { Hex } from 'viem';
import { z } from 'zod';
import { RpcTransportError } from '../rpc/index.ts';
import {
  type Chain,
  type ChainCall,
  ChainUnreachableError,
  isChainError,
  JsonRpcError,
  type NetworkIdentity,
  type RawSent,
  type RpcRequest,
  type RpcRequests,
} from './chainCall.ts';
import {
  type ChainNodes,
  inOrderOfUse,
  isAway,
  openNodes,
  readIdentity,
  sendAndWait,
  sendToNode,
  takesSync,
} from './chainNode.ts';

const transactionHash = z.string().regex(/^0x[0-9a-fA-F]{64}$/);

/**
 * Calls one chain over several RPC URLs. It uses the next one when a node is unreachable or returns an error or an invalid
 * result, never after a revert. A node is only used after its network id was checked.
 *
 * Errors contain neither URL nor key, so they can be logged.
 */
export function openChain(config: ChainNodes, timeoutMs: number, identity: NetworkIdentity): Chain {
  const nodes = openNodes(config, timeoutMs, identity);

  async function send(isVerified: boolean, requests: RpcRequests): Promise<unknown[]> {
    let trouble: ChainUnreachableError | JsonRpcError | undefined;
    for (const node of inOrderOfUse(nodes)) {
      try {
        return await sendToNode(node, isVerified, requests);
      } catch (error) {
        if (error instanceof JsonRpcError) {
          if (error.isRevert) throw error;
          trouble = error;
          continue;
        }
        if (!(error instanceof RpcTransportError) && !(error instanceof ChainUnreachableError)) throw error;
        // An error that a node returned is more specific than an unreachable node.
        if (!(trouble instanceof JsonRpcError))
          trouble = new ChainUnreachableError(`${requests[0]?.[0]}: ${error.message}`);
      }
    }
    throw trouble ?? new ChainUnreachableError('There is no RPC for payments.');
  }

  const sendOne =
    (isVerified: boolean): ChainCall =>
    async <T>(...request: RpcRequest<T>) => {
      const [result] = await send(isVerified, [request]);
      return result as T;
    };

  async function sendRaw(raw: Hex, awaitReceipt: boolean): Promise<RawSent> {
    const node = nodes.find((candidate) => !isAway(candidate));
    if (awaitReceipt && node && takesSync(node)) {
      try {
        const sent = await sendAndWait(node, raw);
        if (sent) return sent;
      } catch (error) {
        // The other nodes, or this one with the plain method, may accept the same bytes.
        if (!(error instanceof RpcTransportError) && !isChainError(error)) throw error;
      }
    }
    await send(false, [['eth_sendRawTransaction', [raw], transactionHash]]);
    return { outcome: 'sent' };
  }

  return {
    call: sendOne(false),
    sendRaw,
    callVerified: sendOne(true),
    callAllVerified: async (...requests) => (await send(true, requests as unknown as RpcRequests)) as never,
    readIdentities: () =>
      Promise.all(
        nodes.map((node) =>
          readIdentity(node).catch((error) => {
            if (error instanceof RpcTransportError || isChainError(error)) return undefined;
            throw error;
          }),
        ),
      ),
  };
}
