import { type ChargeState, chargeStates } from './chargeState.ts';
import { decodeEnvelope, type PaymentEnvelope } from './decodePayment.ts';
import type { PayloadOutcome } from './facilitator.ts';
import { MalformedPaymentError } from './malformedPaymentError.ts';
import type { BuiltOffer, Requirement } from './offer.ts';
import { findClosedNetwork } from './openPaymentNetworks.ts';
import { offerOf, type PaymentContext } from './paymentContext.ts';
import { readIdentifier } from './paymentIdentifier.ts';
import type { NetworkPayment, PaymentNetwork } from './paymentNetwork.ts';
import type { PaymentAttempt, PaymentDecision } from './paymentTypes.ts';
import { refuseInvalid, refuseMalformed } from './refusals.ts';

/** For the log. `payer` is read from the payload, and its signature may be invalid. */
export interface AttemptFacts {
  network?: string;
  payer?: string;
}

/** Refuses a payment whose terms are not offered. */
export const noMatch = (offer: BuiltOffer, state: ChargeState = chargeStates.statusUnread): PaymentDecision =>
  refuseInvalid(
    offer,
    'No matching payment requirements',
    '`accepted` does not match any entry of accepts[]. Choose one entry, sign a payment for it and send the entry unchanged.',
    state,
  );

/** A decoded PAYMENT-SIGNATURE with the offer for the same product. */
export interface DecodedPayment {
  offer: BuiltOffer;
  envelope: PaymentEnvelope;
  /** The matching entry of `accepts[]`; undefined if the payment accepts other terms. */
  requirement: Requirement | undefined;
  payment: NetworkPayment;
  /**
   * Verifies terms and signature. A second call within a second gets the same result, because a contract wallet's
   * signature takes two requests to a node. A later one verifies again: the payment may have expired since.
   */
  verifyPayload(terms: Requirement): Promise<PayloadOutcome>;
  identifier: string | undefined;
}

/** Lifetime of a verification within one request. */
const verifiedMs = 1_000;

function verifyOnce({ now }: PaymentContext, payment: NetworkPayment): DecodedPayment['verifyPayload'] {
  let verified: { outcome: Promise<PayloadOutcome>; at: number } | undefined;
  return (terms) => {
    if (!verified || Math.abs(now() - verified.at) >= verifiedMs)
      verified = { outcome: payment.verifyPayload(terms, Math.floor(now() / 1000)), at: now() };
    return verified.outcome;
  };
}

/** Decodes a PAYMENT-SIGNATURE, or refuses it. */
export function decodeAttempt(
  context: PaymentContext,
  { paid, paymentHeader }: PaymentAttempt,
  seen: AttemptFacts,
): DecodedPayment | PaymentDecision {
  const offer = offerOf(context, paid);
  let requirement: Requirement | undefined;
  let paymentNetwork: PaymentNetwork | undefined;
  try {
    const envelope = decodeEnvelope(paymentHeader);
    requirement = context.offers.findAll(paid)?.find(envelope);
    const { network } = envelope.accepted;
    paymentNetwork = context.paymentNetworks.get(network) ?? findClosedNetwork(network);
    if (!paymentNetwork) return noMatch(offer);
    seen.network = paymentNetwork.network;
    const payment = paymentNetwork.read(envelope);
    seen.payer = payment.payer;
    const identifier = readIdentifier(envelope);
    return { offer, envelope, requirement, payment, verifyPayload: verifyOnce(context, payment), identifier };
  } catch (error) {
    if (!(error instanceof MalformedPaymentError)) throw error;
    // With terms that are not offered, the payload may have a form that this service cannot read.
    return paymentNetwork && !requirement ? noMatch(offer) : refuseMalformed(error.message);
  }
}
