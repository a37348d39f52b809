import type { RequestHandler } from 'express';

/** RFC 8631's relations for the contract and the documentation; `describedby` for what language models read. */
const link = [
  '</openapi.json>; rel="service-desc"; type="application/json"',
  '</docs/>; rel="service-doc"; type="text/html"',
  '</llms.txt>; rel="describedby"; type="text/plain"',
  '</.well-known/agent-card.json>; rel="service-meta"; type="application/json"',
].join(', ');

/** Every answer, a 402 and a 404 too, says where the terms are. */
export const pointToDocuments: RequestHandler = (_req, res, next) => {
  res.setHeader('Link', link);
  next();
};
