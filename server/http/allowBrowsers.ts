import type { RequestHandler } from 'express';

/** The published paying client sends `access-control-expose-headers` on its paid request. */
const accepted = [
  'content-type',
  'payment-signature',
  'access-control-expose-headers',
  'trpc-accept',
  'x-trpc-source',
  'mcp-protocol-version',
];

/** Answers what a browser asks before it sends headers of ours. */
export const allowBrowsers: RequestHandler = (req, res, next) => {
  if (req.method === 'OPTIONS') {
    res.setHeader('Access-Control-Allow-Headers', accepted.join(', '));
    res.setHeader('Access-Control-Max-Age', '86400');
  }
  next();
};
