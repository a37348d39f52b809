import { encodePaymentResponseHeader } from '@x402/core/http';
import type { BuiltOffer } from './offer.ts';
import type { ChargeBlocker, PaymentDecision } from './paymentTypes.ts';

type Refusal = Extract<PaymentDecision, { kind: 'refuse' }>;

const sendAgain = 'send the same PAYMENT-SIGNATURE again';

/** PAYMENT-RESPONSE of a settled payment. */
export function settledResponse(network: string, transaction: string, payer: string): string {
  return encodePaymentResponseHeader({ success: true, transaction, network: network as `${string}:${string}`, payer });
}

/** PAYMENT-RESPONSE of a free call: the payment was good, and nothing was settled. */
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
 * The terms or the signature do not fit: nothing was tried on chain.
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

/** The chain would not move the money. */
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

/** Before anything was sent. */
export function refuseTooMany(payer: string, retryAfterSeconds: number): Refusal {
  return {
    kind: 'refuse',
    status: 429,
    code: 'RATE_LIMITED',
    detail: `${payer} has asked too often. Nothing was charged: ${sendAgain} in ${retryAfterSeconds} s.`,
    headers: { 'Retry-After': String(retryAfterSeconds) },
  };
}

export function refuseReused(): Refusal {
  return {
    kind: 'refuse',
    status: 409,
    code: 'PAYMENT_REUSED',
    detail:
      'This payment belongs to another request. This request charged nothing. Send it with exactly the request it was first sent with, or sign a new one for this request.',
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
      'Another payment of this wallet has this payment identifier. Nothing was charged for this one: send the other again as it was first sent, or name this one differently.',
    headers: {},
  };
}

/** Answered too long ago for a replay. The same for every body, so that it does not reveal the request. */
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
 * A node may have seen the payment, and this service sent nothing to the chain.
 * @param cause stated if the payer can act on it
 */
export function refuseUnsent(network: string, cause?: string): Refusal {
  return {
    kind: 'refuse',
    status: 503,
    code: 'UPSTREAM_UNAVAILABLE',
    detail: `Payments on ${network} cannot be settled right now. ${cause ? `${cause} ` : ''}This request charged nothing: do not sign a new one for this network, ${sendAgain} in 5 s, with the same request.`,
    headers: { 'Retry-After': '5' },
  };
}

/** Before any node has seen the payment. */
export function refuseUnavailable(network: string): Refusal {
  return {
    kind: 'refuse',
    status: 503,
    code: 'UPSTREAM_UNAVAILABLE',
    detail: `Payments on ${network} cannot be settled right now. Nothing was charged: ${sendAgain} in 5 s, or pay on another network.`,
    headers: { 'Retry-After': '5' },
  };
}

/** Settlements of this wallet have failed on chain. */
export function refusePaused(payer: string, retryAfterSeconds: number): Refusal {
  return refuseLimited({
    detail: `A settlement for ${payer} failed on chain, so the wallet is paused. Each further failure doubles the pause, up to 24 hours.`,
    retryAfterSeconds,
  });
}

/** The client's address has had its free calls of the day: the wallet keeps its own, and nothing is settled instead. */
export function refuseFreeCalls(retryAfterSeconds: number): Refusal {
  return {
    kind: 'refuse',
    status: 429,
    code: 'RATE_LIMITED',
    detail: `Your address has had its free calls of this day. Nothing was charged and your free call is still yours: ${sendAgain} in ${retryAfterSeconds} s, or sign a new payment then if this one expires first.`,
    headers: { 'Retry-After': String(retryAfterSeconds) },
  };
}

/** The rate or gas budget of the payer, or of all payers of its kind, is spent. */
export function refuseLimited(limit: { detail: string; retryAfterSeconds: number }): Refusal {
  const { detail, retryAfterSeconds } = limit;
  return {
    kind: 'refuse',
    status: 429,
    code: 'RATE_LIMITED',
    // A node has seen the payment by now, and could have broadcast it.
    detail: `${detail} This request charged nothing: do not sign a new one, ${sendAgain} in ${retryAfterSeconds} s.`,
    headers: { 'Retry-After': String(retryAfterSeconds) },
  };
}

/** The wallet has as many payments in flight as it may have, and the wait for one of them to end was too long. */
export const concurrencyLimit = (payer: string) => ({
  detail: `${payer} has more payments in flight than it has settled since its last failure on chain.`,
  retryAfterSeconds: 5,
});

/** A concurrent attempt with the same payment, for which this one waited, was refused. */
export function refuseConcurrent(): Refusal {
  return {
    kind: 'refuse',
    status: 503,
    code: 'UPSTREAM_UNAVAILABLE',
    detail: `Another request with this payment was refused just now. This request charged nothing: read the response to that one, or ${sendAgain} in 5 s.`,
    headers: { 'Retry-After': '5' },
  };
}

/** There is no answer to charge for. The payment is not recorded, so another request may use it. */
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

/** The ledger cannot be read: nothing was tried. */
export function refuseUnread(): Refusal {
  return {
    kind: 'refuse',
    status: 503,
    code: 'UPSTREAM_UNAVAILABLE',
    detail: `The payment ledger does not answer right now. This request charged nothing: do not sign a new one, ${sendAgain} in 5 s, with the same request.`,
    headers: { 'Retry-After': '5' },
  };
}

/** Sent, by this service or a third party, with an unknown outcome. Never 402: a client that signs again would pay twice. */
export function refuseUnknown(network: string): Refusal {
  return {
    kind: 'refuse',
    status: 503,
    code: 'SETTLEMENT_UNKNOWN',
    detail: `The outcome of this payment on ${network} is not known yet. Do not sign a new one: ${sendAgain} in 5 s, with the same request.`,
    headers: { 'Retry-After': '5' },
  };
}

/** A free call whose first request has no answer: it has been given back. */
export function refuseUnansweredTrial(): Refusal {
  return {
    kind: 'refuse',
    status: 503,
    code: 'UPSTREAM_UNAVAILABLE',
    detail: `The free call could not be answered yet. Nothing was charged and the free call is yours again: ${sendAgain} in 2 s, with the same request.`,
    headers: { 'Retry-After': '2' },
  };
}

/** Paid, and the first request with it has no answer: the credit stays. */
export function refuseUnanswered(paymentResponse: string | undefined): Refusal {
  return {
    kind: 'refuse',
    status: 503,
    code: 'UPSTREAM_UNAVAILABLE',
    detail: `The payment is settled and its answer could not be made yet. The credit stays: ${sendAgain} in 2 s, with the same request, and it is answered without another charge.`,
    headers: { 'Retry-After': '2', ...(paymentResponse && { 'PAYMENT-RESPONSE': paymentResponse }) },
  };
}
