import type { LateStatus } from './facilitator.ts';
import type { PaymentVerifier } from './paymentVerifier.ts';

/**
 * Status of a payment that was refused.
 *
 * @param since a position at which it was known not to have paid.
 * @throws {ChainUnreachableError} @throws {NodeRefusalError} the status cannot be read.
 */
export async function readLateStatus<Payment>(
  verifier: PaymentVerifier<Payment>,
  payment: Payment,
  since: bigint,
): Promise<LateStatus> {
  // Asked first: what is taken in between is then found below.
  const isOver = await verifier.isOver(payment, since);
  const status = await verifier.readStatus(payment, since);
  if (status.kind === 'settled') return status;
  return { kind: isOver ? 'over' : 'open' };
}
