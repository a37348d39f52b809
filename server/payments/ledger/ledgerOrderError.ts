/**
 * The payment does not exist, belongs to another replica, or cannot take this step from its state. A bug or a lost race,
 * never a client's fault.
 */
export class LedgerOrderError extends Error {
  override readonly name = 'LedgerOrderError';
}
