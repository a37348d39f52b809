/** The command line is invalid; the message contains the reason. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
