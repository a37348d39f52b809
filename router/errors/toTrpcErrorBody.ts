import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc';
import { errorTable } from './errorTable.ts';
import type { ErrorBody } from './toErrorBody.ts';

/** Converts an error body to tRPC's response format. The result equals the output of the router's `errorFormatter`. */
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
