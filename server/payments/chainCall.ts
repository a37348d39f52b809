import type { Hex } from 'viem';
import type { z } from 'zod';

export { multicall3 } from '../../engine/index.ts';

/** No node returned a valid result. The message contains no URL. */
export class ChainUnreachableError extends Error {
  override readonly name = 'ChainUnreachableError';
}

/** A node returned a JSON-RPC error. `answer` is its message, `data` its revert data. */
export class JsonRpcError extends Error {
  override readonly name = 'JsonRpcError';
  /** The contract reverted: code 3 (geth), -32015 (OpenEthereum), or only the message of other nodes. */
  readonly isRevert: boolean;
  constructor(
    readonly code: number,
    readonly answer: string,
    readonly data: unknown,
  ) {
    super(`The node returned JSON-RPC error ${code}.`);
    this.isRevert = code === 3 || code === -32015 || /execution reverted|^reverted/i.test(answer);
  }
}

/** Whether an error comes from the nodes, not from our code. */
export const isChainError = (error: unknown): error is ChainUnreachableError | JsonRpcError =>
  error instanceof ChainUnreachableError || error instanceof JsonRpcError;

/**
 * One JSON-RPC call. A result that does not match `shape` counts as a failure, and the next node is used.
 *
 * @throws {ChainUnreachableError} @throws {JsonRpcError}
 */
export type ChainCall = <T>(method: string, params: readonly unknown[], shape: z.ZodType<T>) => Promise<T>;

/** The method that returns a node's network id, and whether an id is the expected one. */
export interface NetworkIdentity {
  method: 'eth_chainId' | 'getGenesisHash';
  shape: z.ZodType<string>;
  matches(networkId: string): boolean;
}

export interface Chain {
  call: ChainCall;
  /**
   * Like `call`, and reads the node's network id in the same request, or in a concurrent one if the node accepts no
   * batches. For reads that decide whether money moves: a URL may have been switched to another network.
   */
  callVerified: ChainCall;
  /** Several verified calls, in one batch if the node accepts batches. If one fails, all are sent to the next node. */
  callAllVerified: <const Results extends readonly unknown[]>(
    ...requests: { [Index in keyof Results]: RpcRequest<Results[Index]> }
  ) => Promise<Results>;
  /**
   * Broadcasts a signed transaction. With `awaitReceipt`, a node that has `eth_sendRawTransactionSync` (EIP-7966) replies
   * once the transaction is included, within three seconds. That receipt may be preconfirmed.
   *
   * @throws {ChainUnreachableError} @throws {JsonRpcError}
   */
  sendRaw(raw: Hex, awaitReceipt: boolean): Promise<RawSent>;
  /** The network id of each URL; undefined where it cannot be read. */
  readIdentities(): Promise<(string | undefined)[]>;
}

/** The result of a broadcast; `unknown`: the reply timed out. */
export interface RawSent {
  outcome: 'sent' | 'unknown';
  /** The receipt as the node returned it, and the number of the node's `latest` block from the same request. */
  included?: { receipt: unknown; head: unknown };
}

/** Method, parameters and the expected shape of the result. */
export type RpcRequest<T> = readonly [method: string, params: readonly unknown[], shape: z.ZodType<T>];

export type RpcRequests = readonly RpcRequest<unknown>[];

export const toQuantity = (value: bigint | number): Hex => `0x${value.toString(16)}`;
