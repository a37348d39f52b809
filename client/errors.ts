import type { ErrorCode } from './wire.ts';

/** The body of an error response: problem details (RFC 9457) with additional members. */
export interface ErrorBody {
  /** A code of this version or of a later version of the service. `UNKNOWN`: the response had no error body. */
  code: ErrorCode | 'UNKNOWN' | (string & {});
  status: number;
  detail: string;
  /** URL of the documentation of the code. */
  type?: string;
  title?: string;
  /** URN of this occurrence. */
  instance?: string;
  issues?: { path: string; message: string }[];
  exampleRequest?: unknown;
  docs?: string;
  requestId?: string;
}

/** A signed payment whose answer has not arrived. `truefill.resume` sends it again. */
export interface PendingCall {
  path: string;
  /** The exact JSON text that was sent. */
  body: string;
  /** The PAYMENT-SIGNATURE header. Anyone who has it can fetch the answer, but cannot charge you again. */
  paymentSignature: string;
}

/** Base class of the client's errors. */
export class TruefillError extends Error {
  override readonly name: string = 'TruefillError';
}

/** The service refused the request and charged nothing for it. With PAYMENT_REUSED, the payment was charged earlier. */
export class RequestRefusedError extends TruefillError {
  override readonly name = 'RequestRefusedError';
  constructor(readonly body: ErrorBody) {
    super(`${body.code}: ${body.detail}${describeIssues(body.issues)}`);
  }
}

/** The payment was not accepted. Nothing was charged, and no other payment was signed. */
export class PaymentRefusedError extends TruefillError {
  override readonly name = 'PaymentRefusedError';
  constructor(
    readonly body: ErrorBody,
    /** x402's code, e.g. `invalid_exact_evm_insufficient_balance`. */
    readonly reason: string,
  ) {
    super(`${body.detail} (${reason})`);
  }
}

/**
 * The service cannot be reached or is temporarily unavailable. Nothing was signed or charged, unless this error is the
 * cause of an `AnswerPendingError`.
 */
export class UnavailableError extends TruefillError {
  override readonly name = 'UnavailableError';
}

/** A signed payment was sent, but no answer arrived. It may have settled: do not sign another one, resume this one. */
export class AnswerPendingError extends TruefillError {
  override readonly name = 'AnswerPendingError';
  constructor(
    readonly pending: PendingCall,
    options: { cause: unknown },
  ) {
    super(
      'A payment was sent, and its answer has not arrived. Do not pay again: pass `pending` to resume(), which sends the same signature.',
      options,
    );
  }
}

/** The call costs more than the spend limit allows. Nothing was signed. */
export class SpendLimitError extends TruefillError {
  override readonly name = 'SpendLimitError';
  constructor(
    readonly priceUsd: number,
    readonly limitUsd: number,
    which: 'perCallUsd' | 'totalUsd',
  ) {
    const limit =
      which === 'perCallUsd'
        ? `spendLimit.${which} is ${limitUsd} USD`
        : `only ${limitUsd} USD of spendLimit.${which} is left`;
    super(
      `The call costs ${priceUsd} USD, but ${limit}. Nothing was signed. Raise spendLimit.${which} (command line: --max-usd).`,
    );
  }
}

/**
 * The service is a sandbox and `allowSandbox` is false, or `allowSandbox` is `only` and the payment would not be one to
 * a sandbox. Nothing was signed.
 */
export class SandboxError extends TruefillError {
  override readonly name = 'SandboxError';
}

/** No wallet can pay on any network that the service accepts. Nothing was signed. */
export class NoPaymentOptionError extends TruefillError {
  override readonly name = 'NoPaymentOptionError';
}

/**
 * The response is not from a truefill service. Nothing was signed, unless this error is the cause of an
 * `AnswerPendingError`.
 */
export class UnexpectedAnswerError extends TruefillError {
  override readonly name = 'UnexpectedAnswerError';
}

function describeIssues(issues: ErrorBody['issues']): string {
  return issues ? issues.map(({ path, message }) => `\n  ${path || 'body'}: ${message}`).join('') : '';
}
