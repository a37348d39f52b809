import { waitFor } from '../time/waitFor.ts';
import { answerIdentified } from './answerIdentified.ts';
import { awaitSettlement } from './awaitSettlement.ts';
import { beginSettlement } from './beginSettlement.ts';
import { type ChargeState, chargeStateOf, chargeStates } from './chargeState.ts';
import { type AttemptFacts, type DecodedPayment, decodeAttempt, noMatch } from './decodeAttempt.ts';
import type { PaymentFacts, PaymentRow } from './ledger/ledgerTypes.ts';
import type { PaymentContext } from './paymentContext.ts';
import { matchesFingerprint, paymentFingerprint } from './paymentFingerprint.ts';
import type { PaymentAttempt, PaymentDecision } from './paymentTypes.ts';
import { toRecordedTerms } from './recordedTerms.ts';
import {
  refuseAnswered,
  refuseBlocked,
  refuseInvalid,
  refuseNoNetwork,
  refuseReused,
  refuseTooMany,
  refuseUnavailable,
  refuseUnknown,
  refuseUnread,
} from './refusals.ts';
import { replayEnds } from './replayWindow.ts';
import { obstacleCauses } from './settlementState.ts';
import { walletOf } from './walletOf.ts';

/** A payment on a withdrawn network does not wait longer than this for the network's state. */
const recheckDeadlineMs = 1_000;

/** Whether the terms of a configured network are known; its facilitator may have returned no fee payer yet. */
const hasTerms = ({ offers }: PaymentContext, { paid }: PaymentAttempt, network: string): boolean =>
  offers.findAll(paid)?.accepts.some((terms) => terms.network === network) ?? false;

/** The decision on a payment in the ledger that was answered, or belongs to another request; otherwise undefined. */
function decideKnown(
  context: PaymentContext,
  attempt: PaymentAttempt,
  { envelope, payment: { expiresAt }, identifier }: DecodedPayment,
  known: PaymentRow,
): PaymentDecision | undefined {
  const isAnswered = known.state === 'answered';
  const answered = refuseAnswered({ isFree: known.trialGroup !== undefined });
  // Before the comparison of fingerprints, so that the status does not reveal whether a guessed body matches.
  if (isAnswered && context.now() >= replayEnds(known, { identifier, expiresAt })) return answered;
  if (!matchesFingerprint(known.fingerprint, attempt, envelope.canonicalPayload)) {
    return refuseReused(chargeStateOf(known));
  }
  if (known.answer && known.paymentResponse) {
    return { kind: 'replay', answer: known.answer, paymentResponse: known.paymentResponse };
  }
  return isAnswered ? answered : undefined;
}

/**
 * Refuses a payment that is invalid, above its wallet's rate limit or blocked by `beforeCharge`; otherwise undefined.
 * @param state what is known about an earlier attempt with the payment
 */
async function verifyNew(
  context: PaymentContext,
  attempt: PaymentAttempt,
  { offer, envelope, requirement, payment, verifyPayload }: DecodedPayment,
  state: ChargeState,
): Promise<PaymentDecision | undefined> {
  const { accepted } = envelope;
  if (!requirement) {
    const isUnknown = context.paymentNetworks.has(accepted.network) && !hasTerms(context, attempt, accepted.network);
    return isUnknown ? refuseUnavailable(accepted.network, state) : noMatch(offer, state);
  }
  const verdict = await verifyPayload(requirement);
  if (verdict.kind === 'invalid') {
    // A new payment with these faults cannot pay, so its status on chain does not matter.
    const unpaid = state === chargeStates.statusUnread ? chargeStates.nothing : state;
    return refuseInvalid(
      offer,
      verdict.reason,
      verdict.detail,
      verdict.mayHavePaid ? chargeStates.mayHavePaid : unpaid,
    );
  }
  if (verdict.kind === 'unavailable') return refuseUnavailable(requirement.network, state);
  const { offers } = context;
  // Read again only for a valid signature, so that requests without one cannot cause chain reads.
  const known = offers.obstacleOf(requirement.network, attempt.paid);
  const read = known && (await waitFor(offers.recheck(requirement.network, attempt.paid), recheckDeadlineMs));
  const obstacle = read === 'late' ? known : read;
  if (obstacle) return refuseUnavailable(requirement.network, state, obstacleCauses[obstacle]);
  const wait = context.limitPayer(payment.payer);
  const wallet = walletOf({ network: requirement.network, payer: payment.payer });
  // A call above the wallet's limit still counts for its address, or it would have no limit at all.
  if (wait !== undefined) return refuseTooMany(payment.payer, wait, state);
  if (attempt.countForWallet && (await context.paidWallets.has(wallet))) attempt.countForWallet(wallet);
  // Only for a valid payment, so that requests without one cannot cause chain reads.
  const blocker = await attempt.beforeCharge?.();
  return blocker && refuseBlocked(blocker, state);
}

/**
 * Concurrent requests with one payment share one verification. Otherwise a payment that expires between them could be
 * charged for one request and refused as expired for the other, whose client would sign again.
 */
function verifyOnce(
  { verifying }: PaymentContext,
  fingerprint: string,
  verify: () => Promise<PaymentDecision | undefined>,
): Promise<PaymentDecision | undefined> {
  const current = verifying.get(fingerprint);
  if (current) return current;
  const verification = verify().finally(() => verifying.delete(fingerprint));
  verifying.set(fingerprint, verification);
  return verification;
}

/** The decision of the other payment that has the identifier, for a valid signature of the same wallet; otherwise undefined. */
async function decideIdentified(
  context: PaymentContext,
  attempt: PaymentAttempt,
  { envelope, requirement, payment, verifyPayload }: DecodedPayment,
  identifier: string,
  known: PaymentRow | undefined,
): Promise<PaymentDecision | undefined> {
  if (!requirement) return undefined;
  if ((await verifyPayload(requirement)).kind !== 'valid') return undefined;
  const { key, payer } = payment;
  const wallet = walletOf({ network: envelope.accepted.network, payer });
  const answered = await tryRead(context, key, () =>
    answerIdentified(context, attempt, { key, wallet, identifier, payer }, known),
  );
  return answered ? answered.value : refuseUnread();
}

/** The value that `read` returns; undefined if the ledger cannot be read. */
async function tryRead<T>(
  { logger }: PaymentContext,
  key: string,
  read: () => Promise<T>,
): Promise<{ value: T } | undefined> {
  try {
    return { value: await read() };
  } catch (err) {
    logger.error({ payment: key, err }, 'The payment ledger cannot be read');
    return undefined;
  }
}

/** Refuses with an unknown outcome if another request or replica is settling the payment: its payer must not sign again. */
async function refuseIfClaimed(
  context: PaymentContext,
  key: string,
  network: string,
): Promise<PaymentDecision | undefined> {
  if (context.settlements.has(key)) return refuseUnknown(network);
  const isClaimed = await tryRead(context, key, async () => {
    const row = await context.ledger.load(key);
    // A row in any other state belongs to another replica until that replica ends it or loses its lease.
    return row !== undefined && (row.state !== 'refused' || (await context.ledger.isHeldElsewhere(key)));
  });
  if (!isClaimed) return refuseUnread();
  return isClaimed.value ? refuseUnknown(network) : undefined;
}

/**
 * Decides on a PAYMENT-SIGNATURE: decodes it, loads it from the ledger, verifies a new one, settles and serves.
 *
 * A payment that is recorded as paid is honoured even if the offer has changed since.
 */
export async function decidePayment(context: PaymentContext, attempt: PaymentAttempt): Promise<PaymentDecision> {
  const facts: AttemptFacts = {};
  const decided = await decide(context, attempt, facts);
  const isUnpayable = decided.kind === 'refuse' && decided.status === 402 && !context.offers.find(attempt.paid);
  const decision = isUnpayable ? refuseNoNetwork(decided) : decided;
  if (decision.kind === 'refuse') {
    const { status, code, reason, detail } = decision;
    const { requestId, paid } = attempt;
    context.logger.info({ requestId, paid, status, code, reason, detail, ...facts }, 'Payment refused');
  }
  return decision;
}

async function decide(context: PaymentContext, attempt: PaymentAttempt, seen: AttemptFacts): Promise<PaymentDecision> {
  const decoded = decodeAttempt(context, attempt, seen);
  if ('kind' in decoded) return decoded;
  const { offer, requirement, payment, identifier } = decoded;
  const { accepted, canonicalPayload } = decoded.envelope;
  const { key, payer } = payment;
  const current = paymentFingerprint(attempt, canonicalPayload);

  const concurrent = { verification: context.verifying.get(current), settlement: context.settlements.get(key) };
  const loaded = await tryRead(context, key, () => context.ledger.load(key));
  if (!loaded) return refuseUnread();
  const known = loaded.value;
  const decided = known && decideKnown(context, attempt, decoded, known);
  if (decided) return decided;
  // A row of an earlier release keeps its fingerprint, so that its credit and answer stay redeemable.
  const fingerprint = known?.fingerprint ?? current;
  // A settlement in progress is not verified again: a refusal as expired would make its payer sign another payment.
  const ongoing = context.settlements.get(key);
  if (ongoing && ongoing.fingerprint !== fingerprint) return refuseReused(chargeStates.mayHavePaid);
  // A credit runs the engine again, so it counts towards the wallet's rate limit.
  if (!ongoing && known?.state === 'settled') {
    const wait = context.limitPayer(payer);
    if (wait !== undefined) return refuseTooMany(payer, wait, chargeStateOf(known));
  }
  // Only a payment that this service has not begun to settle may be answered from another one.
  if (identifier !== undefined && !ongoing && (!known || known.state === 'refused')) {
    const named = await decideIdentified(context, attempt, decoded, identifier, known);
    if (named) return named;
  }
  const mayHavePaid = ongoing || known?.state === 'sent' || known?.state === 'settled';
  if (!mayHavePaid) {
    // If a concurrent attempt failed during the ledger lookup, return its refusal, so that both callers get the same
    // result.
    const ended = concurrent.settlement?.fingerprint === fingerprint ? await concurrent.settlement.result : undefined;
    if (ended?.kind === 'refuse') return ended.refusal;
    const verify = () => verifyNew(context, attempt, decoded, known ? chargeStateOf(known) : chargeStates.statusUnread);
    const refusal = await (concurrent.verification ?? verifyOnce(context, fingerprint, verify));
    if (refusal) {
      const claimed = await refuseIfClaimed(context, key, accepted.network);
      // A refused payment for which a transaction was sent may have paid since, so only its status on chain is final.
      const wasSent = (known?.transactions.length ?? 0) > 0;
      if (claimed || !wasSent || refusal.kind !== 'refuse' || refusal.status !== 402) return claimed ?? refusal;
    }
  }

  const terms = requirement ?? accepted;
  const facts: PaymentFacts = {
    key,
    fingerprint,
    network: accepted.network,
    payer,
    paid: attempt.paid,
    route: attempt.route,
    canonicalInput: attempt.canonicalInput,
    payload: payment.encode(terms),
    terms: toRecordedTerms(terms),
    ...(identifier !== undefined && { identifier }),
    ...(attempt.client !== undefined && { client: attempt.client }),
  };
  const wallet = walletOf(facts);
  const settling = attempt.prepare ? context.preparations.beside(payment, wallet, attempt.prepare) : payment;
  const settlement = context.settlements.get(key) ?? beginSettlement(context, offer, facts, settling, terms, known);
  // A concurrent request may have started a settlement for another body.
  if (settlement.fingerprint !== fingerprint) return refuseReused(chargeStates.mayHavePaid);
  const decision = await awaitSettlement(context, settlement, facts);
  if (decision.kind === 'serve' && !decision.free) {
    context.paidWallets.add(wallet);
    context.preparations.settled(wallet);
  }
  const lostIdentifier = identifier !== undefined && decision.kind === 'refuse' && decision.code === 'PAYMENT_REUSED';
  // A concurrent request with another signature took the identifier first: both get its answer.
  return (lostIdentifier && (await decideIdentified(context, attempt, decoded, identifier, known))) || decision;
}
