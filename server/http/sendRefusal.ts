import type { Response } from 'express';
import type { RequestError } from '../../router/index.ts';
import { localsOf } from './locals.ts';
import { sendWire, toRefusal } from './wireAnswer.ts';

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
  sendWire(res, toRefusal(error, { place, target: res.req.originalUrl, requestId, docsUrl, summary }));
}
