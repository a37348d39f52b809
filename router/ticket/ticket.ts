/**
 * Permission to run exactly this procedure with exactly this input. Only the payment code creates one, after the
 * payment has settled.
 */
export interface Ticket {
  /** The procedure's name in the router, e.g. `quote`. */
  readonly paid: string;
  /** `canonicalJson` of the input that was paid for. */
  readonly canonicalInput: string;
}
