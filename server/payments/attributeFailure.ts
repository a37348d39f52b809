import { waitFor } from '../time/waitFor.ts';
import type { SettleOutcome, VerifyOutcome } from './facilitator.ts';
import type { PaymentRow } from './ledger/ledgerTypes.ts';
import type { PaymentContext } from './paymentContext.ts';
import { obstacleCauses, tokenObstacles } from './settlementState.ts';

/** A refusal does not wait longer than this for the state of the network. */
const deadlineMs = 1_000;

/**
 * x402's codes of faults that only the payer can cause: its balance, its nonce, its signature or its times. Other codes
 * are also returned when the token is paused or blocks the payee.
 */
const payerFaults = /insufficient|nonce_already_used|signature|valid_before|valid_after/;

/**
 * Attributes a failed settlement or verification. A failure of the token or the payee is not the payer's: the payer is not
 * paused and gets the answer of an unavailable network. The network is withdrawn before the payer is answered.
 */
export async function attributeFailure<Outcome extends SettleOutcome | VerifyOutcome>(
  { offers }: Pick<PaymentContext, 'offers'>,
  { network, paid }: Pick<PaymentRow, 'network' | 'paid'>,
  outcome: Outcome,
): Promise<Outcome | Extract<SettleOutcome, { kind: 'unavailable' }>> {
  if (outcome.kind === 'unavailable') {
    await waitFor(offers.recheckAfterFailure(network, paid), deadlineMs);
    return outcome;
  }
  if (outcome.kind !== 'refused' || payerFaults.test(outcome.reason) || outcome.mayHavePaid) return outcome;
  const obstacle = await waitFor(offers.recheck(network, paid), deadlineMs);
  if (obstacle === undefined || obstacle === 'late' || !tokenObstacles.includes(obstacle)) return outcome;
  return { kind: 'unavailable', detail: obstacleCauses[obstacle] };
}
