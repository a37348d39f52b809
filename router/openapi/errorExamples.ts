import { type ErrorCode, errorTable } from '../errors/errorTable.ts';
import { RequestError } from '../errors/requestError.ts';
import { toErrorBody } from '../errors/toErrorBody.ts';
import { errorExample, paymentRequiredExample } from '../free/freeExamples.ts';
import { defaultLimits } from '../service.ts';

const request = { requestId: errorExample.requestId, baseUrl: 'https://truefill.example' };

/** `detail` of the codes whose bodies have no other members. */
const details: Record<Exclude<ErrorCode, 'INVALID_REQUEST' | 'PAYMENT_REQUIRED'>, string> = {
  NOT_FOUND: 'No such path: /v1/qoute. Nothing was charged. Use a path listed in /openapi.json, spelled exactly.',
  METHOD_NOT_ALLOWED:
    'GET is not served here. Nothing was charged. Send POST /v1/quote with content-type application/json.',
  PAYMENT_REUSED:
    'This payment belongs to another request. This request charged nothing. Send the payment with its original request, or sign a new payment for this one.',
  PAYLOAD_TOO_LARGE: `The body exceeds ${defaultLimits.maxBodyBytes} bytes. Nothing was charged. Send a smaller one.`,
  UNSUPPORTED_MEDIA_TYPE: 'content-type is text/plain. Nothing was charged. Send application/json.',
  UNSUPPORTED_CHAIN:
    'The pretrade check is served on Base only, not on polygon. Leave chain out, or send base. Nothing was charged.',
  RATE_LIMITED:
    'More than 120 requests per minute from your address. This request charged nothing. Send it again, with the same PAYMENT-SIGNATURE if you have signed, in 12 s.',
  INTERNAL: 'The service failed and could not answer. If this happens again, send this requestId to the operator.',
  SETTLEMENT_UNKNOWN:
    'The transfer was sent and its outcome is not known yet. Do not sign again: send the same PAYMENT-SIGNATURE in 5 s.',
  UPSTREAM_UNAVAILABLE: 'No RPC node of base is available. Try again in 5 s. Nothing was charged.',
  DEADLINE_EXCEEDED: 'base did not answer within 8000 ms. Try again. Nothing was charged.',
};

/** One example body for each error code, for the document's `components.examples`. */
export const errorExamples: Record<string, { summary: string; value: unknown }> = {
  INVALID_REQUEST: { summary: errorTable.INVALID_REQUEST.title, value: errorExample },
  PAYMENT_REQUIRED: { summary: errorTable.PAYMENT_REQUIRED.title, value: paymentRequiredExample },
  ...Object.fromEntries(
    Object.entries(details).map(([code, detail]) => {
      const error = new RequestError(code as ErrorCode, detail, code === 'SETTLEMENT_UNKNOWN' ? { charged: null } : {});
      return [code, { summary: errorTable[error.code].title, value: toErrorBody(error, request) }];
    }),
  ),
};
