/** The header is not an x402 v2 payment; the response is 400. */
export class MalformedPaymentError extends Error {
  override readonly name = 'MalformedPaymentError';
}
