import type { PaymentRow } from './ledger/ledgerTypes.ts';

/** An observer of the chain does not know a payment's identifier, so only its client can ask for the answer again. */
const namedMs = 24 * 3_600_000;
const unnamedMs = 10 * 60_000;

/**
 * Until when the answer of a payment is sent again, in milliseconds since the epoch.
 *
 * The parts of a payment without an identifier are public once it is on chain. Anyone can send it again, so the time is
 * short: until it expires, at most ten minutes.
 *
 * @param expiresAt when the payment itself expires; undefined where it does not
 */
export function replayEnds(
  { answeredAt = 0 }: Pick<PaymentRow, 'answeredAt'>,
  {
    identifier,
    expiresAt = Number.POSITIVE_INFINITY,
  }: { identifier: string | undefined; expiresAt: number | undefined },
): number {
  return identifier === undefined ? Math.min(answeredAt + unnamedMs, expiresAt) : answeredAt + namedMs;
}
