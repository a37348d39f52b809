import type { TRPC_ERROR_CODE_KEY } from '@trpc/server/rpc';

/** HTTP status, tRPC code and RFC 9457 title of each error code. `when` is its description in the documentation. */
export const errorTable = {
  INVALID_REQUEST: {
    status: 400,
    title: 'Invalid request',
    trpcCode: 'BAD_REQUEST',
    when: 'The body is not JSON or does not match the schema; `issues` lists up to fifty faults. A quote with a payment also gets it if tokenIn or tokenOut has no code on the chain. This request is not charged. Correct the fields in `issues`.',
  },
  PAYMENT_REQUIRED: {
    status: 402,
    title: 'Payment required',
    trpcCode: 'PAYMENT_REQUIRED',
    when: 'The request contains no acceptable payment. Sign one entry of `accepts[]` and send the same body with PAYMENT-SIGNATURE. If you have signed already, read `charged` and `detail` first.',
  },
  NOT_FOUND: {
    status: 404,
    title: 'Not found',
    trpcCode: 'NOT_FOUND',
    when: 'The path does not exist; paths are case-sensitive. This request is not charged. Use a path of the OpenAPI document.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    title: 'Method not allowed',
    trpcCode: 'METHOD_NOT_SUPPORTED',
    when: 'The path does not support this method. This request is not charged. `Allow` lists the supported methods.',
  },
  PAYMENT_REUSED: {
    status: 409,
    title: 'Payment already used',
    trpcCode: 'CONFLICT',
    when: 'The payment or its identifier was used for another request, or its answer can no longer be replayed. This request is not charged; `charged` is about the payment. Send the payment with its original request, or sign a new one.',
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    title: 'Body too large',
    trpcCode: 'PAYLOAD_TOO_LARGE',
    when: 'The body exceeds 16 KiB, for a transaction 64 KiB. This request is not charged. Send a smaller body.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    title: 'Unsupported media type',
    trpcCode: 'UNSUPPORTED_MEDIA_TYPE',
    when: 'content-type is not application/json in UTF-8, or the body has a content-encoding. This request is not charged. Send plain JSON.',
  },
  UNSUPPORTED_CHAIN: {
    status: 422,
    title: 'Chain not supported',
    trpcCode: 'UNPROCESSABLE_CONTENT',
    when: 'This call or this deployment does not serve the chain, or the executor of transactions is not deployed there. This request is not charged. Use a chain that this call serves and that `/health` lists.',
  },
  RATE_LIMITED: {
    status: 429,
    title: 'Too many requests',
    trpcCode: 'TOO_MANY_REQUESTS',
    when: 'The rate limit is exceeded, or the payer is paused because a settlement failed on chain. This request is not charged. `charged` is null if an earlier request may have charged its payment. Send it again after Retry-After seconds, with the same PAYMENT-SIGNATURE.',
  },
  INTERNAL: {
    status: 500,
    title: 'Internal error',
    trpcCode: 'INTERNAL_SERVER_ERROR',
    when: 'The service failed. If the request had a payment, send it again with the same PAYMENT-SIGNATURE: it is charged at most once. If it fails again, send `requestId` to the operator.',
  },
  SETTLEMENT_UNKNOWN: {
    status: 503,
    title: 'Settlement outcome unknown',
    trpcCode: 'SERVICE_UNAVAILABLE',
    when: 'The outcome of the payment is not known yet. Send the same PAYMENT-SIGNATURE again; do not sign a new payment.',
  },
  UPSTREAM_UNAVAILABLE: {
    status: 503,
    title: 'Temporarily unavailable',
    trpcCode: 'SERVICE_UNAVAILABLE',
    when: 'The chain, the payment network or the payment database cannot be used right now. `charged` states what is known about the payment, if the request has one. Send the same request again after Retry-After seconds, with the same PAYMENT-SIGNATURE.',
  },
  DEADLINE_EXCEEDED: {
    status: 503,
    title: 'Deadline exceeded',
    trpcCode: 'SERVICE_UNAVAILABLE',
    when: 'The chain did not respond before the deadline. `charged` states what is known about the payment. Send the same request again after Retry-After seconds, with the same PAYMENT-SIGNATURE.',
  },
} as const satisfies Record<string, { status: number; title: string; trpcCode: TRPC_ERROR_CODE_KEY; when: string }>;

export type ErrorCode = keyof typeof errorTable;

export const errorCodes = Object.keys(errorTable) as [ErrorCode, ...ErrorCode[]];

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorTable, code);
}
