import type { RequestHandler } from 'express';

/** One year, the minimum of preload lists. Without includeSubDomains: the operator's other hosts may not use TLS. */
const hsts = 'max-age=31536000';

/**
 * Headers of every response, errors included.
 * @param link the `Link` header; pages replace it
 * @param publicUrl HSTS (RFC 6797) is sent only when this address is https; TLS ends in front of this process
 */
export function securityHeaders(link: string, publicUrl: string): RequestHandler {
  const isHttps = publicUrl.startsWith('https:');
  return (_req, res, next) => {
    res.setHeader('X-Content-Type-Options', 'nosniff');
    res.setHeader('Link', link);
    if (isHttps) res.setHeader('Strict-Transport-Security', hsts);
    next();
  };
}
