import { TruefillError } from '../errors.ts';

/** No single transaction of a known router executes this plan. Execute the legs one by one, or ask for another size. */
export class NoSingleTransactionError extends TruefillError {
  override readonly name = 'NoSingleTransactionError';
}
