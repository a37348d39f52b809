import { chargeStates, unsentState } from './chargeState.ts';
import type { AcceptedTerms } from './decodePayment.ts';
import type { PaymentLedger, PaymentRow } from './ledger/ledgerTypes.ts';
import type { BuiltOffer } from './offer.ts';
import type { PaymentContext } from './paymentContext.ts';
import type { NetworkPayment } from './paymentNetwork.ts';
import {
  concurrencyLimit,
  refuseInvalid,
  refuseLimited,
  refusePaused,
  refuseUnsent,
  refuseUnsettled,
} from './refusals.ts';
import type { SettlementResult } from './settlement.ts';
import { walletOf } from './walletOf.ts';

export type ReserveClaim = Awaited<ReturnType<PaymentLedger['reserve']>>;

/** A refusal, and the reason to store in the ledger. */
type Refused = Extract<SettlementResult, { kind: 'refuse' }> & { reason: string };

/**
 * Reserves the amount of a new payment. A payment may wait here for other payments of its wallet to end.
 *
 * @returns `claim` is undefined for a sent payment, which keeps its reservation
 */
export async function reservePayment(
  context: PaymentContext,
  offer: BuiltOffer,
  { row, payment, terms }: { row: PaymentRow; payment: NetworkPayment; terms: AcceptedTerms },
  reserve: () => Promise<ReserveClaim>,
): Promise<{ kind: 'reserved'; claim: ReserveClaim | undefined } | Refused> {
  const { network, payer } = row;
  if (row.transactions.length > 0 && row.state !== 'refused') return { kind: 'reserved', claim: undefined };
  const isLimited = payment.spendsOurGas;
  const wasValid = !hasExpired(context, payment);
  const claim = await (isLimited ? context.turns.reserve(walletOf(row), reserve) : reserve());
  if (claim.kind === 'full') {
    return {
      kind: 'refuse',
      reason: 'limited',
      refusal: refuseLimited({ ...concurrencyLimit(payer), state: unsentState(row) }),
    };
  }
  // A payment that had expired before the wait is settled anyway: a concurrent request may already have sent it.
  if (isLimited && wasValid && hasExpired(context, payment)) {
    const expired = await refuseExpired(context, offer, { row, payment, terms });
    if (expired) return expired;
  }
  if (claim.kind !== 'paused') return { kind: 'reserved', claim };

  // Settling a used authorization costs no gas, and determines whether it paid us in another transaction.
  const verdict = await payment.verify();
  if (verdict.kind === 'unavailable') {
    const refusal = refuseUnsent(network, { state: unsentState(row) });
    return { kind: 'refuse', reason: 'unavailable', refusal };
  }
  if (verdict.kind === 'refused' && verdict.mayHavePaid) {
    const refusal = refuseUnsettled(offer, { ...verdict, network, payer });
    return { kind: 'refuse', reason: verdict.reason, refusal };
  }
  if (verdict.kind === 'used') return { kind: 'reserved', claim };
  return {
    kind: 'refuse',
    reason: 'paused',
    refusal: refusePaused(payer, Math.ceil(claim.forMs / 1000), unsentState(row)),
  };
}

const hasExpired = ({ now, timings }: PaymentContext, { expiresAt }: NetworkPayment): boolean =>
  expiresAt !== undefined && expiresAt < now() + timings.expiryMarginSeconds * 1_000;

async function refuseExpired(
  { now }: PaymentContext,
  offer: BuiltOffer,
  { row, payment, terms }: { row: PaymentRow; payment: NetworkPayment; terms: AcceptedTerms },
): Promise<Refused | undefined> {
  const verdict = await payment.verifyPayload(terms, Math.floor(now() / 1000));
  if (verdict.kind !== 'invalid') return undefined;
  const state = verdict.mayHavePaid || row.mayStillPay ? chargeStates.mayHavePaid : chargeStates.nothing;
  const refusal = refuseInvalid(offer, verdict.reason, verdict.detail, state);
  return { kind: 'refuse', reason: verdict.reason, refusal };
}
