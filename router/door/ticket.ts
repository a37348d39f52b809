/**
 * What opens the locked door: exactly this procedure with exactly this input. Made by the payment service
 * only, after the money has moved.
 */
export interface Ticket {
  /** The procedure's name in the router, e.g. `quote`. */
  readonly paid: string;
  /** `canonicalJson` of the input that was paid for. */
  readonly canonicalInput: string;
}
