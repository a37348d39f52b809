/** One JSON-RPC call, without the envelope's version and id: the endpoint adds those. */
export interface RpcCall {
  method: string;
  params: readonly unknown[];
}

/**
 * A node's reply to one call. A JSON-RPC error is a reply. If the node cannot be reached, `send` throws
 * `RpcTransportError` for the whole request.
 */
export type RpcReply = { result: unknown } | { error: { code: number; message: string; data?: unknown } };

/**
 * The engine's port to one RPC URL: a list of calls is one HTTP request, and replies are in the order of the calls. The
 * engine receives no URL and no key, only a label for logs and `/health`.
 *
 * @throws {RpcTransportError} connection, HTTP status, body that is not JSON-RPC, timeout, size
 */
export interface RpcEndpoint {
  readonly label: string;
  send(calls: readonly RpcCall[], options: { signal: AbortSignal }): Promise<RpcReply[]>;
}
