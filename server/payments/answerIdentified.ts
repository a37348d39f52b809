import { awaitSettlement } from './awaitSettlement.ts';
import { beginSettlement } from './beginSettlement.ts';
import { chargeStateOf, identifierState } from './chargeState.ts';
import { decodeStored } from './decodePayment.ts';
import type { PaymentRow } from './ledger/ledgerTypes.ts';
import { MalformedPaymentError } from './malformedPaymentError.ts';
import { offerOf, type PaymentContext } from './paymentContext.ts';
import type { PaymentAttempt, PaymentDecision } from './paymentTypes.ts';
import { recheckPayment } from './recheckRefused.ts';
import { refuseAnswered, refuseIdentifierInUse, refuseTooMany } from './refusals.ts';
import { replayEnds } from './replayWindow.ts';

/** Whether an attempt requests what the payment was made for. Equivalent spellings are one request. */
function isSameRequest({ paid, route, canonicalInput }: PaymentRow, attempt: PaymentAttempt): boolean {
  if (paid !== attempt.paid || route !== attempt.route) return false;
  return canonicalInput === attempt.canonicalInput || attempt.identifyInput?.(canonicalInput) === attempt.queryKey;
}

/** Settles or serves the payment that owns the identifier, like a retry with its own signature. */
async function joinOwner(
  context: PaymentContext,
  owner: PaymentRow,
  own: PaymentRow | undefined,
): Promise<PaymentDecision> {
  const payment = readOwner(context, owner);
  if (!payment) return refuseIdentifierInUse(identifierState(own, owner), 'undecodable');
  const settlement =
    context.settlements.get(owner.key) ??
    beginSettlement(context, offerOf(context, owner.paid), owner, payment.read, payment.terms, owner);
  return awaitSettlement(context, settlement, owner);
}

/** The stored payment; undefined if its network is no longer configured, or another version wrote its payload. */
function readOwner({ paymentNetworks, logger }: PaymentContext, { key, network, payload }: PaymentRow) {
  try {
    const envelope = decodeStored(payload);
    const read = paymentNetworks.get(network)?.read(envelope);
    return read && { read, terms: envelope.accepted };
  } catch (err) {
    if (!(err instanceof MalformedPaymentError)) throw err;
    logger.error({ payment: key, err }, 'The stored payload of a payment with an identifier cannot be decoded');
    return undefined;
  }
}

/** Loads the owner of the identifier. Its status is read first if it was refused and may have paid since. */
async function loadOwner(
  context: PaymentContext,
  identified: { wallet: string; identifier: string },
): Promise<PaymentRow | undefined> {
  const owner = await context.ledger.loadIdentified(identified);
  if (owner?.state !== 'refused' || !owner.mayStillPay) return owner;
  await recheckPayment(context, owner);
  return context.ledger.loadIdentified(identified);
}

/**
 * Answers a new signature from the payment of the same wallet that has its identifier. The new payment is neither recorded
 * nor settled. Its signature must have been verified: only the wallet's owner may read the answer.
 *
 * @param own the new payment's row, if it was refused before
 * @returns undefined if no other payment has the identifier, or that payment can no longer pay: the new one may settle
 */
export async function answerIdentified(
  context: PaymentContext,
  attempt: PaymentAttempt,
  { key, wallet, identifier, payer }: { key: string; wallet: string; identifier: string; payer: string },
  own: PaymentRow | undefined,
): Promise<PaymentDecision | undefined> {
  const owner = await loadOwner(context, { wallet, identifier });
  if (!owner || owner.key === key) return undefined;
  const refuseFor = (row: PaymentRow) =>
    row.mayStillPay ? refuseIdentifierInUse(identifierState(own, row), 'mayStillPay') : undefined;
  if (owner.state === 'refused') return refuseFor(owner);
  if (!isSameRequest(owner, attempt)) return refuseIdentifierInUse(identifierState(own, owner));
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
  const decision = await joinOwner(context, owner, own);
  if (decision.kind !== 'refuse') return decision;
  const ended = await context.ledger.load(owner.key);
  if (!ended) return decision.charged === false ? undefined : decision;
  return ended.state === 'refused' ? refuseFor(ended) : decision;
}
