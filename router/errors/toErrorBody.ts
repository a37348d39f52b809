import { z } from 'zod';
import { type ErrorCode, errorCodes, errorTable } from './errorTable.ts';
import type { RequestError } from './requestError.ts';

/** The body of every error: RFC 9457 problem details with additional members. On tRPC it is `error.data.reason`. */
export const errorBody = z
  .object({
    type: z.string().meta({ description: 'URL of the documentation of the code (RFC 9457).' }),
    title: z.string().meta({ description: 'Short name of the code; the same for each occurrence (RFC 9457).' }),
    code: z.enum(errorCodes).meta({ description: 'Stable reason code.' }),
    status: z.int().meta({ description: 'The HTTP status of the response.' }),
    detail: z.string().meta({ description: 'The cause, with the value received, and what to do next.' }),
    charged: z.boolean().nullable().meta({
      description:
        'Whether the payment of this request was charged. `false`: this request did not charge it, and this service settles it only if you send it again; if an earlier request had the same signature, send that request again to get its answer. `true`: it was, and its answer or a credit for it exists. `null`: not known yet; send the same PAYMENT-SIGNATURE again.',
    }),
    instance: z.string().meta({ description: 'URN of this occurrence: its requestId (RFC 9457).' }),
    issues: z
      .array(
        z.object({
          path: z
            .string()
            .meta({ description: 'Dotted path of the field; empty for the body itself.', examples: ['sizeIn'] }),
          message: z.string().meta({
            description: 'What the field must be, and the value received.',
            examples: ['Must be at most 78 characters.'],
          }),
        }),
      )
      .optional()
      .meta({ description: 'The faults of the body, up to fifty.' }),
    exampleRequest: z
      .unknown()
      .optional()
      .meta({ description: 'A valid body for this path. Always present on 400 and 405 of a paid path.' }),
    docs: z.string().meta({ description: 'URL of the documentation.' }),
    requestId: z.string().meta({ description: 'Equals X-Request-Id. Include it when you contact the operator.' }),
  })
  .meta({ description: 'An error. `code` is stable; the wording of `detail` may change.' });

export type ErrorBody = z.infer<typeof errorBody>;

/**
 * `charged` of an error. A request that was rejected before its payment was looked up charged nothing. A 429 or 5xx without
 * its own `charged` returns `null` if the request has a payment, because an earlier request may have charged that payment.
 */
function chargedOf({ code, charged }: RequestError, hasPayment: boolean): boolean | null {
  if (charged !== undefined) return charged;
  const { status } = errorTable[code];
  return hasPayment && (status === 429 || status >= 500) ? null : false;
}

/** Path and anchor of a code in the errors guide. */
const errorGuide = (code: ErrorCode): string => `/guides/errors#${code}`;

/**
 * Converts an error to its published body, without its cause and stack.
 * @param request its id, the public base URL without a trailing slash, and whether it carries a payment
 */
export function toErrorBody(
  error: RequestError,
  request: { requestId: string; baseUrl: string; hasPayment?: boolean },
): ErrorBody {
  const { status, title } = errorTable[error.code];
  return {
    type: request.baseUrl + errorGuide(error.code),
    title,
    code: error.code,
    status,
    detail: error.detail,
    charged: chargedOf(error, request.hasPayment ?? false),
    instance: `urn:uuid:${request.requestId}`,
    ...(error.issues && { issues: [...error.issues] }),
    ...(error.exampleRequest !== undefined && { exampleRequest: error.exampleRequest }),
    docs: `${request.baseUrl}/docs/`,
    requestId: request.requestId,
  };
}
