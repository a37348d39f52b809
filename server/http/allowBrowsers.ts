import type { RequestHandler } from 'express';

const exposed = [
  'PAYMENT-REQUIRED',
  'PAYMENT-RESPONSE',
  'Idempotent-Replayed',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'X-Request-Id',
  'Link',
];

/** The published paying client sends `access-control-expose-headers` on its paid request. */
const accepted = [
  'content-type',
  'payment-signature',
  'access-control-expose-headers',
  'trpc-accept',
  'x-trpc-source',
  'mcp-protocol-version',
];

/** CORS: any page may ask and pay; nothing here rests on cookies. */
export const allowBrowsers: RequestHandler = (req, res, next) => {
  res.setHeader('Access-Control-Allow-Origin', '*');
  res.setHeader('Access-Control-Expose-Headers', exposed.join(', '));
  if (req.method === 'OPTIONS') {
    res.setHeader('Access-Control-Allow-Headers', accepted.join(', '));
    res.setHeader('Access-Control-Max-Age', '86400');
  }
  next();
};
