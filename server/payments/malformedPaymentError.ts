/** The header is no x402 v2 payment: told as 400, whatever it was meant to be. */
export class MalformedPaymentError extends Error {
  override readonly name = 'MalformedPaymentError';
}
