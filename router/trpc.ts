import { initTRPC } from '@trpc/server';
import type { OpenApiMeta } from 'trpc-to-openapi';
import type { RouterContext } from './context.ts';
import { describeFailure } from './errors/describeFailure.ts';
import { errorTable } from './errors/errorTable.ts';
import { toErrorBody } from './errors/toErrorBody.ts';
import type { FreeTerms } from './freeTerms.ts';
import type { PaidTerms } from './paidTerms.ts';

/** Metadata of a procedure: `openapi` is read by trpc-to-openapi, `paid` and `free` by this service; each has one of them. */
export type ProcedureMeta = OpenApiMeta<{ paid?: PaidTerms; free?: FreeTerms }>;

/** The nil UUID of RFC 9562: the request id of a request without a context. */
const nilUuid = '00000000-0000-0000-0000-000000000000';

/** The tRPC instance. `isDev` is false so that no error stack leaves the server. `error.data.reason` is an error body. */
export const t = initTRPC
  .context<RouterContext>()
  .meta<ProcedureMeta>()
  .create({
    isDev: false,
    errorFormatter: ({ shape, error, path, ctx }) => {
      const failure = describeFailure(error);
      const reason = toErrorBody(failure, {
        requestId: ctx?.requestId ?? nilUuid,
        baseUrl: ctx?.baseUrl ?? '',
      });
      const { status, trpcCode } = errorTable[failure.code];
      return {
        code: shape.code,
        message: reason.detail,
        data: { code: trpcCode, httpStatus: status, path: path ?? null, reason },
      };
    },
  });
