import type { Admission, PaymentAttempt } from './cashierTypes.ts';
import {
  decodeEnvelope,
  isAuthorization,
  MalformedPaymentError,
  type PaymentEnvelope,
  parseAuthorization,
} from './decodePayment.ts';
import { type Desk, offerOf } from './desk.ts';
import type { SignedAuthorization } from './evm/authorization.ts';
import type { PaymentFacts } from './ledger/ledgerTypes.ts';
import { findRequirement, findTermsFault } from './matchOffer.ts';
import type { BuiltOffer, Requirement } from './offer.ts';
import { paymentFingerprint, paymentKey } from './paymentKey.ts';
import {
  refuseHindered,
  refuseMalformed,
  refuseReused,
  refuseTooMany,
  refuseUnavailable,
  refuseUnfit,
  refuseUnknown,
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
  authorization: SignedAuthorization,
): Promise<Admission | undefined> {
  const facilitator = requirement && desk.facilitators.get(requirement.network);
  if (!requirement || !facilitator) return noMatch(offer);
  const nowSeconds = Math.floor(desk.now() / 1000);
  const fault = findTermsFault(requirement, authorization, nowSeconds, desk.timings.expiryMarginSeconds);
  if (fault) return refuseUnfit(offer, fault.reason, fault.detail);
  const verdict = await facilitator.checkSignature(authorization);
  if (verdict.kind === 'invalid') return refuseUnfit(offer, 'invalid_exact_evm_signature', verdict.detail);
  if (verdict.kind === 'unavailable') return refuseUnavailable(requirement.network);
  const wait = desk.limitPayer(authorization.from);
  return wait === undefined ? undefined : refuseTooMany(authorization.from, wait);
}

/**
 * From a PAYMENT-SIGNATURE to an admission: decode, look the payment up, examine what is new, settle, serve.
 *
 * What the ledger knows as paid is honoured whatever the offer says by now.
 */
export async function admit(desk: Desk, attempt: PaymentAttempt): Promise<Admission> {
  const offer = offerOf(desk, attempt.paid);
  let envelope: PaymentEnvelope;
  let authorization: SignedAuthorization;
  let requirement: Requirement | undefined;
  try {
    envelope = decodeEnvelope(attempt.paymentHeader);
    requirement = findRequirement(offer.accepts, envelope.accepted);
    // Another scheme's payload, or another network's, may be well formed in a way that is not ours to read.
    if (!requirement && !isAuthorization(envelope.payload)) return noMatch(offer);
    authorization = parseAuthorization(envelope.payload);
  } catch (error) {
    if (error instanceof MalformedPaymentError) return refuseMalformed(error.message);
    throw error;
  }
  const { accepted, canonicalPayload } = envelope;
  const key = paymentKey(accepted, authorization);
  const fingerprint = paymentFingerprint(attempt, canonicalPayload);

  const known = await desk.ledger.load(key);
  if (known && known.fingerprint !== fingerprint) return refuseReused();
  if (known?.answer && known.paymentResponse) {
    return { kind: 'replay', answer: known.answer, paymentResponse: known.paymentResponse };
  }
  const mayHavePaid = known?.state === 'sent' || known?.state === 'settled';
  if (!mayHavePaid) {
    const [refusal, hindrance] = await Promise.all([
      examine(desk, offer, requirement, authorization),
      attempt.beforeCharge?.(),
    ]);
    if (refusal) return refusal;
    if (hindrance) return refuseHindered(hindrance);
  }

  const flying = desk.flights.get(key);
  if (flying && flying.fingerprint !== fingerprint) return refuseReused();
  const facts: PaymentFacts = {
    key,
    fingerprint,
    network: accepted.network,
    payer: authorization.from,
    paid: attempt.paid,
    route: attempt.route,
    canonicalInput: attempt.canonicalInput,
    payload: canonicalPayload,
  };
  const facilitator = desk.facilitators.get(accepted.network);
  // Sent before its network was taken out of the configuration: only that network could tell.
  if (!facilitator) return refuseUnknown(accepted.network);
  return board(desk, flying ?? takeOff(desk, facilitator, offer, facts, authorization), facts);
}
