import { createHash } from 'node:crypto';
import type { PaymentAttempt } from './paymentTypes.ts';

const version = 'v2:';

/**
 * Binds a payment to one query: `v2:` and the sha256, in hex, of product, route, query key and exact payload.
 * The key of a payment is public once it is on chain, so the key alone must not give access to an answer.
 */
export function paymentFingerprint({ paid, route, queryKey }: PaymentAttempt, canonicalPayload: string): string {
  return version + digest([paid, route, queryKey, canonicalPayload]);
}

/**
 * Whether a stored fingerprint belongs to this attempt. Fingerprints without a version are from earlier releases, which
 * hashed the input instead of the query key: they match the identical input only.
 */
export function matchesFingerprint(stored: string, attempt: PaymentAttempt, canonicalPayload: string): boolean {
  if (stored.startsWith(version)) return stored === paymentFingerprint(attempt, canonicalPayload);
  return stored === digest([attempt.paid, attempt.route, attempt.canonicalInput, canonicalPayload]);
}

function digest(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
