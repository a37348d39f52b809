import { awaitSettlement } from './awaitSettlement.ts';
import { beginSettlement } from './beginSettlement.ts';
import { decodeEnvelope, type PaymentEnvelope } from './decodePayment.ts';
import type { PaymentFacts } from './ledger/ledgerTypes.ts';
import { MalformedPaymentError } from './malformedPaymentError.ts';
import type { BuiltOffer, Requirement } from './offer.ts';
import { findClosedNetwork } from './openPaymentNetworks.ts';
import { offerOf, type PaymentContext } from './paymentContext.ts';
import { matchesFingerprint, paymentFingerprint } from './paymentFingerprint.ts';
import { readIdentifier } from './paymentIdentifier.ts';
import type { NetworkPayment, PaymentNetwork } from './paymentNetwork.ts';
import type { PaymentAttempt, PaymentDecision } from './paymentTypes.ts';
import {
  refuseAnswered,
  refuseBlocked,
  refuseInvalid,
  refuseMalformed,
  refuseReused,
  refuseTooMany,
  refuseUnavailable,
  refuseUnknown,
  refuseUnread,
} from './refusals.ts';
import { replayEnds } from './replayWindow.ts';

const noMatch = (offer: BuiltOffer): PaymentDecision =>
  refuseInvalid(
    offer,
    'No matching payment requirements',
    '`accepted` does not match any entry of accepts[]. Choose one entry, sign a payment for it and send the entry unchanged.',
  );

/** Refuses an invalid payment, or one of a wallet above its rate limit; undefined if it can be settled. */
async function verifyPayment(
  context: PaymentContext,
  offer: BuiltOffer,
  requirement: Requirement | undefined,
  payment: NetworkPayment,
): Promise<PaymentDecision | undefined> {
  if (!requirement) return noMatch(offer);
  const verdict = await payment.verifyPayload(requirement, Math.floor(context.now() / 1000));
  if (verdict.kind === 'invalid') return refuseInvalid(offer, verdict.reason, verdict.detail, verdict.mayHavePaid);
  if (verdict.kind === 'unavailable') return refuseUnavailable(requirement.network);
  const wait = context.limitPayer(payment.payer);
  return wait === undefined ? undefined : refuseTooMany(payment.payer, wait);
}

/**
 * Concurrent requests with one payment share one verification. Otherwise a payment that expires between them could be
 * charged for one request and refused as expired for the other, whose client would sign again.
 */
function verifyOnce(
  { verifying }: PaymentContext,
  fingerprint: string,
  verifyNew: () => Promise<PaymentDecision | undefined>,
): Promise<PaymentDecision | undefined> {
  const current = verifying.get(fingerprint);
  if (current) return current;
  const verification = verifyNew().finally(() => verifying.delete(fingerprint));
  verifying.set(fingerprint, verification);
  return verification;
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
  const decision = await decide(context, attempt, facts);
  if (decision.kind === 'refuse') {
    const { status, code, reason, detail } = decision;
    const { requestId, paid } = attempt;
    context.logger.info({ requestId, paid, status, code, reason: reason ?? detail, ...facts }, 'Payment refused');
  }
  return decision;
}

/** For the log. `payer` is read from the payload, and its signature may be invalid. */
interface AttemptFacts {
  network?: string;
  payer?: string;
}

async function decide(context: PaymentContext, attempt: PaymentAttempt, seen: AttemptFacts): Promise<PaymentDecision> {
  const offer = offerOf(context, attempt.paid);
  let envelope: PaymentEnvelope;
  let requirement: Requirement | undefined;
  let paymentNetwork: PaymentNetwork | undefined;
  let payment: NetworkPayment;
  let identifier: string | undefined;
  try {
    envelope = decodeEnvelope(attempt.paymentHeader);
    requirement = offer.find(envelope);
    paymentNetwork =
      context.paymentNetworks.get(envelope.accepted.network) ?? findClosedNetwork(envelope.accepted.network);
    if (!paymentNetwork) return noMatch(offer);
    seen.network = paymentNetwork.network;
    payment = paymentNetwork.read(envelope);
    seen.payer = payment.payer;
    identifier = readIdentifier(envelope);
  } catch (error) {
    if (!(error instanceof MalformedPaymentError)) throw error;
    // With terms that are not offered, the payload may have a form that this service cannot read.
    return paymentNetwork && !requirement ? noMatch(offer) : refuseMalformed(error.message);
  }
  const { accepted, canonicalPayload } = envelope;
  const { key, payer } = payment;
  const current = paymentFingerprint(attempt, canonicalPayload);

  const concurrent = { verification: context.verifying.get(current), settlement: context.settlements.get(key) };
  const loaded = await tryRead(context, key, () => context.ledger.load(key));
  if (!loaded) return refuseUnread();
  const known = loaded.value;
  // Before the comparison of fingerprints, so that the status does not reveal whether a guessed body matches.
  if (known?.state === 'answered' && context.now() >= replayEnds(known, { identifier, expiresAt: payment.expiresAt })) {
    return refuseAnswered({ isFree: known.trialGroup !== undefined });
  }
  if (known && !matchesFingerprint(known.fingerprint, attempt, canonicalPayload)) return refuseReused();
  // A row of an earlier release keeps its fingerprint, so that its credit and answer stay redeemable.
  const fingerprint = known?.fingerprint ?? current;
  if (known?.answer && known.paymentResponse) {
    return { kind: 'replay', answer: known.answer, paymentResponse: known.paymentResponse };
  }
  if (known?.state === 'answered') return refuseAnswered({ isFree: known.trialGroup !== undefined });
  // A settlement in progress is not verified again: a refusal as expired would make its payer sign another payment.
  const ongoing = context.settlements.get(key);
  if (ongoing && ongoing.fingerprint !== fingerprint) return refuseReused();
  // A credit runs the engine again, so it counts towards the wallet's rate limit.
  if (!ongoing && known?.state === 'settled') {
    const wait = context.limitPayer(payer);
    if (wait !== undefined) return refuseTooMany(payer, wait);
  }
  const mayHavePaid = ongoing || known?.state === 'sent' || known?.state === 'settled';
  if (!mayHavePaid) {
    // If a concurrent attempt failed during the ledger lookup, return its refusal, so that both callers get the same
    // result.
    const ended = concurrent.settlement?.fingerprint === fingerprint ? await concurrent.settlement.result : undefined;
    if (ended?.kind === 'refuse') return ended.refusal;
    const verifyNew = async () => {
      const refusal = await verifyPayment(context, offer, requirement, payment);
      if (refusal) return refusal;
      // Only for a valid payment, so that requests without one cannot cause chain reads.
      const blocker = await attempt.beforeCharge?.();
      return blocker && refuseBlocked(blocker);
    };
    const refusal = await (concurrent.verification ?? verifyOnce(context, fingerprint, verifyNew));
    if (refusal) return (await refuseIfClaimed(context, key, accepted.network)) ?? refusal;
  }

  const facts: PaymentFacts = {
    key,
    fingerprint,
    network: accepted.network,
    payer,
    paid: attempt.paid,
    route: attempt.route,
    canonicalInput: attempt.canonicalInput,
    payload: payment.encode(requirement ?? accepted),
    ...(identifier !== undefined && { identifier }),
    ...(attempt.client !== undefined && { client: attempt.client }),
  };
  const settlement =
    context.settlements.get(key) ?? beginSettlement(context, offer, facts, payment, requirement ?? accepted, known);
  // A concurrent request may have started a settlement for another body.
  if (settlement.fingerprint !== fingerprint) return refuseReused();
  return awaitSettlement(context, settlement, facts);
}
