import { awaitSettlement } from './awaitSettlement.ts';
import { beginSettlement } from './beginSettlement.ts';
import { chargeStateOf } from './chargeState.ts';
import { decodeStored } from './decodePayment.ts';
import type { PaymentRow } from './ledger/ledgerTypes.ts';
import { offerOf, type PaymentContext } from './paymentContext.ts';
import type { PaymentAttempt, PaymentDecision } from './paymentTypes.ts';
import { refuseAnswered, refuseIdentifierInUse, refuseTooMany } from './refusals.ts';
import { replayEnds } from './replayWindow.ts';

/** Whether an attempt requests what the payment was made for. Equivalent spellings are one request. */
function isSameRequest({ paid, route, canonicalInput }: PaymentRow, attempt: PaymentAttempt): boolean {
  if (paid !== attempt.paid || route !== attempt.route) return false;
  return canonicalInput === attempt.canonicalInput || attempt.identifyInput?.(canonicalInput) === attempt.queryKey;
}

/** Settles or serves the payment that owns the identifier, like a retry with its own signature. */
async function joinOwner(context: PaymentContext, owner: PaymentRow): Promise<PaymentDecision | undefined> {
  const paymentNetwork = context.paymentNetworks.get(owner.network);
  if (!paymentNetwork) return refuseIdentifierInUse();
  const envelope = decodeStored(owner.payload);
  const settlement =
    context.settlements.get(owner.key) ??
    beginSettlement(
      context,
      offerOf(context, owner.paid),
      owner,
      paymentNetwork.read(envelope),
      envelope.accepted,
      owner,
    );
  const decision = await awaitSettlement(context, settlement, owner);
  // The owner is known not to have paid: its identifier is free, and the new payment may settle.
  return decision.kind === 'refuse' && decision.charged === false ? undefined : decision;
}

/**
 * Answers a new signature from the payment of the same wallet that has its identifier. The new payment is neither recorded
 * nor settled. Its signature must have been verified: only the wallet's owner may read the answer.
 *
 * @returns undefined if no other payment has the identifier, or that payment is known not to have paid
 */
export async function answerIdentified(
  context: PaymentContext,
  attempt: PaymentAttempt,
  { key, wallet, identifier, payer }: { key: string; wallet: string; identifier: string; payer: string },
): Promise<PaymentDecision | undefined> {
  const owner = await context.ledger.loadIdentified({ wallet, identifier });
  if (!owner || owner.key === key || owner.state === 'refused') return undefined;
  if (!isSameRequest(owner, attempt)) return refuseIdentifierInUse();
  if (owner.state === 'answered') {
    const isReplayed = context.now() < replayEnds(owner, { identifier, expiresAt: undefined });
    return isReplayed && owner.answer && owner.paymentResponse
      ? { kind: 'replay', answer: owner.answer, paymentResponse: owner.paymentResponse }
      : refuseAnswered({ isFree: owner.trialGroup !== undefined });
  }
  // A credit runs the engine again, so it counts towards the wallet's rate limit.
  if (owner.state === 'settled' && !context.settlements.has(owner.key)) {
    const wait = context.limitPayer(payer);
    if (wait !== undefined) return refuseTooMany(payer, wait, chargeStateOf(owner));
  }
  return joinOwner(context, owner);
}
