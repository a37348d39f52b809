type Header = readonly [name: string, value: string];

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

/** CORS: any page may ask and pay; nothing here rests on cookies. */
const browserHeaders: readonly Header[] = [
  ['Access-Control-Allow-Origin', '*'],
  ['Access-Control-Expose-Headers', exposed.join(', ')],
];

/** RFC 8631's relations for the contract and the documentation; `describedby` for what language models read. */
const link = [
  '</openapi.json>; rel="service-desc"; type="application/json"',
  '</docs/>; rel="service-doc"; type="text/html"',
  '</llms.txt>; rel="describedby"; type="text/plain"',
  '</.well-known/agent-card.json>; rel="service-meta"; type="application/json"',
].join(', ');

/** Beside its request's name, every answer says this, a 402 and a 404 too: where the terms are, and who may read it. */
export const openingHeaders: readonly Header[] = [
  ['X-Content-Type-Options', 'nosniff'],
  ...browserHeaders,
  ['Link', link],
];
