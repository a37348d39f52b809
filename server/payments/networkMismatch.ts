/** The RPC serves another network, or the configured asset or account does not exist there. */
export class PaymentNetworkMismatchError extends Error {
  override readonly name = 'PaymentNetworkMismatchError';
}
