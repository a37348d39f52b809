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

/** The quote could not be executed on this node; `fault` names the reason. The quote itself may be correct. */
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

/** No single transaction of a known router executes this plan. Execute the legs one by one, or ask for another size. */
export class NoSingleTransactionError extends TruefillError {
  override readonly name = 'NoSingleTransactionError';
}
