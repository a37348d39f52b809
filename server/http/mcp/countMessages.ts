import type { Request, Response } from 'express';
import { RequestError } from '../../../router/index.ts';
import type { AddressLimit } from '../limits/addressLimit.ts';

/**
 * Counts each message of a batch against the rate limit. The `rateLimit` middleware has counted the first one.
 * @throws {RequestError} RATE_LIMITED; INVALID_REQUEST for a duplicate id, because one of the responses would be lost
 */
export function countMessages(body: unknown, limitAddress: AddressLimit, req: Request, res: Response): void {
  if (!Array.isArray(body)) return;
  for (let counted = 1; counted < body.length; counted += 1) {
    const { headers, refusal } = limitAddress(req.ip);
    for (const [name, value] of headers) res.setHeader(name, value);
    if (refusal) throw refusal;
  }
  const ids = body.map(idOf).filter((id) => id !== undefined);
  if (new Set(ids).size < ids.length)
    throw new RequestError(
      'INVALID_REQUEST',
      'Two messages of the batch have the same id. Nothing was charged. Use unique ids or separate requests.',
    );
}

function idOf(message: unknown): unknown {
  return typeof message === 'object' && message !== null && 'id' in message ? message.id : undefined;
}
