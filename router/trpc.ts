import { initTRPC } from '@trpc/server';
import type { OpenApiMeta } from 'trpc-to-openapi';
import type { RouterContext } from './context.ts';
import { describeFailure } from './errors/describeFailure.ts';
import { errorTable } from './errors/errorTable.ts';
import { toErrorBody } from './errors/toErrorBody.ts';
import type { PaidTerms } from './paidTerms.ts';

/** `openapi` belongs to trpc-to-openapi, `paid` to us. */
export type ProcedureMeta = OpenApiMeta<{ paid?: PaidTerms }>;

/** RFC 9562: stands for the id when a request has no context. */
const nilUuid = '00000000-0000-0000-0000-000000000000';

/** isDev false: otherwise error stacks leave the server. The client finds its typed reason in `error.data.reason`. */
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
