import type { Admission, PaymentAttempt } from './cashierTypes.ts';
import { decodeEnvelope, type PaymentEnvelope } from './decodePayment.ts';
import { type Desk, offerOf } from './desk.ts';
import type { PaymentFacts, PaymentRow } from './ledger/ledgerTypes.ts';
import { MalformedPaymentError } from './malformedPaymentError.ts';
import type { BuiltOffer, Requirement } from './offer.ts';
import { findClosedRail } from './openRails.ts';
import { paymentFingerprint } from './paymentFingerprint.ts';
import { readIdentifier } from './paymentIdentifier.ts';
import type { Rail, RailPayment } from './rail.ts';
import {
  refuseForgotten,
  refuseHindered,
  refuseMalformed,
  refuseReused,
  refuseTooMany,
  refuseUnavailable,
  refuseUnfit,
  refuseUnknown,
  refuseUnread,
} from './refusals.ts';
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
  if (verdict.kind === 'invalid') return refuseUnfit(offer, verdict.reason, verdict.detail);
  if (verdict.kind === 'unavailable') return refuseUnavailable(requirement.network);
  const wait = desk.limitPayer(payment.payer);
  return wait === undefined ? undefined : refuseTooMany(payment.payer, wait);
}

/** Undefined when the ledger does not answer. */
async function lookUp({ ledger, logger }: Desk, key: string): Promise<{ row: PaymentRow | undefined } | undefined> {
  try {
    return { row: await ledger.load(key) };
  } catch (err) {
    logger.error({ payment: key, err }, 'The payment ledger does not answer');
    return undefined;
  }
}

/**
 * From a PAYMENT-SIGNATURE to an admission: decode, look the payment up, examine what is new, settle, serve.
 *
 * What the ledger knows as paid is honoured whatever the offer says by now.
 */
export async function admit(desk: Desk, attempt: PaymentAttempt): Promise<Admission> {
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
    payment = rail.read(envelope);
    identifier = readIdentifier(envelope);
  } catch (error) {
    if (!(error instanceof MalformedPaymentError)) throw error;
    // On terms that are none of ours the payload may be well formed in a way that is not ours to read.
    return rail && !requirement ? noMatch(offer) : refuseMalformed(error.message);
  }
  const { accepted, canonicalPayload } = envelope;
  const { key, payer } = payment;
  const fingerprint = paymentFingerprint(attempt, canonicalPayload);

  const looked = await lookUp(desk, key);
  // Without the ledger nothing is tried; what it knows of this payment will count when it is back.
  if (!looked) return refuseUnread();
  const known = looked.row;
  if (known && known.fingerprint !== fingerprint) return refuseReused();
  if (known?.answer && known.paymentResponse) {
    return { kind: 'replay', answer: known.answer, paymentResponse: known.paymentResponse };
  }
  if (known?.state === 'answered') return refuseForgotten();
  // Somebody is settling it: it was found good then, and whatever it is now, its payer must not sign anew.
  const flying = desk.flights.get(key);
  if (flying && flying.fingerprint !== fingerprint) return refuseReused();
  const mayHavePaid = flying || known?.state === 'sent' || known?.state === 'settled';
  if (!mayHavePaid) {
    const [refusal, hindrance] = await Promise.all([
      examine(desk, offer, requirement, payment),
      attempt.beforeCharge?.(),
    ]);
    const turnedAway = refusal ?? (hindrance && refuseHindered(hindrance));
    if (turnedAway) {
      const since = desk.flights.has(key) ? 'begun' : await lookUp(desk, key);
      if (!since) return refuseUnread();
      // Begun with meanwhile, or in another replica's hands until it has ended or that one is dead.
      const isInHand = since === 'begun' || (since.row && since.row.state !== 'refused');
      return isInHand ? refuseUnknown(accepted.network) : turnedAway;
    }
  }

  const facts: PaymentFacts = {
    key,
    fingerprint,
    network: accepted.network,
    payer,
    paid: attempt.paid,
    route: attempt.route,
    canonicalInput: attempt.canonicalInput,
    payload: canonicalPayload,
    ...(identifier !== undefined && { identifier }),
  };
  const flight = desk.flights.get(key) ?? takeOff(desk, offer, facts, payment, requirement ?? accepted);
  // Begun by somebody else while this one was looked at.
  if (flight.fingerprint !== fingerprint) return refuseReused();
  return board(desk, flight, facts);
}
