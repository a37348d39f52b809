/** One JSON-RPC call, without the envelope's version and id: the endpoint adds those. */
export interface RpcCall {
  method: string;
  params: readonly unknown[];
}

/**
 * What one node answered to one call. A node that refuses a call has answered; a node that could
 * not be reached has not, and the port throws `RpcTransportError` for the whole request.
 */
export type RpcReply = { result: unknown } | { error: { code: number; message: string; data?: unknown } };

/**
 * One RPC URL, seen from the engine: a list of calls goes out as ONE HTTP request and the replies
 * come back in the same order. The server implements it with fetch; the engine knows no URL and no
 * key, only a label for logs and `/health`.
 *
 * @throws {RpcTransportError} connection, HTTP status, body that is not JSON-RPC, time-out, size.
 */
export interface RpcEndpoint {
  readonly label: string;
  send(calls: readonly RpcCall[], options: { signal: AbortSignal }): Promise<RpcReply[]>;
}
