import type { RequestHandler } from 'express';
import type { AddressLimit } from './limits/addressLimit.ts';

/**
 * Limits requests for each client address. The address depends on the configured number of trusted proxies.
 * @throws {RequestError} RATE_LIMITED
 */
export function rateLimit(limit: AddressLimit): RequestHandler {
  return (req, res, next) => {
    const { headers, refusal } = limit(req.ip);
    for (const [name, value] of headers) res.setHeader(name, value);
    if (refusal) throw refusal;
    next();
  };
}
