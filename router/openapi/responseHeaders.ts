const text = (description: string) => ({ description, schema: { type: 'string' } });

/** Every header that an answer may carry, by name; operations refer to them. */
export const responseHeaders = {
  'PAYMENT-REQUIRED': text(
    'base64 of a JSON object with x402Version, resource and accepts[]: amount, USDC asset, payTo and network of each way to pay.',
  ),
  'PAYMENT-RESPONSE': text(
    'base64 of a JSON object: success, transaction, network, payer. On every answer that a payment was used for.',
  ),
  'Idempotent-Replayed': text(
    '`true` when this is the stored answer to an earlier, identical request. Nothing was charged.',
  ),
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } },
  Allow: text('The methods this path has.'),
  RateLimit: text('What is left of the quota and when it starts anew (IETF RateLimit fields).'),
  'RateLimit-Policy': text('The quota (IETF RateLimit fields).'),
  'X-Request-Id': text('The name of this request in our logs.'),
} as const;

export type HeaderName = keyof typeof responseHeaders;

/** References for a response object. */
export function headerRefs(...names: HeaderName[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
