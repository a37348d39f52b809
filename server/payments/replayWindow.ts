import type { PaymentRow } from './ledger/ledgerTypes.ts';

/** A payment's identifier is not on chain, so only its client can request the answer again. */
const identifiedMs = 24 * 3_600_000;
const unidentifiedMs = 10 * 60_000;

/**
 * End of the time in which a payment's answer is replayed, in milliseconds since the epoch.
 *
 * All parts of a payment without an identifier are public once it is on chain, so anyone can send it again. Its answer is
 * therefore replayed only until the payment expires, for at most ten minutes.
 *
 * @param expiresAt expiry of the payment in milliseconds since the epoch; undefined if it does not expire at a time
 */
export function replayEnds(
  { answeredAt = 0 }: Pick<PaymentRow, 'answeredAt'>,
  {
    identifier,
    expiresAt = Number.POSITIVE_INFINITY,
  }: { identifier: string | undefined; expiresAt: number | undefined },
): number {
  return identifier === undefined ? Math.min(answeredAt + unidentifiedMs, expiresAt) : answeredAt + identifiedMs;
}
