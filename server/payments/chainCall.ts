import type { Hex } from 'viem';
import type { z } from 'zod';

export { multicall3 } from '../../engine/index.ts';

/** The chain could not be read. The message contains no URL. */
export class ChainUnreachableError extends Error {
  override readonly name = 'ChainUnreachableError';
}

/** A node returned an error. */
export class JsonRpcError extends Error {
  override readonly name = 'JsonRpcError';
  /** The contract reverted: code 3 (geth) or -32015 (OpenEthereum); other nodes state it only in the message. */
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

/** Whether an error comes from the nodes, not from our code. */
export const isChainError = (error: unknown): error is ChainUnreachableError | JsonRpcError =>
  error instanceof ChainUnreachableError || error instanceof JsonRpcError;

/**
 * One JSON-RPC call. A result that does not match `shape` counts as a failure, and the next node is used.
 *
 * @throws {ChainUnreachableError} @throws {JsonRpcError}
 */
export type ChainCall = <T>(method: string, params: readonly unknown[], shape: z.ZodType<T>) => Promise<T>;

/** The method that returns a node's network id, and the test of its result. */
export interface NetworkIdentity {
  method: 'eth_chainId' | 'getGenesisHash';
  shape: z.ZodType<string>;
  matches(networkId: string): boolean;
}

export interface Chain {
  call: ChainCall;
  /**
   * The same, with the node's network id read in the same request (or beside it, if the node takes no batches). For reads
   * that decide whether money moves: a node may have been switched to another network since it was first checked.
   */
  callVerified: ChainCall;
  /** Several proven calls, in one batch where the node supports it. If one fails, all go to the next node. */
  callAllVerified: <const Results extends readonly unknown[]>(
    ...requests: { [Index in keyof Results]: RpcRequest<Results[Index]> }
  ) => Promise<Results>;
  /**
   * Broadcasts a signed transaction. With `awaitReceipt`, a node that has `eth_sendRawTransactionSync` (EIP-7966) replies
   * once the transaction is included, for at most three seconds; the receipt may be preconfirmed.
   *
   * @throws {ChainUnreachableError} @throws {JsonRpcError}
   */
  sendRaw(raw: Hex, awaitReceipt: boolean): Promise<RawSent>;
  /** The network id of each URL; undefined if it cannot be read now. */
  readIdentities(): Promise<(string | undefined)[]>;
}

/** The result of a broadcast; `unknown`: no reply in time. */
export interface RawSent {
  outcome: 'sent' | 'unknown';
  /** As the node returned it, with the number of its `latest` block from the same request. */
  included?: { receipt: unknown; head: unknown };
}

/** Method, parameters and the expected shape of the result. */
export type RpcRequest<T> = readonly [method: string, params: readonly unknown[], shape: z.ZodType<T>];

export type RpcRequests = readonly RpcRequest<unknown>[];

export const toQuantity = (value: bigint | number): Hex => `0x${value.toString(16)}`;
