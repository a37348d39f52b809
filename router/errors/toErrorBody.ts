import { z } from 'zod';
import { errorCodes, errorTable } from './errorTable.ts';
import type { RequestError } from './requestError.ts';

/** The body of every error, on both surfaces (on tRPC it is `error.data.reason`). */
export const errorBody = z
  .object({
    code: z.enum(errorCodes).meta({ description: 'Stable reason code.' }),
    status: z.int().meta({ description: 'The HTTP status, repeated.' }),
    detail: z.string().meta({ description: 'What was seen and what to do.' }),
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

/** Converts a refusal to what leaves the server. Nothing of its cause or stack is in it. */
export function toErrorBody(error: RequestError, place: { requestId: string; docsUrl: string }): ErrorBody {
  return {
    code: error.code,
    status: errorTable[error.code].status,
    detail: error.detail,
    ...(error.issues && { issues: [...error.issues] }),
    ...(error.exampleRequest !== undefined && { exampleRequest: error.exampleRequest }),
    docs: place.docsUrl,
    requestId: place.requestId,
  };
}
