import type { RequestHandler } from 'express';
import { ipKeyGenerator, rateLimit } from 'express-rate-limit';
import { RequestError } from '../../router/index.ts';
import { type RateWindow, windowMs } from '../limits/rateWindow.ts';
import { localsOf } from './locals.ts';

/**
 * So many requests a minute for each client address on the paths that sell; the free ones are for probes.
 * Whose address it is depends on the configured number of trusted proxies.
 */
export function limitByAddress(requestsPerMinute: number, window: RateWindow): RequestHandler {
  return rateLimit({
    windowMs,
    limit: requestsPerMinute,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    skip: (_req, res) => localsOf(res).place?.kind === 'free',
    keyGenerator: (req) => ipKeyGenerator(req.ip ?? 'gone'),
    validate: { xForwardedForHeader: false },
    store: {
      increment: (address) => {
        const { hits, endsAt } = window.hit(`address:${address}`);
        return { totalHits: hits, resetTime: new Date(endsAt) };
      },
      // Nothing is taken back: a refused request counts as well.
      decrement: () => undefined,
      resetKey: () => undefined,
    },
    handler: (_req, res, next) => {
      const retryAfterSeconds = Number(res.getHeader('Retry-After') ?? windowMs / 1000);
      const detail = `More than ${requestsPerMinute} requests a minute came from your address. Try again in ${retryAfterSeconds} s.`;
      next(new RequestError('RATE_LIMITED', detail, { retryAfterSeconds }));
    },
  });
}
