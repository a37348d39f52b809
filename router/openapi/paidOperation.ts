import { type PaidItem, toolName } from '../catalogue.ts';
import { errorCodes } from '../errors/errorTable.ts';
import { defaultLimits } from '../service.ts';
import { errorResponses } from './errorResponses.ts';
import { encodedSchema, headerRefs } from './responseHeaders.ts';
import { signedPayment } from './x402Headers.ts';

/**
 * The OpenAPI operation of a paid POST. The discovery documents and MCP tools are generated from its `x-` members.
 * @param base the operation that trpc-to-openapi generates from the procedure's meta
 * @param names the component names of the request and answer schemas
 */
export function paidOperation(
  item: PaidItem,
  { path, base, names }: { path: string; base: Record<string, unknown>; names: { request: string; answer: string } },
): Record<string, unknown> {
  const { operationId, tags, summary } = base;
  return {
    operationId,
    tags,
    summary,
    description: `${item.description}\n\nPrice: ${item.priceUsd} USD in USDC per call. A refused request is not charged.`,
    security: [],
    'x-payment-info': {
      price: { mode: 'fixed', currency: 'USD', amount: item.priceUsd },
      protocols: [{ x402: {} }],
    },
    'x-canonical-path': item.path,
    // The free call depends on the deployment's configuration.
    'x-free-trial': { group: item.trialGroup, enabled: false },
    'x-limits': defaultLimits,
    ...(path === item.path && { 'x-mcp-tool': toolName(item) }),
    parameters: [
      {
        name: 'PAYMENT-SIGNATURE',
        in: 'header',
        required: false,
        description: 'The signed x402 v2 payment, base64. Without it the response is 402 with the payment options.',
        schema: { ...encodedSchema(signedPayment), maxLength: defaultLimits.maxPaymentHeaderCharacters },
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
        description: 'The paid answer.',
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
