import type { PaidItem, RequestError } from '../../router/index.ts';
import type { AcceptedPayment } from './acceptedPayment.ts';

/** A JSON response with a serialised body. */
export interface JsonResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** One request for a paid product over REST, tRPC or MCP. */
export interface PaidCall {
  item: PaidItem;
  /** For example `POST /v1/quote`. A payment is bound to this and to the input. */
  endpoint: string;
  /** The path that was called, possibly an alias; the 402 contains it as the resource. */
  path: string;
  requestId: string;
  /** The client's IP address, behind the configured number of trusted proxies. */
  client?: string | undefined;
  /** @see PaymentAttempt.countForWallet */
  countForWallet?: ((wallet: string) => void) | undefined;
  /** Validated; undefined for an unpaid request with an empty body, which crawlers send. */
  input: Record<string, unknown> | undefined;
  /** The query of `input`, from `toQuery` of the item. */
  query: unknown;
  /** Builds the surface's response for an error. `summary`: further fields of a 402. */
  toError(error: RequestError, summary?: Record<string, unknown>): JsonResponse;
  /** Set by the gate when the payment, or free call, was accepted. */
  acceptedPayment?: AcceptedPayment;
  /** Set by the handler when the procedure threw. */
  failure?: unknown;
}

/** A property, because a WeakMap keeps each call and its request alive until a major garbage collection (docs/adr/003). */
const callOfBody = Symbol('paid call');

/**
 * x402's middleware and the handlers share only the request body, so the call is a property of that object. The property
 * is not enumerable, so copies and JSON of the body do not contain it.
 */
export function attachCall(body: object, call: PaidCall): void {
  Object.defineProperty(body, callOfBody, { value: call });
}

/** @throws {TypeError} no call was attached to this body */
export function callOf(body: unknown): PaidCall {
  const call = (body as { [callOfBody]?: PaidCall } | null | undefined)?.[callOfBody];
  if (!call) throw new TypeError('A request reached the payment gate without a parsed body.');
  return call;
}
