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
  acceptsSync,
  type ChainNodes,
  hasFailedRecently,
  inOrderOfUse,
  openNodes,
  readIdentity,
  sendAndWait,
  sendToNode,
} from './chainNode.ts';

const transactionHash = z.string().regex(/^0x[0-9a-fA-F]{64}$/);

/**
 * Calls one chain over several RPC URLs. It uses the next node if a node is unreachable or returns an error or an invalid
 * result, but not after a revert. A node's network id is verified before its first use.
 *
 * Errors contain neither URL nor key, so they can be logged.
 */
export function openChain(config: ChainNodes, timeoutMs: number, identity: NetworkIdentity): Chain {
  const nodes = openNodes(config, timeoutMs, identity);

  async function send(withIdentity: boolean, requests: RpcRequests): Promise<unknown[]> {
    let lastError: ChainUnreachableError | JsonRpcError | undefined;
    for (const node of inOrderOfUse(nodes)) {
      try {
        return await sendToNode(node, withIdentity, requests);
      } catch (error) {
        if (error instanceof JsonRpcError) {
          if (error.isRevert) throw error;
          lastError = error;
          continue;
        }
        if (!(error instanceof RpcTransportError) && !(error instanceof ChainUnreachableError)) throw error;
        // An error that a node returned is more specific than an unreachable node.
        if (!(lastError instanceof JsonRpcError))
          lastError = new ChainUnreachableError(`${requests[0]?.[0]}: ${error.message}`);
      }
    }
    throw lastError ?? new ChainUnreachableError('No RPC for payments is configured.');
  }

  const sendOne =
    (withIdentity: boolean): ChainCall =>
    async <T>(...request: RpcRequest<T>) => {
      const [result] = await send(withIdentity, [request]);
      return result as T;
    };

  async function sendRaw(raw: Hex, awaitReceipt: boolean): Promise<RawSent> {
    const node = nodes.find((candidate) => !hasFailedRecently(candidate));
    if (awaitReceipt && node && acceptsSync(node)) {
      try {
        const sent = await sendAndWait(node, raw);
        if (sent) return sent;
      } catch (error) {
        // Other nodes, or this one with `eth_sendRawTransaction`, may accept the same bytes.
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
