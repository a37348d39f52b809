import type { Response } from 'express';
import { errorTable, type RequestError, toErrorBody, toTrpcErrorBody } from '../../router/index.ts';
import { localsOf } from './locals.ts';

/** Statuses whose body shows how the request should have looked. */
const withExample = new Set([400, 402, 405, 415]);

/**
 * Sends an error in the shape of its surface.
 * @param summary further fields beside the error's own, for a 402
 */
export function sendRefusal(
  res: Response,
  error: RequestError,
  { docsUrl, summary = {} }: { docsUrl: string; summary?: Record<string, unknown> },
): void {
  const { place, requestId } = localsOf(res);
  const paid = place?.kind === 'paid' ? place : undefined;
  const { status } = errorTable[error.code];
  const example = withExample.has(status) && paid ? { exampleRequest: paid.item.exampleRequest } : {};
  const reason = { ...summary, ...example, ...toErrorBody(error, { requestId, docsUrl }) };

  if (error.retryAfterSeconds !== undefined) res.setHeader('Retry-After', String(error.retryAfterSeconds));
  res.setHeader('Cache-Control', 'no-store');
  const isTrpc = paid?.surface === 'trpc' || res.req.originalUrl.startsWith('/trpc/');
  res.status(status).json(isTrpc ? toTrpcErrorBody(reason, paid?.item.name ?? null) : reason);
}
