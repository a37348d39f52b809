import { createHash } from 'node:crypto';
import type { PaymentAttempt } from './cashierTypes.ts';
import type { AcceptedTerms } from './decodePayment.ts';
import type { SignedAuthorization } from './evm/authorization.ts';

/** What can move money once: `network|asset|from|nonce`, lower case. */
export function paymentKey(accepted: AcceptedTerms, { from, nonce }: SignedAuthorization): string {
  return [accepted.network, accepted.asset, from, nonce].join('|').toLowerCase();
}

/**
 * What binds a payment to one request: sha256, hex, over route, input and exact payload.
 *
 * Payer and nonce are public once a payment is on chain, so the key alone must open nothing.
 */
export function paymentFingerprint(attempt: PaymentAttempt, canonicalPayload: string): string {
  const parts = [attempt.paid, attempt.route, attempt.canonicalInput, canonicalPayload];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
