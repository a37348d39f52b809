import type { Response } from 'express';
import { errorTable, type RequestError, toErrorBody, toTrpcErrorBody } from '../../router/index.ts';
import type { JsonResponse } from '../payments/index.ts';
import { localsOf } from './locals.ts';
import type { Route } from './routes.ts';

export const jsonType = 'application/json; charset=utf-8';

/** An uncacheable JSON response. */
export function toJsonResponse(status: number, content: unknown, headers: Record<string, string> = {}): JsonResponse {
  return {
    status,
    headers: { ...headers, 'Cache-Control': 'no-store', 'Content-Type': jsonType },
    body: JSON.stringify(content),
  };
}

/** Statuses whose body includes an example request. */
const withExample = new Set([400, 402, 405, 415]);

interface ErrorFacts {
  route: Route | undefined;
  /** The raw request target. */
  target: string;
  requestId: string;
  baseUrl: string;
  /** The request carries a PAYMENT-SIGNATURE. */
  hasPayment: boolean;
  /** Additional fields of a 402 body. */
  summary?: Record<string, unknown>;
}

/** An error in the shape of its surface, REST or tRPC. */
export function toErrorResponse(error: RequestError, facts: ErrorFacts): JsonResponse {
  const { route, target, requestId, baseUrl, hasPayment, summary = {} } = facts;
  const call = route?.kind === 'paid' || route?.kind === 'free call' ? route : undefined;
  const { status } = errorTable[error.code];
  const example = withExample.has(status) && call ? { exampleRequest: call.item.exampleRequest } : {};
  const reason = { ...summary, ...example, ...toErrorBody(error, { requestId, baseUrl, hasPayment }) };
  const isTrpc = call?.surface === 'trpc' || target.startsWith('/trpc/');
  return toJsonResponse(
    status,
    isTrpc ? toTrpcErrorBody(reason, call?.item.name ?? null) : reason,
    error.retryAfterSeconds === undefined ? {} : { 'Retry-After': String(error.retryAfterSeconds) },
  );
}

/** Sends a JSON response. `res.send` would answer a conditional request with 304. */
export function sendJson(res: Response, { status, headers, body }: JsonResponse): void {
  res
    .status(status)
    .set(headers)
    .set('Content-Length', String(Buffer.byteLength(body)))
    .end(body);
}

/** Sends an error in the shape of its surface. */
export function sendError(res: Response, error: RequestError, baseUrl: string): void {
  const { route, requestId } = localsOf(res);
  const { req } = res;
  const hasPayment = req.get('payment-signature') !== undefined;
  sendJson(res, toErrorResponse(error, { route, target: req.originalUrl, requestId, baseUrl, hasPayment }));
}
