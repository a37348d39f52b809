/** What the service writes in the body of an error. */
export interface ErrorBody {
  code: string;
  status: number;
  detail: string;
  issues?: { path: string; message: string }[];
  requestId?: string;
}

/** A payment that was signed and sent, and whose answer is still owed. `truefill.resume` sends it again. */
export interface PendingCall {
  path: string;
  /** The JSON that was sent, to the byte. */
  body: string;
  /** PAYMENT-SIGNATURE. Whoever has it can have the answer, but no more of your money. */
  paymentSignature: string;
}

/** Everything that this client throws on purpose. */
export class TruefillError extends Error {
  override readonly name: string = 'TruefillError';
}

/** The service refused the request. Nothing was charged, except by PAYMENT_REUSED: that payment was answered before. */
export class RequestRefusedError extends TruefillError {
  override readonly name = 'RequestRefusedError';
  constructor(readonly body: ErrorBody) {
    super(`${body.code}: ${body.detail}${told(body.issues)}`);
  }
}

/** The payment was not accepted. Nothing was charged, and nothing was signed anew. */
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

/** The service cannot be reached, or cannot answer now. Nothing was signed or charged. */
export class UnavailableError extends TruefillError {
  override readonly name = 'UnavailableError';
}

/** Signed and sent, and no answer came in time. The payment may have moved: do not sign anew, `resume` this one. */
export class AnswerPendingError extends TruefillError {
  override readonly name = 'AnswerPendingError';
  constructor(
    readonly pending: PendingCall,
    options: { cause: unknown },
  ) {
    super(
      'A payment was sent and its answer has not come. Do not pay again: give `pending` to resume(), which sends the same signature.',
      options,
    );
  }
}

/** The call costs more than you allow. Nothing was signed. */
export class SpendLimitError extends TruefillError {
  override readonly name = 'SpendLimitError';
  constructor(
    readonly priceUsd: number,
    readonly limitUsd: number,
    which: 'a call' | 'all calls',
  ) {
    super(
      `The call costs ${priceUsd} USD, and ${limitUsd} USD are left of what you allow for ${which}. Nothing was signed.`,
    );
  }
}

/** The service is a sandbox and the caller did not allow one, or the wallet is for a sandbox only. Nothing was signed. */
export class SandboxError extends TruefillError {
  override readonly name = 'SandboxError';
}

/** None of the ways to pay that the service offers fits the wallet. Nothing was signed. */
export class NoWayToPayError extends TruefillError {
  override readonly name = 'NoWayToPayError';
}

/** What came back is nothing that this service would say. */
export class UnexpectedAnswerError extends TruefillError {
  override readonly name = 'UnexpectedAnswerError';
}

function told(issues: ErrorBody['issues']): string {
  return issues ? issues.map(({ path, message }) => `\n  ${path || 'body'}: ${message}`).join('') : '';
}
