import { initTRPC } from '@trpc/server';
import type { OpenApiMeta } from 'trpc-to-openapi';
import type { RouterContext } from './context.ts';
import { describeFailure } from './errors/describeFailure.ts';
import { errorTable } from './errors/errorTable.ts';
import { toErrorBody } from './errors/toErrorBody.ts';
import type { PaidTerms } from './paidTerms.ts';

/** `openapi` belongs to trpc-to-openapi, `paid` to us. */
export type ProcedureMeta = OpenApiMeta<{ paid?: PaidTerms }>;

/** isDev false: otherwise responses contain stack traces. The typed error is in `error.data.reason`. */
export const t = initTRPC
  .context<RouterContext>()
  .meta<ProcedureMeta>()
  .create({
    isDev: false,
    errorFormatter: ({ shape, error, path, ctx }) => {
      const failure = describeFailure(error);
      const reason = toErrorBody(failure, {
        requestId: ctx?.requestId ?? 'unknown',
        docsUrl: ctx?.docsUrl ?? '/docs/',
      });
      const { status, trpcCode } = errorTable[failure.code];
      return {
        code: shape.code,
        message: reason.detail,
        data: { code: trpcCode, httpStatus: status, path: path ?? null, reason },
      };
    },
  });
