import { errorResponses } from './errorResponses.ts';
import { headerRefs } from './responseHeaders.ts';

/** A GET that costs nothing. */
export function freePath(about: {
  operationId: string;
  summary: string;
  schema: string;
  mayBeMissing?: true;
}): Record<string, unknown> {
  return {
    get: {
      operationId: about.operationId,
      tags: ['free'],
      summary: about.summary,
      security: [],
      responses: {
        '200': {
          description: 'OK',
          headers: headerRefs('X-Request-Id'),
          content: { 'application/json': { schema: { $ref: `#/components/schemas/${about.schema}` } } },
        },
        ...errorResponses(about.mayBeMissing ? ['NOT_FOUND', 'METHOD_NOT_ALLOWED'] : ['METHOD_NOT_ALLOWED']),
      },
    },
  };
}
