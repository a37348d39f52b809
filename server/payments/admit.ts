import type { Admission, PaymentAttempt } from './cashierTypes.ts';
import { decodeEnvelope, type PaymentEnvelope } from './decodePayment.ts';
import { type Desk, offerOf } from './desk.ts';
import type { PaymentFacts } from './ledger/ledgerTypes.ts';
import { MalformedPaymentError } from './malformedPaymentError.ts';
import type { BuiltOffer, Requirement } from './offer.ts';
import { findClosedRail } from './openRails.ts';
import { matchesFingerprint, paymentFingerprint } from './paymentFingerprint.ts';
import { readIdentifier } from './paymentIdentifier.ts';
import type { Rail, RailPayment } from './rail.ts';
import {
  refuseAnswered,
  refuseHindered,
  refuseMalformed,
  refuseReused,
  refuseTooMany,
  refuseUnavailable,
  refuseUnfit,
  refuseUnknown,
  refuseUnread,
} from './refusals.ts';
import { replayEnds } from './replayWindow.ts';
import { board } from './serve.ts';
import { takeOff } from './takeOff.ts';

const noMatch = (offer: BuiltOffer): Admission =>
  refuseUnfit(
    offer,
    'No matching payment requirements',
    'The accepted terms are none of those offered: choose one entry of accepts[] and send it unchanged.',
  );

/** Everything for which a payment that is not known to have moved money can be turned away. */
async function examine(
  desk: Desk,
  offer: BuiltOffer,
  requirement: Requirement | undefined,
  payment: RailPayment,
): Promise<Admission | undefined> {
  if (!requirement) return noMatch(offer);
  const verdict = await payment.examine(requirement, Math.floor(desk.now() / 1000));
  if (verdict.kind === 'invalid') return refuseUnfit(offer, verdict.reason, verdict.detail, verdict.mayHavePaid);
  if (verdict.kind === 'unavailable') return refuseUnavailable(requirement.network);
  const wait = desk.limitPayer(payment.payer);
  return wait === undefined ? undefined : refuseTooMany(payment.payer, wait);
}

/**
 * One look for all who send the same at the same time: of a payment that runs out meanwhile, nobody may be told so and
 * sent away to sign anew while another one's good verdict has it charged.
 */
function examineOnce(
  { examining }: Desk,
  fingerprint: string,
  look: () => Promise<Admission | undefined>,
): Promise<Admission | undefined> {
  const begun = examining.get(fingerprint);
  if (begun) return begun;
  const looking = look().finally(() => examining.delete(fingerprint));
  examining.set(fingerprint, looking);
  return looking;
}

/** Undefined when the ledger does not answer. */
async function orUnread<T>({ logger }: Desk, key: string, look: () => Promise<T>): Promise<{ value: T } | undefined> {
  try {
    return { value: await look() };
  } catch (err) {
    logger.error({ payment: key, err }, 'The payment ledger does not answer');
    return undefined;
  }
}

/** What to say instead when somebody has begun with it meanwhile, or tries it anew: its payer must not sign another. */
async function findInHand(desk: Desk, key: string, network: string): Promise<Admission | undefined> {
  if (desk.flights.has(key)) return refuseUnknown(network);
  const isInHand = await orUnread(desk, key, async () => {
    const row = await desk.ledger.load(key);
    // Otherwise in another replica's hands until it has ended or that one is dead.
    return row !== undefined && (row.state !== 'refused' || (await desk.ledger.isHeldElsewhere(key)));
  });
  if (!isInHand) return refuseUnread();
  return isInHand.value ? refuseUnknown(network) : undefined;
}

/**
 * From a PAYMENT-SIGNATURE to an admission: decode, look the payment up, examine what is new, settle, serve.
 *
 * What the ledger knows as paid is honoured whatever the offer says by now.
 */
export async function admit(desk: Desk, attempt: PaymentAttempt): Promise<Admission> {
  const facts: AttemptFacts = {};
  const admission = await decide(desk, attempt, facts);
  if (admission.kind === 'refuse') {
    const { status, code, reason, detail } = admission;
    const { requestId, paid } = attempt;
    desk.logger.info({ requestId, paid, status, code, reason: reason ?? detail, ...facts }, 'Payment refused');
  }
  return admission;
}

/** What is known of an attempt once it is decoded; the payer is not verified yet. */
interface AttemptFacts {
  network?: string;
  payer?: string;
}

async function decide(desk: Desk, attempt: PaymentAttempt, seen: AttemptFacts): Promise<Admission> {
  const offer = offerOf(desk, attempt.paid);
  let envelope: PaymentEnvelope;
  let requirement: Requirement | undefined;
  let rail: Rail | undefined;
  let payment: RailPayment;
  let identifier: string | undefined;
  try {
    envelope = decodeEnvelope(attempt.paymentHeader);
    requirement = offer.find(envelope);
    rail = desk.rails.get(envelope.accepted.network) ?? findClosedRail(envelope.accepted.network);
    if (!rail) return noMatch(offer);
    seen.network = rail.network;
    payment = rail.read(envelope);
    seen.payer = payment.payer;
    identifier = readIdentifier(envelope);
  } catch (error) {
    if (!(error instanceof MalformedPaymentError)) throw error;
    // On terms that are none of ours the payload may be well formed in a way that is not ours to read.
    return rail && !requirement ? noMatch(offer) : refuseMalformed(error.message);
  }
  const { accepted, canonicalPayload } = envelope;
  const { key, payer } = payment;
  const current = paymentFingerprint(attempt, canonicalPayload);

  const beside = { look: desk.examining.get(current), flight: desk.flights.get(key) };
  const looked = await orUnread(desk, key, () => desk.ledger.load(key));
  // Without the ledger nothing is tried; what it knows of this payment will count when it is back.
  if (!looked) return refuseUnread();
  const known = looked.value;
  // Before the fingerprint: whether a body matches is nobody's business once the answer is no longer sent.
  if (known?.state === 'answered' && desk.now() >= replayEnds(known, { identifier, expiresAt: payment.expiresAt })) {
    return refuseAnswered({ isFree: known.trialGroup !== undefined });
  }
  if (known && !matchesFingerprint(known.fingerprint, attempt, canonicalPayload)) return refuseReused();
  // A row of an earlier release keeps its fingerprint, so that its credit and its answer stay with this payment.
  const fingerprint = known?.fingerprint ?? current;
  if (known?.answer && known.paymentResponse) {
    return { kind: 'replay', answer: known.answer, paymentResponse: known.paymentResponse };
  }
  if (known?.state === 'answered') return refuseAnswered({ isFree: known.trialGroup !== undefined });
  // Somebody is settling it: it was found good then, and whatever it is now, its payer must not sign anew.
  const flying = desk.flights.get(key);
  if (flying && flying.fingerprint !== fingerprint) return refuseReused();
  // A credit runs the engine again, so it counts for the wallet's limit.
  if (!flying && known?.state === 'settled') {
    const wait = desk.limitPayer(payer);
    if (wait !== undefined) return refuseTooMany(payer, wait);
  }
  const mayHavePaid = flying || known?.state === 'sent' || known?.state === 'settled';
  if (!mayHavePaid) {
    // Who was at it came to nothing while the ledger was asked: of two tries at once none is sent away and one charged.
    const ended = beside.flight?.fingerprint === fingerprint ? await beside.flight.settling : undefined;
    if (ended?.kind === 'refuse') return ended.refusal;
    const lookAnew = async () => {
      const refusal = await examine(desk, offer, requirement, payment);
      if (refusal) return refusal;
      // Only for a valid payment, so that unpaid requests cannot cause chain reads.
      const hindrance = await attempt.beforeCharge?.();
      return hindrance && refuseHindered(hindrance);
    };
    const turnedAway = await (beside.look ?? examineOnce(desk, fingerprint, lookAnew));
    if (turnedAway) return (await findInHand(desk, key, accepted.network)) ?? turnedAway;
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
  const flight = desk.flights.get(key) ?? takeOff(desk, offer, facts, payment, requirement ?? accepted, known);
  // Begun by somebody else while this one was looked at.
  if (flight.fingerprint !== fingerprint) return refuseReused();
  return board(desk, flight, facts);
}
