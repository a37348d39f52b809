import type { RequestHandler } from 'express';

/** `access-control-expose-headers` is a response header, but the published x402 client sends it with a payment. */
const acceptedHeaders = [
  'content-type',
  'payment-signature',
  'x-payment',
  'access-control-expose-headers',
  'trpc-accept',
  'x-trpc-source',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
  'a2a-version',
  'a2a-extensions',
  'x-a2a-extensions',
].join(', ');

/** Any page may call, pay and read every header: the service uses no cookies or sessions, so `*` covers all requests. */
export const cors: RequestHandler = (req, res, next) => {
  res.setHeader('Access-Control-Allow-Origin', '*');
  res.setHeader('Access-Control-Expose-Headers', '*');
  if (req.method === 'OPTIONS') {
    res.setHeader('Access-Control-Allow-Headers', acceptedHeaders);
    res.setHeader('Access-Control-Max-Age', '86400');
  }
  next();
};
