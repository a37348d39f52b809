import type { ErrorCode } from './wire.ts';

/** The body of an error response: problem details (RFC 9457) with additional members. */
export interface ErrorBody {
  /** A code of this version or of a later version of the service. `UNKNOWN`: the response had no error body. */
  code: ErrorCode | 'UNKNOWN' | (string & {});
  status: number;
  detail: string;
  /**
   * Whether the payment of the request was charged. `false`: it was not, and it will not be unless it is sent again. `null`
   * or absent: not known. The client does not verify it.
   */
  charged?: boolean | null;
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

/** The service refused the request. `body.charged` states whether its payment was charged, as with PAYMENT_REUSED. */
export class RequestRefusedError extends TruefillError {
  override readonly name = 'RequestRefusedError';
  constructor(readonly body: ErrorBody) {
    super(`${body.code}: ${body.detail}${describeIssues(body.issues)}`);
  }
}

/** The payment was not accepted, and no other payment was signed. `body.charged` states whether it was charged earlier. */
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
 * The service cannot be reached or is temporarily unavailable. Without `pending` nothing was signed. With `pending` the
 * service reports that it did not charge the payment: `resume` can send it again, or a later call can sign another one.
 */
export class UnavailableError extends TruefillError {
  override readonly name = 'UnavailableError';
  readonly pending?: PendingCall;
  /** The error body, if the service returned one. */
  readonly body?: ErrorBody;
  constructor(message: string, { pending, body, ...options }: ErrorOptions & Partial<Refused> = {}) {
    super(message, options);
    if (pending) this.pending = pending;
    if (body) this.body = body;
  }
}

interface Refused {
  pending: PendingCall;
  body: ErrorBody;
}

/** A signed payment was sent, but no answer arrived. It may have settled: do not sign another one, resume this one. */
export class AnswerPendingError extends TruefillError {
  override readonly name = 'AnswerPendingError';
  /** Whether the service reports that the payment was charged; null: not known. */
  readonly charged: true | null;
  constructor(
    readonly pending: PendingCall,
    { charged = null, ...options }: { cause: unknown; charged?: true | null },
  ) {
    const fact = charged ? 'A payment was charged' : 'A payment was sent';
    super(
      `${fact}, and its answer has not arrived. Do not pay again: pass \`pending\` to resume(), which sends the same signature.`,
      options,
    );
    this.charged = charged;
  }
}

/** The call costs more than the spend limit allows. Nothing was signed. */
export class SpendLimitError extends TruefillError {
  override readonly name = 'SpendLimitError';
  constructor(
    readonly priceUsd: number,
    readonly limitUsd: number,
    readonly which: 'perCallUsd' | 'totalUsd',
    /** The part of the limit that signed payments hold until they expire, although the service did not charge them. */
    readonly heldUsd = 0,
  ) {
    const limit =
      which === 'perCallUsd'
        ? `spendLimit.${which} is ${limitUsd} USD`
        : `only ${limitUsd} USD of spendLimit.${which} is left`;
    const held = heldUsd > 0 ? ` Signed payments that can still be charged hold ${heldUsd} USD until they expire.` : '';
    super(
      `The call costs ${priceUsd} USD, but ${limit}. Nothing was signed.${held} Raise spendLimit.${which} (command line: --max-usd).`,
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

/** No wallet can pay any option of the service: because of its network, token or validity. Nothing was signed. */
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
