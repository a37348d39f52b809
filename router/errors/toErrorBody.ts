import { z } from 'zod';
import { type ErrorCode, errorCodes, errorTable } from './errorTable.ts';
import type { RequestError } from './requestError.ts';

/** The body of every error: RFC 9457 problem details with further members. On tRPC it is `error.data.reason`. */
export const errorBody = z
  .object({
    type: z.string().meta({ description: 'URL of the documentation of this code (RFC 9457).' }),
    title: z.string().meta({ description: 'Short name of the code; the same for each occurrence (RFC 9457).' }),
    code: z.enum(errorCodes).meta({ description: 'Stable reason code.' }),
    status: z.int().meta({ description: 'The HTTP status, repeated.' }),
    detail: z.string().meta({ description: 'What was seen and what to do.' }),
    instance: z.string().meta({ description: 'URN of this occurrence: its requestId (RFC 9457).' }),
    issues: z
      .array(
        z.object({
          path: z.string().meta({ description: 'Where, dotted; empty for the body itself.', examples: ['sizeIn'] }),
          message: z
            .string()
            .meta({ description: 'What is wrong there.', examples: ['Must be at most 78 characters.'] }),
        }),
      )
      .optional()
      .meta({ description: 'All that is wrong with the body; `path` is empty for the body itself.' }),
    exampleRequest: z
      .unknown()
      .optional()
      .meta({ description: 'A body that can be sent as it stands. Always there on 400 and 405 of a paid path.' }),
    docs: z.string().meta({ description: 'Where the documentation is.' }),
    requestId: z.string().meta({ description: 'The same as in X-Request-Id; name it when you ask us.' }),
  })
  .meta({ description: 'An error, written for who gets it. `code` is stable, `detail` is prose.' });

export type ErrorBody = z.infer<typeof errorBody>;

/** Path and anchor of a code in the errors guide. */
const errorGuide = (code: ErrorCode): string => `/guides/errors#${code}`;

/**
 * Converts an error to its published body, without its cause and stack.
 * @param place `baseUrl` without a trailing slash
 */
export function toErrorBody(error: RequestError, place: { requestId: string; baseUrl: string }): ErrorBody {
  const { status, title } = errorTable[error.code];
  return {
    type: place.baseUrl + errorGuide(error.code),
    title,
    code: error.code,
    status,
    detail: error.detail,
    instance: `urn:uuid:${place.requestId}`,
    ...(error.issues && { issues: [...error.issues] }),
    ...(error.exampleRequest !== undefined && { exampleRequest: error.exampleRequest }),
    docs: `${place.baseUrl}/docs/`,
    requestId: place.requestId,
  };
}
