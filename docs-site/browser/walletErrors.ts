/** A wallet failure with a message for the user of the page. */
export class WalletError extends Error {
  override name = 'WalletError';
}

/** The code of a wallet's error, which may be an `Error` or a plain object. */
export function walletCode(error: unknown): number | undefined {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'number'
    ? error.code
    : undefined;
}

/**
 * What a wallet or the page reports, as a sentence.
 * @param rejected the sentence for a request that the user rejected
 */
export function explainWallet(error: unknown, rejected: string): string {
  const code = walletCode(error);
  if (code === 4001) return rejected;
  if (error instanceof Error) return error.message;
  const { message } = (typeof error === 'object' && error !== null ? error : {}) as { message?: unknown };
  const reason = typeof message === 'string' ? `: ${message}` : '.';
  return code === undefined ? `The request failed${reason}` : `The wallet reported error ${code}${reason}`;
}
