/** Events for metrics. All string fields have values from fixed lists. */
export type PaymentEvent =
  /** A transaction was sent that contains `payments` payments. */
  | { kind: 'transaction sent'; network: string; payments: number }
  /** A payment was settled; its share of the gas cost in US dollars. */
  | { kind: 'gas paid'; network: string; usd: number }
  /** A valid payment was not settled. */
  | { kind: 'payment refused'; network: string; reason: string }
  /** A payment was served, and the chain dropped it for good. */
  | { kind: 'payment lost'; network: string };

export type OnPaymentEvent = (event: PaymentEvent) => void;

/** Reasons that this service returns. A remote facilitator may return any text, which must not become a label. */
const knownReasons = new Set([
  'insufficient_funds',
  'invalid_exact_evm_signature',
  'invalid_exact_evm_insufficient_balance',
  'invalid_exact_evm_nonce_already_used',
  'invalid_exact_evm_payload_authorization_valid_after',
  'invalid_exact_evm_payload_authorization_valid_before',
  'invalid_exact_evm_transaction_failed',
  'invalid_exact_evm_transaction_simulation_failed',
  'limited',
  'paused',
  'unavailable',
  'unknown',
]);

/** The metric label of a reason; `other` for an unknown one. */
export const toReasonLabel = (reason: string): string => (knownReasons.has(reason) ? reason : 'other');
