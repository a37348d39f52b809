import type { RequestHandler } from 'express';
import { ipKeyGenerator, rateLimit } from 'express-rate-limit';
import { RequestError } from '../../router/index.ts';
import { localsOf } from './locals.ts';

const windowMs = 60_000;

/**
 * So many requests a minute for each client address on the paths that sell; the free ones are for probes.
 * Whose address it is depends on the configured number of trusted proxies.
 */
export function limitByAddress(requestsPerMinute: number): RequestHandler {
  return rateLimit({
    windowMs,
    limit: requestsPerMinute,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    skip: (_req, res) => localsOf(res).place?.kind === 'free',
    keyGenerator: (req) => ipKeyGenerator(req.ip ?? 'gone'),
    validate: { xForwardedForHeader: false },
    handler: (_req, res, next) => {
      const retryAfterSeconds = Number(res.getHeader('Retry-After') ?? windowMs / 1000);
      const detail = `More than ${requestsPerMinute} requests a minute came from your address. Try again in ${retryAfterSeconds} s.`;
      next(new RequestError('RATE_LIMITED', detail, { retryAfterSeconds }));
    },
  });
}
