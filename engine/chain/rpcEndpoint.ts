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
  /** Undefined: requests are sent without limits. */
  readonly pace?: Pace;
  send(calls: readonly RpcCall[], options: { signal: AbortSignal }): Promise<RpcReply[]>;
}

/** The units or calls that an endpoint accepts a second. */
export interface RpcBudget {
  perSecond: number;
  of: 'units' | 'calls';
}

/** Paces the requests to one endpoint. All users of the endpoint share it. */
export interface Pace {
  weigh(calls: readonly RpcCall[]): number;
  /** How many of the first calls fit into one request. */
  fitting(calls: readonly RpcCall[]): number;
  /** Waits until the units may be used, in the order of the calls of this function. */
  turn(units: number, signal: AbortSignal): Promise<void>;
  /** Uses units at once: for settlements. */
  spend(units: number): void;
  /** The endpoint answered these units. */
  accepted(units: number): void;
  /** The endpoint refused calls because there were too many. */
  limited(retryAfterMs: number | undefined): void;
  /** Milliseconds until `units` more could be sent, after all that wait. */
  waitMs(units?: number): number;
  /** Milliseconds until the endpoint accepts requests again. */
  heldMs(): number;
  /** What is known about the budget; undefined: no limit is known. */
  budget(): (RpcBudget & { isLearnt: boolean }) | undefined;
}
