import type { LateFate } from './facilitator.ts';
import type { PaymentWitness } from './paymentWitness.ts';

/**
 * What a witness sees of a payment that was refused.
 *
 * @param since a position at which it was known not to have paid.
 * @throws {ChainUnreachableError} @throws {NodeRefusalError} it cannot be told now.
 */
export async function readLateFate<Payment>(
  witness: PaymentWitness<Payment>,
  payment: Payment,
  since: bigint,
): Promise<LateFate> {
  // Asked first: what is taken in between is then found below.
  const isOver = await witness.isOver(payment, since);
  const fate = await witness.readFate(payment, since);
  if (fate.kind === 'settled') return fate;
  return { kind: isOver ? 'over' : 'open' };
}
