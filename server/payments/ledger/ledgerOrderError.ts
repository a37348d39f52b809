/**
 * The payment does not exist, belongs to another replica, or has no such transition from its state. Caused by a bug or a
 * lost race, not by a client.
 */
export class LedgerOrderError extends Error {
  override readonly name = 'LedgerOrderError';
}
