import { TruefillError } from '../errors.ts';

export type VerificationFault =
  | 'no-route'
  | 'unreachable'
  | 'wrong-chain'
  | 'no-block'
  | 'no-state'
  | 'no-overrides'
  | 'cannot-fund'
  | 'not-executed';

/** The node could not execute the quote; `fault` is the reason. The quote itself may be correct. */
export class VerificationError extends TruefillError {
  override readonly name = 'VerificationError';
  constructor(
    readonly fault: VerificationFault,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** A transaction was not sent, or failed on chain; the message states which. */
export class TransactionFailedError extends TruefillError {
  override readonly name = 'TransactionFailedError';
}

/** No known router executes this plan in one transaction. Execute the legs one by one, or request another size. */
export class NoSingleTransactionError extends TruefillError {
  override readonly name = 'NoSingleTransactionError';
}

/** The quote trades something else than the caller expects: the service is faulty or hostile. */
export class UnexpectedQuoteError extends TruefillError {
  override readonly name = 'UnexpectedQuoteError';
}
