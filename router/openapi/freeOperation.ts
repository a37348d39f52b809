import { type FreeItem, toolName } from '../catalogue.ts';
import type { ErrorCode } from '../errors/errorTable.ts';
import { defaultLimits } from '../service.ts';
import { errorResponses } from './errorResponses.ts';
import { headerRefs } from './responseHeaders.ts';

const codes: readonly ErrorCode[] = [
  'INVALID_REQUEST',
  'METHOD_NOT_ALLOWED',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'UNSUPPORTED_CHAIN',
  'RATE_LIMITED',
  'INTERNAL',
  'UPSTREAM_UNAVAILABLE',
];

/**
 * The OpenAPI operation of a free POST.
 * @param base the operation that trpc-to-openapi generates from the procedure's meta
 * @param names the component names of the request and answer schemas
 */
export function freeOperation(
  item: FreeItem,
  { base, names }: { base: Record<string, unknown>; names: { request: string; answer: string } },
): Record<string, unknown> {
  const { operationId, tags, summary } = base;
  const schema = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  return {
    operationId,
    tags,
    summary,
    description: item.description,
    security: [],
    'x-limits': { requestsPerMinutePerAddress: defaultLimits.requestsPerMinutePerAddress },
    'x-mcp-tool': toolName(item),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: schema(names.request), example: item.exampleRequest } },
    },
    responses: {
      '200': {
        description: 'The answer.',
        headers: headerRefs('RateLimit', 'RateLimit-Policy', 'Link', 'X-Request-Id'),
        content: { 'application/json': { schema: schema(names.answer), example: item.exampleAnswer } },
      },
      ...errorResponses(codes),
    },
  };
}
