import { createHash } from 'node:crypto';
import type { PaymentAttempt } from './cashierTypes.ts';
import type { DecodedPayment } from './decodePayment.ts';

/** What can move money once: `network|asset|from|nonce`, lower case. */
export function paymentKey({ accepted, authorization }: DecodedPayment): string {
  return [accepted.network, accepted.asset, authorization.from, authorization.nonce].join('|').toLowerCase();
}

/**
 * What binds a payment to one request: sha256, hex, over route, input and exact payload.
 *
 * Payer and nonce are public once a payment is on chain, so the key alone must open nothing.
 */
export function paymentFingerprint(attempt: PaymentAttempt, payment: DecodedPayment): string {
  const parts = [attempt.paid, attempt.route, attempt.canonicalInput, payment.canonicalPayload];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
