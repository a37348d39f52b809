import type { RequestHandler } from 'express';

/** A year, as preload lists require. Subdomains belong to the operator and are left out. */
const hsts = 'max-age=31536000';

/** RFC 8631 relations for the OpenAPI document and the documentation; `describedby` points to llms.txt. */
const link = [
  '</openapi.json>; rel="service-desc"; type="application/json"',
  '</docs/>; rel="service-doc"; type="text/html"',
  '</llms.txt>; rel="describedby"; type="text/plain"',
  '</.well-known/agent-card.json>; rel="service-meta"; type="application/json"',
].join(', ');

/**
 * Headers of every response, errors included.
 * @param publicUrl HSTS (RFC 6797) is sent only when this address is https; TLS ends in front of this process
 */
export function securityHeaders(publicUrl: string): RequestHandler {
  const isHttps = publicUrl.startsWith('https:');
  return (_req, res, next) => {
    res.setHeader('X-Content-Type-Options', 'nosniff');
    res.setHeader('Link', link);
    if (isHttps) res.setHeader('Strict-Transport-Security', hsts);
    next();
  };
}
