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

/** No known router executes this plan in one transaction. Execute the legs one by one, or request another size. */
export class NoSingleTransactionError extends TruefillError {
  override readonly name = 'NoSingleTransactionError';
}
