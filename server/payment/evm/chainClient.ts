import { BaseError, createClient, fallback, type Hex, http, RpcRequestError } from 'viem';

/** The chain could not be asked, or its answer is no verdict. The message names no URL: viem's own does. */
export class ChainUnreachableError extends Error {
  override readonly name = 'ChainUnreachableError';
}

/** A node answered, and the answer is an error. */
export class NodeRefusalError extends Error {
  override readonly name = 'NodeRefusalError';
  constructor(
    readonly code: number,
    readonly answer: string,
    readonly data: unknown,
  ) {
    super(`The node answered error ${code}.`);
  }
}

/** One JSON-RPC call. @throws {ChainUnreachableError} @throws {NodeRefusalError} */
export type ChainCall = <T>(method: string, params: readonly unknown[]) => Promise<T>;

/**
 * Calls one chain over several RPC URLs, the next one when one fails.
 *
 * The errors that come out carry neither URL nor key nor viem's text, so they can be logged and told.
 */
export function createChainCall(rpcUrls: readonly string[], timeoutMs: number): ChainCall {
  const transports = rpcUrls.map((url) => http(url, { retryCount: 0, timeout: timeoutMs }));
  const client = createClient({ transport: fallback(transports, { retryCount: 0 }) });

  return async <T>(method: string, params: readonly unknown[]): Promise<T> => {
    try {
      // viem types each method's own parameters; here the caller states the reply.
      return (await client.request({ method, params } as never)) as T;
    } catch (error) {
      if (!(error instanceof BaseError)) throw error;
      const answered = error.walk((cause) => cause instanceof RpcRequestError);
      if (!(answered instanceof RpcRequestError))
        throw new ChainUnreachableError(`${method} got no answer: ${error.name}.`);
      throw new NodeRefusalError(answered.code, answered.details, answered.data);
    }
  };
}

export const toQuantity = (value: bigint | number): Hex => `0x${value.toString(16)}`;
