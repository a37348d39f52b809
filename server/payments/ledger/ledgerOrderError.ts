/**
 * The payment does not exist, belongs to another replica, or is in a state that does not allow the transition. A bug or
 * a lost race causes this error, not a client.
 */
export class LedgerOrderError extends Error {
  override readonly name = 'LedgerOrderError';
}
