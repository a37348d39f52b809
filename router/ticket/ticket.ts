/**
 * Permission to run one procedure with one input. Only the payment code creates a ticket: after the payment has settled,
 * or for a free call.
 */
export interface Ticket {
  /** The product, e.g. `quote`. */
  readonly paid: string;
  /** `canonicalJson` of the input that was paid for. */
  readonly canonicalInput: string;
  /** The wallet's free call: nothing was settled. */
  readonly free?: true;
}
