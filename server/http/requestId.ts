import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import { localsOf } from './locals.ts';

/** Stored separately, because headers set by `writeHead` cannot be read back. */
const ids = new WeakMap<ServerResponse, string>();

/** The id of a request; undefined if it ended before the `requestId` middleware. */
export const requestIdOf = (res: ServerResponse): string | undefined => ids.get(res);

/** Gives every request an id. A client's X-Request-Id is ignored, because ids in the logs must be unique. */
export const requestId: RequestHandler = (_req, res, next) => {
  const id = randomUUID();
  localsOf(res).requestId = id;
  ids.set(res, id);
  res.setHeader('X-Request-Id', id);
  next();
};
