import { encodePaymentResponseHeader } from '@x402/core/http';
import type { BuiltOffer } from './offer.ts';
import type { ChargeBlocker, PaymentDecision } from './paymentTypes.ts';

type Refusal = Extract<PaymentDecision, { kind: 'refuse' }>;

const sendAgain = 'send the same PAYMENT-SIGNATURE again';

/** PAYMENT-RESPONSE of a settled payment. */
export function settledResponse(network: string, transaction: string, payer: string): string {
  return encodePaymentResponseHeader({ success: true, transaction, network: network as `${string}:${string}`, payer });
}

/** PAYMENT-RESPONSE of a free call: the payment was valid, and nothing was settled. */
export function freeResponse(network: string, payer: string): string {
  const settled = { success: true, transaction: '', network: network as `${string}:${string}`, payer };
  return encodePaymentResponseHeader({ ...settled, amount: '0', extra: { freeTrial: true } });
}

export function refuseMalformed(detail: string): Refusal {
  return {
    kind: 'refuse',
    status: 400,
    code: 'INVALID_REQUEST',
    detail: `${detail} Nothing was charged.`,
    headers: {},
  };
}

/**
 * A 402 for a payment with other terms than offered or an invalid signature, and the base of `refuseUnsettled`.
 * @param mayHavePaid an earlier use of the payment may have moved money
 */
export function refuseInvalid(offer: BuiltOffer, reason: string, detail: string, mayHavePaid = false): Refusal {
  return {
    kind: 'refuse',
    status: 402,
    code: 'PAYMENT_REQUIRED',
    detail: `${detail} ${mayHavePaid ? 'This request charged nothing.' : 'Nothing was charged.'}`,
    reason,
    headers: { 'PAYMENT-REQUIRED': offer.headerFor(reason) },
  };
}

/** The payment failed in a simulation or on chain. */
export function refuseUnsettled(
  offer: BuiltOffer,
  refused: { network: string; payer: string; reason: string; detail: string; mayHavePaid?: true },
): Refusal {
  const { network, payer, reason, detail, mayHavePaid } = refused;
  const response = encodePaymentResponseHeader({
    success: false,
    errorReason: reason,
    transaction: '',
    network: network as `${string}:${string}`,
    payer,
  });
  const refusal = refuseInvalid(offer, reason, detail, mayHavePaid);
  return { ...refusal, headers: { ...refusal.headers, 'PAYMENT-RESPONSE': response } };
}

/** The wallet exceeds its request rate. No node has seen the payment. */
export function refuseTooMany(payer: string, retryAfterSeconds: number): Refusal {
  return {
    kind: 'refuse',
    status: 429,
    code: 'RATE_LIMITED',
    detail: `Wallet ${payer} has exceeded its request limit. Nothing was charged: ${sendAgain} in ${retryAfterSeconds} s.`,
    headers: { 'Retry-After': String(retryAfterSeconds) },
  };
}

/** The payment is bound to another request. */
export function refuseReused(): Refusal {
  return {
    kind: 'refuse',
    status: 409,
    code: 'PAYMENT_REUSED',
    detail:
      'This payment belongs to another request. This request charged nothing. Send the payment with its original request, or sign a new payment for this one.',
    headers: {},
  };
}

/** Another payment of the wallet has this identifier. */
export function refuseIdentifierInUse(): Refusal {
  return {
    kind: 'refuse',
    status: 409,
    code: 'PAYMENT_REUSED',
    detail:
      'Another payment of this wallet uses the same payment identifier. Nothing was charged for this payment. Repeat the earlier request unchanged, or sign a payment with a new identifier.',
    headers: {},
  };
}

/** Answered too long ago for a replay. The same for each body, so that it does not reveal the original request. */
export function refuseAnswered({ isFree }: { isFree: boolean }): Refusal {
  return {
    kind: 'refuse',
    status: 409,
    code: 'PAYMENT_REUSED',
    detail: `You were ${isFree ? '' : 'charged and '}answered. Do not sign again for this answer.`,
    headers: {},
  };
}

/**
 * Nothing was sent to the chain, but a node may have seen the payment.
 * @param cause a sentence for the payer, if the payer can act on the cause
 */
export function refuseUnsent(network: string, cause?: string): Refusal {
  return {
    kind: 'refuse',
    status: 503,
    code: 'UPSTREAM_UNAVAILABLE',
    detail: `Payments on ${network} cannot be settled right now. ${cause ? `${cause} ` : ''}This request charged nothing. Do not sign a new payment for this network: ${sendAgain} in 5 s, with the same request.`,
    headers: { 'Retry-After': '5' },
  };
}

/** The payment network is unavailable, and no node has seen the payment. */
export function refuseUnavailable(network: string): Refusal {
  return {
    kind: 'refuse',
    status: 503,
    code: 'UPSTREAM_UNAVAILABLE',
    detail: `Payments on ${network} cannot be settled right now. Nothing was charged: ${sendAgain} in 5 s, or pay on another network.`,
    headers: { 'Retry-After': '5' },
  };
}

/** Settlements of this wallet have failed on chain, so it is paused. */
export function refusePaused(payer: string, retryAfterSeconds: number): Refusal {
  return refuseLimited({
    detail: `A settlement for wallet ${payer} failed on chain, so the wallet is paused. Each further failure doubles the pause, up to 24 hours.`,
    retryAfterSeconds,
  });
}

/**
 * The client's IP address has reached its daily limit of free calls. The wallet keeps its free call; nothing is
 * settled.
 */
export function refuseFreeCalls(retryAfterSeconds: number): Refusal {
  return {
    kind: 'refuse',
    status: 429,
    code: 'RATE_LIMITED',
    detail: `Your IP address has reached its daily limit of free calls. Nothing was charged, and the wallet keeps its free call: ${sendAgain} in ${retryAfterSeconds} s. If this payment expires first, sign a new one then.`,
    headers: { 'Retry-After': String(retryAfterSeconds) },
  };
}

/** A limit or gas budget of the payer, or of all payers of its kind, is used up. */
export function refuseLimited(limit: { detail: string; retryAfterSeconds: number }): Refusal {
  const { detail, retryAfterSeconds } = limit;
  return {
    kind: 'refuse',
    status: 429,
    code: 'RATE_LIMITED',
    // Not "Nothing was charged": a node has seen the payment and could broadcast it.
    detail: `${detail} This request charged nothing. Do not sign a new payment: ${sendAgain} in ${retryAfterSeconds} s.`,
    headers: { 'Retry-After': String(retryAfterSeconds) },
  };
}

/** The wallet reached its limit of concurrent payments, and none of them ended within the wait. */
export const concurrencyLimit = (payer: string) => ({
  detail: `Wallet ${payer} has more unsettled payments than payments settled since its last failure on chain.`,
  retryAfterSeconds: 5,
});

/** A concurrent request with the same payment, for which this one waited, was refused. */
export function refuseConcurrent(): Refusal {
  return {
    kind: 'refuse',
    status: 503,
    code: 'UPSTREAM_UNAVAILABLE',
    detail: `A concurrent request with this payment was refused. This request charged nothing. Read the response to that request, or ${sendAgain} in 5 s.`,
    headers: { 'Retry-After': '5' },
  };
}

/** No answer is possible, so nothing is charged. The payment is not recorded: another request may use it. */
export function refuseBlocked(blocker: ChargeBlocker): Refusal {
  if (blocker.kind === 'invalid') {
    const detail = `${blocker.detail} Nothing was charged: until it expires, the same PAYMENT-SIGNATURE can pay for a corrected request.`;
    return { kind: 'refuse', status: 400, code: 'INVALID_REQUEST', detail, headers: {} };
  }
  const { code, detail, retryAfterSeconds } = blocker;
  return {
    kind: 'refuse',
    status: 503,
    code,
    detail: `${detail} Nothing was charged: ${sendAgain} in ${retryAfterSeconds} s.`,
    headers: { 'Retry-After': String(retryAfterSeconds) },
  };
}

/** The ledger cannot be read, so nothing was sent. */
export function refuseUnread(): Refusal {
  return {
    kind: 'refuse',
    status: 503,
    code: 'UPSTREAM_UNAVAILABLE',
    detail: `The service cannot read its payment database right now. This request charged nothing. Do not sign a new payment: ${sendAgain} in 5 s, with the same request.`,
    headers: { 'Retry-After': '5' },
  };
}

/** Sent, by this service or a third party, with an unknown outcome. Not 402: a client would sign again and pay twice. */
export function refuseUnknown(network: string): Refusal {
  return {
    kind: 'refuse',
    status: 503,
    code: 'SETTLEMENT_UNKNOWN',
    detail: `The outcome of this payment on ${network} is not known yet: it may have been charged. Do not sign a new payment: ${sendAgain} in 5 s, with the same request. It is charged at most once.`,
    headers: { 'Retry-After': '5' },
  };
}

/** A free call whose first request failed before its answer: the wallet keeps the free call. */
export function refuseUnansweredTrial(): Refusal {
  return {
    kind: 'refuse',
    status: 503,
    code: 'UPSTREAM_UNAVAILABLE',
    detail: `The free call could not be answered yet. Nothing was charged, and the wallet keeps its free call: ${sendAgain} in 2 s, with the same request.`,
    headers: { 'Retry-After': '2' },
  };
}

/** Paid, but the first request failed before its answer: the payer has a credit. */
export function refuseUnanswered(paymentResponse: string | undefined): Refusal {
  return {
    kind: 'refuse',
    status: 503,
    code: 'UPSTREAM_UNAVAILABLE',
    detail: `The payment settled, but the request could not be answered yet. You were charged and keep the credit: ${sendAgain} in 2 s, with the same request. It is not charged again.`,
    headers: { 'Retry-After': '2', ...(paymentResponse && { 'PAYMENT-RESPONSE': paymentResponse }) },
  };
}
