/** The RPC leads to another network, or what is configured for it is not what lies there. */
export class PaymentNetworkMismatchError extends Error {
  override readonly name = 'PaymentNetworkMismatchError';
}
