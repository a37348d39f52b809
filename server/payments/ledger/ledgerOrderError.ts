/**
 * A payment was asked to step back, does not exist, or is worked on by another replica: our own mistake or a
 * race that was lost, never a client's.
 */
export class LedgerOrderError extends Error {
  override readonly name = 'LedgerOrderError';
}
