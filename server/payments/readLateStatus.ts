import type { LateStatus } from './facilitator.ts';
import type { PaymentVerifier } from './paymentVerifier.ts';

/**
 * On-chain status of a payment, including whether it can still pay.
 *
 * @param since a position at which the payment had not paid; undefined if nothing was journaled for it
 * @throws {ChainUnreachableError} @throws {JsonRpcError} the status cannot be read.
 */
export async function readLateStatus<Payment>(
  verifier: PaymentVerifier<Payment>,
  payment: Payment,
  since: bigint | undefined,
): Promise<LateStatus> {
  // Read first, so that a transaction included between the two reads is found by the second.
  const hasExpired = await verifier.hasExpired(payment, since ?? 0n);
  const status = await verifier.readStatus(payment, since);
  if (status.kind === 'settled') return status;
  // A status of `unused` is older than the expiry: its node is behind the one that returned the time. A refusal is final: an
  // authorization that was used otherwise never pays. As `open` it would be rechecked for ever.
  return { kind: hasExpired && status.kind !== 'unused' ? 'expired' : 'open' };
}
