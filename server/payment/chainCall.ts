import type { Hex } from 'viem';
import { RpcTransportError } from '../../engine/index.ts';
import { createHttpRpcEndpoint } from '../rpc/index.ts';

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

/**
 * Calls one chain over several RPC URLs: the next one when a node is away or refuses, never after a revert.
 *
 * The errors that come out carry neither URL nor key, so they can be logged.
 */
export function createChainCall(rpcUrls: readonly string[], timeoutMs: number): ChainCall {
  const endpoints = rpcUrls.map((url, index) =>
    createHttpRpcEndpoint({ url, label: `RPC ${index + 1} for payments`, timeoutMs, maxBytes }),
  );
  const { signal } = new AbortController();

  return async <T>(method: string, params: readonly unknown[]): Promise<T> => {
    let trouble: ChainUnreachableError | NodeRefusalError = new ChainUnreachableError('There is no RPC for payments.');
    for (const endpoint of endpoints) {
      try {
        const [reply] = await endpoint.send([{ method, params }], { signal });
        if (reply && 'result' in reply) return reply.result as T;
        const { code = 0, message = '', data } = reply?.error ?? {};
        trouble = new NodeRefusalError(code, message, data);
        if (trouble.isRevert) throw trouble;
      } catch (error) {
        if (!(error instanceof RpcTransportError)) throw error;
        // What one node has answered says more than that the next one is away.
        if (trouble instanceof NodeRefusalError) continue;
        trouble = new ChainUnreachableError(`${method}: ${error.message}`);
      }
    }
    throw trouble;
  };
}

export const toQuantity = (value: bigint | number): Hex => `0x${value.toString(16)}`;
