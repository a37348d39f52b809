import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';
import { localsOf } from './locals.ts';

/** Gives every request its name; a client's own is not believed, logs are keyed by ours. */
export const nameRequest: RequestHandler = (_req, res, next) => {
  const requestId = randomUUID();
  localsOf(res).requestId = requestId;
  res.setHeader('X-Request-Id', requestId);
  res.setHeader('X-Content-Type-Options', 'nosniff');
  next();
};
