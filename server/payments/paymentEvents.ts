/** Events for metrics. All string fields have values from fixed lists. */
export type PaymentEvent =
  /** A transaction was sent that contains `payments` payments. */
  | { kind: 'transaction sent'; network: string; payments: number }
  /** A payment was settled; its share of the gas cost in US dollars. */
  | { kind: 'gas paid'; network: string; usd: number }
  /** Transactions of a payment failed on chain; their gas cost in US dollars. */
  | { kind: 'gas lost'; network: string; usd: number }
  /** A payment was settled, for a product; its amount in US dollars. */
  | { kind: 'payment settled'; network: string; paid: string; usd: number }
  /** A valid payment was not settled. */
  | { kind: 'payment refused'; network: string; reason: string }
  /** A payment was served, and the chain dropped it for good. */
  | { kind: 'payment lost'; network: string };

export type OnPaymentEvent = (event: PaymentEvent) => void;

/**
 * Reasons that this service returns: x402's codes of scheme `exact`, and its own. A remote facilitator may return any text,
 * which must not become a label.
 */
export const knownReasons = new Set([
  'insufficient_funds',
  'invalid_exact_evm_insufficient_balance',
  'invalid_exact_evm_nonce_already_used',
  'invalid_exact_evm_payload_authorization_valid_after',
  'invalid_exact_evm_payload_authorization_valid_before',
  'invalid_exact_evm_payload_authorization_value_mismatch',
  'invalid_exact_evm_recipient_mismatch',
  'invalid_exact_evm_signature',
  'invalid_exact_evm_transaction_failed',
  'invalid_exact_evm_transaction_simulation_failed',
  'invalid_exact_svm_fee_payer_mismatch',
  'invalid_exact_svm_payload_amount_mismatch',
  'invalid_exact_svm_payload_excessive_signers',
  'invalid_exact_svm_payload_mint_mismatch',
  'invalid_exact_svm_payload_no_transfer_instruction',
  'invalid_exact_svm_payload_recipient_mismatch',
  'invalid_exact_svm_payload_signature_invalid',
  'invalid_exact_svm_payload_transaction_could_not_be_decoded',
  'invalid_exact_svm_payload_transaction_fee_payer_transferring_funds',
  'invalid_exact_svm_payload_transaction_instructions_compute_limit_instruction',
  'invalid_exact_svm_payload_transaction_instructions_compute_limit_instruction_too_high',
  'invalid_exact_svm_payload_transaction_instructions_compute_price_instruction',
  'invalid_exact_svm_payload_transaction_instructions_compute_price_instruction_too_high',
  'invalid_exact_svm_payload_transaction_instructions_length',
  'invalid_exact_svm_payload_unknown_optional_instruction',
  'invalid_exact_svm_transaction_failed',
  'invalid_exact_svm_transaction_simulation_failed',
  'limited',
  'payer_paused',
  'unavailable',
  'unknown',
]);

/** The metric label of a reason; `other` for an unknown one. */
export const toReasonLabel = (reason: string): string => (knownReasons.has(reason) ? reason : 'other');
