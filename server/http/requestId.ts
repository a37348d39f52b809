import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';
import { localsOf } from './locals.ts';
import { noteRequestName } from './requestName.ts';

/** Gives every request an id. A client's X-Request-Id is ignored, because ids in the logs must be unique. */
export const requestId: RequestHandler = (_req, res, next) => {
  const id = randomUUID();
  localsOf(res).requestId = id;
  noteRequestName(res, id);
  res.setHeader('X-Request-Id', id);
  next();
};
