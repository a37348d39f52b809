import type { RequestHandler } from 'express';
import type { AddressLimit } from '../limits/addressLimit.ts';
import { localsOf } from './locals.ts';

/**
 * The limit for each client address on the paths that sell; the free ones are for probes. Whose address it is depends
 * on the configured number of trusted proxies.
 * @throws {RequestError} RATE_LIMITED
 */
export function limitByAddress(limit: AddressLimit): RequestHandler {
  return (req, res, next) => {
    if (localsOf(res).place?.kind === 'free') return next();
    const { headers, refusal } = limit(req.ip);
    for (const [name, value] of headers) res.setHeader(name, value);
    if (refusal) throw refusal;
    next();
  };
}
