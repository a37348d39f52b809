/** Events for metrics. All labels are from fixed lists. */
export type PaymentEvent =
  /** A transaction was sent for so many payments. */
  | { kind: 'transaction sent'; network: string; payments: number }
  /** A payment was settled; what its share of the gas cost. */
  | { kind: 'gas paid'; network: string; usd: number }
  /** A payment was refused after it was checked. */
  | { kind: 'payment refused'; network: string; reason: string }
  /** A payment was served, and the chain dropped it for good. */
  | { kind: 'payment lost'; network: string };

export type OnPaymentEvent = (event: PaymentEvent) => void;

/** x402's reasons that this service gives. A remote facilitator may return any text, which is no label. */
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

export const toReasonLabel = (reason: string): string => (knownReasons.has(reason) ? reason : 'other');
