import type { RequestHandler } from 'express';

/** A year, as preload lists ask. Subdomains are the operator's, and none of ours to bind. */
const hsts = ['Strict-Transport-Security', 'max-age=31536000'] as const;

/**
 * Where the public address is https, browsers are told never to come by plain HTTP (RFC 6797). TLS itself ends in front
 * of us.
 */
export const tlsHeaders = (publicUrl: string) => (publicUrl.startsWith('https:') ? [hsts] : []);

export function keepTls(publicUrl: string): RequestHandler {
  const headers = tlsHeaders(publicUrl);
  return (_req, res, next) => {
    for (const [name, value] of headers) res.setHeader(name, value);
    next();
  };
}
