import type { Hex } from 'viem';
import { z } from 'zod';
import { RpcTransportError } from '../rpc/index.ts';
import {
  type Chain,
  type ChainCall,
  ChainUnreachableError,
  isChainTrouble,
  type NetworkIdentity,
  NodeRefusalError,
  type Question,
  type Questions,
  type RawSent,
} from './chainCall.ts';
import { askNode, type ChainNodes, openNodes, readIdentity, sendAndWait } from './chainNode.ts';

const transactionHash = z.string().regex(/^0x[0-9a-fA-F]{64}$/);

/** A failed node is used last for this long, so that not every call waits for its timeout. */
const awayMs = 30_000;

/**
 * Calls one chain over several RPC URLs. It uses the next one when a node is unreachable or returns an error or an invalid
 * result, never after a revert. A node is only used after its network id was checked.
 *
 * Errors contain neither URL nor key, so they can be logged.
 */
export function openChain(config: ChainNodes, timeoutMs: number, identity: NetworkIdentity): Chain {
  const nodes = openNodes(config, timeoutMs, identity);

  async function askInOrder(isProven: boolean, questions: Questions): Promise<unknown[]> {
    let trouble: ChainUnreachableError | NodeRefusalError | undefined;
    const now = Date.now();
    const inOrder = [...nodes.filter((node) => node.awayUntil <= now), ...nodes.filter((node) => node.awayUntil > now)];
    for (const node of inOrder) {
      try {
        const answers = await askNode(node, isProven, questions);
        node.awayUntil = 0;
        return answers;
      } catch (error) {
        if (error instanceof NodeRefusalError) {
          if (error.isRevert) throw error;
          trouble = error;
          continue;
        }
        if (!(error instanceof RpcTransportError) && !(error instanceof ChainUnreachableError)) throw error;
        node.awayUntil = Date.now() + awayMs;
        // An error that a node returned is more specific than an unreachable node.
        if (!(trouble instanceof NodeRefusalError))
          trouble = new ChainUnreachableError(`${questions[0]?.[0]}: ${error.message}`);
      }
    }
    throw trouble ?? new ChainUnreachableError('There is no RPC for payments.');
  }

  const askOne =
    (isProven: boolean): ChainCall =>
    async <T>(...question: Question<T>) => {
      const [answer] = await askInOrder(isProven, [question]);
      return answer as T;
    };

  async function sendRaw(raw: Hex, awaitReceipt: boolean): Promise<RawSent> {
    const node = nodes.find(({ awayUntil }) => awayUntil <= Date.now());
    if (awaitReceipt && node && !node.lacksSync) {
      try {
        const sent = await sendAndWait(node, raw);
        if (sent) return sent;
      } catch (error) {
        // The other nodes, or this one with the plain method, may accept the same bytes.
        if (!(error instanceof RpcTransportError) && !isChainTrouble(error)) throw error;
        // The node responds, and rejects batches.
        if (error instanceof RpcTransportError && error.answered) node.lacksSync = true;
      }
    }
    await askInOrder(false, [['eth_sendRawTransaction', [raw], transactionHash]]);
    return { outcome: 'sent' };
  }

  return {
    call: askOne(false),
    sendRaw,
    callProven: askOne(true),
    callAllProven: async (...questions) => (await askInOrder(true, questions as unknown as Questions)) as never,
    readIdentities: () =>
      Promise.all(
        nodes.map((node) =>
          readIdentity(node).catch((error) => {
            if (error instanceof RpcTransportError || isChainTrouble(error)) return undefined;
            throw error;
          }),
        ),
      ),
  };
}
