import { createHash } from 'node:crypto';
import type { PaymentAttempt } from './cashierTypes.ts';

/**
 * What binds a payment to one request: sha256, hex, over route, input and exact payload.
 *
 * What identifies a payment is public once it is on chain, so the key alone must open nothing.
 */
export function paymentFingerprint(attempt: PaymentAttempt, canonicalPayload: string): string {
  const parts = [attempt.paid, attempt.route, attempt.canonicalInput, canonicalPayload];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
