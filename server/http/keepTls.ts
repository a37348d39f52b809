import type { RequestHandler } from 'express';

/** A year, as preload lists ask. Subdomains are the operator's, and none of ours to bind. */
const hsts = 'max-age=31536000';

/**
 * Where the public address is https, browsers are told never to come by plain HTTP (RFC 6797). TLS itself ends in front
 * of us.
 */
export function keepTls(publicUrl: string): RequestHandler {
  if (!publicUrl.startsWith('https:')) return (_req, _res, next) => next();
  return (_req, res, next) => {
    res.setHeader('Strict-Transport-Security', hsts);
    next();
  };
}
