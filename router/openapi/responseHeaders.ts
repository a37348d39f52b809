import type { z } from 'zod';
import { paymentOffer, paymentReceipt, signedPayment } from './x402Headers.ts';

const text = (description: string, example: string) => ({
  description,
  schema: { type: 'string', examples: [example] },
});
const count = (description: string, example: number) => ({
  description,
  schema: { type: 'integer', minimum: 0, examples: [example] },
});

/** A header of base64 JSON; JSON Schema's `contentSchema` describes the decoded value. */
export function encodedSchema(decoded: z.ZodType): Record<string, unknown> {
  return {
    type: 'string',
    contentEncoding: 'base64',
    contentMediaType: 'application/json',
    contentSchema: { $ref: `#/components/schemas/${decoded.meta()?.title}` },
  };
}

/** The decoded payment headers, to be published among the schemas. */
export const headerContents = [paymentOffer, signedPayment, paymentReceipt] as const;

/** Every response header by name; operations reference them. */
export const responseHeaders = {
  'PAYMENT-REQUIRED': {
    description:
      'base64 of a JSON object with x402Version, resource and accepts[]. Each payment option has amount, asset (USDC), payTo and network.',
    schema: encodedSchema(paymentOffer),
  },
  'PAYMENT-RESPONSE': {
    description:
      'base64 of a JSON object: success, transaction, network, payer. Present on every response to a request whose payment was used.',
    schema: encodedSchema(paymentReceipt),
  },
  'Idempotent-Replayed': text(
    '`true` when this is the stored answer to an earlier, identical request. Nothing was charged.',
    'true',
  ),
  'Retry-After': count('Seconds to wait.', 5),
  Allow: text('The methods of this path.', 'POST'),
  Link: text(
    'URL of the OpenAPI document (RFC 8288, RFC 8631). Pages also link to the other documents of `x-links`.',
    '</openapi.json>; rel="service-desc"; type="application/json"',
  ),
  RateLimit: text(
    'The remaining quota and the seconds until it resets (IETF RateLimit fields).',
    '"120-in-1min"; r=119; t=60',
  ),
  'RateLimit-Policy': text('The quota (IETF RateLimit fields).', '"120-in-1min"; q=120; w=60'),
  'X-Request-Id': text('Identifies this request in the logs of the service.', '0d9c5a3e-6c1f-4a5e-9f0e-0c6f1b8f0a11'),
} as const;

export type HeaderName = keyof typeof responseHeaders;

/** References to the headers, for the `headers` of a response object. */
export function headerRefs(...names: HeaderName[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
