import type { Hex } from 'viem';
import { createHttpRpcEndpoint, RpcTransportError } from '../rpc/index.ts';

/** The chain could not be asked, or does not tell yet. The message names no URL. */
export class ChainUnreachableError extends Error {
  override readonly name = 'ChainUnreachableError';
}

/** A node answered, and the answer is an error. */
export class NodeRefusalError extends Error {
  override readonly name = 'NodeRefusalError';
  /** The contract's word, not the node's: codes 3 (geth and its kin) and -32015 (OpenEthereum); others say it in words. */
  readonly isRevert: boolean;
  constructor(
    readonly code: number,
    readonly answer: string,
    readonly data: unknown,
  ) {
    super(`The node answered error ${code}.`);
    this.isRevert = code === 3 || code === -32015 || /execution reverted|^reverted/i.test(answer);
  }
}

/** Whether an error says only that the chain could not be asked, or did not answer well. */
export const isChainTrouble = (error: unknown): error is ChainUnreachableError | NodeRefusalError =>
  error instanceof ChainUnreachableError || error instanceof NodeRefusalError;

/** One JSON-RPC call. @throws {ChainUnreachableError} @throws {NodeRefusalError} */
export type ChainCall = <T>(method: string, params: readonly unknown[]) => Promise<T>;

/** A receipt of a few logs is the largest answer that payments ask for. */
const maxBytes = 2 * 1024 * 1024;

/** How a node tells which network it is of. */
interface NetworkIdentity {
  method: 'eth_chainId' | 'getGenesisHash';
  isRight(answer: string): boolean;
}

interface Chain {
  call: ChainCall;
  /** What each URL says about itself; undefined: nothing now. */
  readIdentities(): Promise<(string | undefined)[]>;
}

/** A node that has failed is asked last for so long: its time limit would be waited out with every call. */
const awayMs = 30_000;

/**
 * Calls one chain over several RPC URLs: the next one when a node is away or refuses, never after a revert. A node is
 * asked for its identity before it is believed, and one of another network never is.
 *
 * The errors that come out carry neither URL nor key, so they can be logged.
 */
export function openChain(rpcUrls: readonly string[], timeoutMs: number, identity: NetworkIdentity): Chain {
  const { signal } = new AbortController();
  const nodes = rpcUrls.map((url, index) => ({
    endpoint: createHttpRpcEndpoint({ url, label: `RPC ${index + 1} for payments`, timeoutMs, maxBytes }),
    isRight: false,
    awayUntil: 0,
  }));
  type Node = (typeof nodes)[number];

  /** @throws {RpcTransportError} @throws {NodeRefusalError} */
  async function ask<T>({ endpoint }: Node, method: string, params: readonly unknown[]): Promise<T> {
    const [reply] = await endpoint.send([{ method, params }], { signal });
    if (reply && 'result' in reply) return reply.result as T;
    const { code = 0, message = '', data } = reply?.error ?? {};
    throw new NodeRefusalError(code, message, data);
  }

  async function askKnown<T>(node: Node, method: string, params: readonly unknown[]): Promise<T> {
    if (!node.isRight) {
      // No is no answer for ever: behind one URL there are many nodes, and one of them may have been out of its mind.
      const told = await ask<unknown>(node, identity.method, []);
      node.isRight = typeof told === 'string' && identity.isRight(told);
    }
    if (!node.isRight) throw new ChainUnreachableError('An RPC for payments is of another network.');
    return ask<T>(node, method, params);
  }

  async function call<T>(method: string, params: readonly unknown[]): Promise<T> {
    let trouble: ChainUnreachableError | NodeRefusalError = new ChainUnreachableError('There is no RPC for payments.');
    const now = Date.now();
    const inOrder = [...nodes.filter((node) => node.awayUntil <= now), ...nodes.filter((node) => node.awayUntil > now)];
    for (const node of inOrder) {
      try {
        const result = await askKnown<T>(node, method, params);
        node.awayUntil = 0;
        return result;
      } catch (error) {
        if (error instanceof NodeRefusalError) {
          if (error.isRevert) throw error;
          trouble = error;
          continue;
        }
        if (!(error instanceof RpcTransportError) && !(error instanceof ChainUnreachableError)) throw error;
        node.awayUntil = Date.now() + awayMs;
        // What one node has answered says more than that the next one is away.
        if (!(trouble instanceof NodeRefusalError)) trouble = new ChainUnreachableError(`${method}: ${error.message}`);
      }
    }
    throw trouble;
  }

  return {
    call,
    readIdentities: () =>
      Promise.all(
        nodes.map((node) =>
          ask<string>(node, identity.method, []).catch((error) => {
            if (error instanceof RpcTransportError || error instanceof NodeRefusalError) return undefined;
            throw error;
          }),
        ),
      ),
  };
}

export const toQuantity = (value: bigint | number): Hex => `0x${value.toString(16)}`;
