import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc';
import { errorTable } from './errorTable.ts';
import type { ErrorBody } from './toErrorBody.ts';

/** The same error as a tRPC client expects it; equals what the router's own formatter makes. */
export function toTrpcErrorBody(reason: ErrorBody, path: string | null) {
  const { status, trpcCode } = errorTable[reason.code];
  return {
    error: {
      code: TRPC_ERROR_CODES_BY_KEY[trpcCode],
      message: reason.detail,
      data: { code: trpcCode, httpStatus: status, path, reason },
    },
  };
}
