import type { PaidItem } from '../catalogue.ts';
import { errorCodes } from '../errors/errorTable.ts';
import { errorResponses } from './errorResponses.ts';
import { encodedSchema, headerRefs } from './responseHeaders.ts';
import { signedPayment } from './x402Headers.ts';

/** Characters; node itself stops at 16 KiB of headers. The cashier refuses more. */
const longestSignature = 12_288;

/** One POST that is paid for. `base` is what trpc-to-openapi made of the procedure's meta. */
export function paidOperation(
  item: PaidItem,
  { base, names }: { base: Record<string, unknown>; names: { request: string; answer: string } },
): Record<string, unknown> {
  const { operationId, tags, summary } = base;
  return {
    operationId,
    tags,
    summary,
    description: `${item.description}\n\nPrice: ${item.priceUsd} USD in USDC per call. A request that is refused is not charged.`,
    security: [],
    'x-payment-info': {
      price: { mode: 'fixed', currency: 'USD', amount: item.priceUsd },
      protocols: [{ x402: {} }],
    },
    parameters: [
      {
        name: 'PAYMENT-SIGNATURE',
        in: 'header',
        required: false,
        description: 'The signed x402 v2 payment, base64. Without it the answer is 402 and says how to pay.',
        schema: { ...encodedSchema(signedPayment), maxLength: longestSignature },
      },
    ],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: { $ref: `#/components/schemas/${names.request}` },
          example: item.exampleRequest,
        },
      },
    },
    responses: {
      '200': {
        description: 'The answer, paid for.',
        headers: headerRefs(
          'PAYMENT-RESPONSE',
          'Idempotent-Replayed',
          'RateLimit',
          'RateLimit-Policy',
          'Link',
          'X-Request-Id',
        ),
        content: {
          'application/json': { schema: { $ref: `#/components/schemas/${names.answer}` }, example: item.exampleAnswer },
        },
      },
      ...errorResponses(errorCodes),
    },
  };
}
