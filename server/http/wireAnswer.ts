import type { ServerResponse } from 'node:http';
import { errorTable, type RequestError, toErrorBody, toTrpcErrorBody } from '../../router/index.ts';
import type { StoredAnswer } from '../payment/index.ts';
import type { Place } from './places.ts';

/** An answer as it leaves, whoever sends it. */
export interface WireAnswer {
  status: number;
  headers: readonly (readonly [name: string, value: string])[];
  body: string;
}

/** JSON that belongs to this moment and this client. */
export function toJsonAnswer(status: number, content: unknown, headers: WireAnswer['headers'] = []): WireAnswer {
  const body = JSON.stringify(content);
  return {
    status,
    headers: [
      ...headers,
      ['Cache-Control', 'no-store'],
      ['Content-Type', 'application/json; charset=utf-8'],
      ['Content-Length', String(Buffer.byteLength(body))],
    ],
    body,
  };
}

/** Statuses whose body shows how the request should have looked. */
const withExample = new Set([400, 402, 405, 415]);

interface RefusalFacts {
  place: Place | undefined;
  /** The raw request target. */
  target: string;
  requestId: string;
  docsUrl: string;
  /** Further fields beside the error's own, for a 402. */
  summary?: Record<string, unknown>;
}

/** An error in the shape of its surface. */
export function toRefusal(error: RequestError, facts: RefusalFacts): WireAnswer {
  const { place, target, requestId, docsUrl, summary = {} } = facts;
  const paid = place?.kind === 'paid' ? place : undefined;
  const { status } = errorTable[error.code];
  const example = withExample.has(status) && paid ? { exampleRequest: paid.item.exampleRequest } : {};
  const reason = { ...summary, ...example, ...toErrorBody(error, { requestId, docsUrl }) };
  const isTrpc = paid?.surface === 'trpc' || target.startsWith('/trpc/');
  return toJsonAnswer(
    status,
    isTrpc ? toTrpcErrorBody(reason, paid?.item.name ?? null) : reason,
    error.retryAfterSeconds === undefined ? [] : [['Retry-After', String(error.retryAfterSeconds)]],
  );
}

/** The stored bytes as they are. Paid for by one client, so no cache may keep them. */
export function toPaidAnswer({ status, contentType, body }: StoredAnswer): WireAnswer {
  return {
    status,
    headers: [
      ['Content-Type', contentType],
      ['Cache-Control', 'private, no-store'],
      ['Content-Length', String(Buffer.byteLength(body))],
    ],
    body,
  };
}

/** Sends it after what the response has been told already. */
export function sendWire(res: ServerResponse, { status, headers, body }: WireAnswer): void {
  for (const [name, value] of headers) res.setHeader(name, value);
  res.statusCode = status;
  res.end(body);
}
