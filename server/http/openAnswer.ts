import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';
import { localsOf } from './locals.ts';
import { openingHeaders } from './openingHeaders.ts';
import { noteRequestName } from './requestName.ts';

/** Gives every request its name; a client's own is not believed, logs are keyed by ours. */
export const openAnswer: RequestHandler = (_req, res, next) => {
  const requestId = randomUUID();
  localsOf(res).requestId = requestId;
  noteRequestName(res, requestId);
  res.setHeader('X-Request-Id', requestId);
  for (const [name, value] of openingHeaders) res.setHeader(name, value);
  next();
};
