import { type ErrorCode, errorTable } from '../errors/errorTable.ts';
import { type HeaderName, headerRefs } from './responseHeaders.ts';

const headersByStatus: Partial<Record<number, HeaderName[]>> = {
  402: ['PAYMENT-REQUIRED', 'PAYMENT-RESPONSE'],
  405: ['Allow'],
  429: ['Retry-After'],
  500: ['Retry-After', 'PAYMENT-RESPONSE'],
  503: ['Retry-After', 'PAYMENT-RESPONSE'],
};

/** These come before anything is counted. */
const uncounted = new Set([404, 405]);

/** One response object a status, with the words of every code that has it. */
export function errorResponses(codes: readonly ErrorCode[]): Record<string, unknown> {
  const statuses = [...new Set(codes.map((code) => errorTable[code].status))].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => [
      String(status),
      {
        description: codes
          .filter((code) => errorTable[code].status === status)
          .map((code) => `\`${code}\`: ${errorTable[code].when}`)
          .join('\n\n'),
        headers: headerRefs(
          ...(headersByStatus[status] ?? []),
          ...(uncounted.has(status) ? [] : (['RateLimit', 'RateLimit-Policy'] as const)),
          'Link',
          'X-Request-Id',
        ),
        content: {
          'application/json': {
            schema: { $ref: `#/components/schemas/${status === 402 ? 'PaymentRequired' : 'Error'}` },
          },
        },
      },
    ]),
  );
}
