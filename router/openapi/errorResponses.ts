import { type ErrorCode, errorTable } from '../errors/errorTable.ts';
import { type HeaderName, headerRefs } from './responseHeaders.ts';

const headersByStatus: Partial<Record<number, HeaderName[]>> = {
  402: ['PAYMENT-REQUIRED', 'PAYMENT-RESPONSE'],
  405: ['Allow'],
  429: ['Retry-After'],
  500: ['Retry-After', 'PAYMENT-RESPONSE'],
  503: ['Retry-After', 'PAYMENT-RESPONSE'],
};

/** Statuses that are sent before the rate limit, so without its headers. */
const beforeRateLimit = new Set([404, 405]);

/** One response object for each status, with the description of each of its codes. */
export function errorResponses(codes: readonly ErrorCode[]): Record<string, unknown> {
  const statuses = [...new Set(codes.map((code) => errorTable[code].status))].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => {
      const ofStatus = codes.filter((code) => errorTable[code].status === status);
      return [
        String(status),
        {
          description: ofStatus.map((code) => `\`${code}\`: ${errorTable[code].when}`).join('\n\n'),
          headers: headerRefs(
            ...(headersByStatus[status] ?? []),
            ...(beforeRateLimit.has(status) ? [] : (['RateLimit', 'RateLimit-Policy'] as const)),
            'Link',
            'X-Request-Id',
          ),
          content: {
            'application/json': {
              schema: { $ref: `#/components/schemas/${status === 402 ? 'PaymentRequired' : 'Error'}` },
              examples: Object.fromEntries(ofStatus.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
            },
          },
        },
      ];
    }),
  );
}
