import type { RequestHandler } from 'express';
import { RequestError } from '../../router/index.ts';

/**
 * Rejects an HTTP/1.1 request without exactly one Host header (RFC 9112, 3.2). Node would send an empty 400, and would
 * ignore a second Host header, which a proxy in front may have used.
 * @throws {RequestError} INVALID_REQUEST
 */
export const requireHost: RequestHandler = (req, _res, next) => {
  const hosts = req.rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
  const isValid = req.httpVersion === '1.0' ? hosts <= 1 : hosts === 1;
  if (isValid) return next();
  throw new RequestError(
    'INVALID_REQUEST',
    `The request has ${hosts} Host headers; HTTP/1.1 requires one. This request charged nothing. Send it with one Host header.`,
  );
};
