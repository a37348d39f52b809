import { encodePaymentResponseHeader } from '@x402/core/http';
import { type ChargeState, chargeStates } from './chargeState.ts';
import type { BuiltOffer } from './offer.ts';
import type { ChargeBlocker, PaymentDecision } from './paymentTypes.ts';

type Refusal = Extract<PaymentDecision, { kind: 'refuse' }>;

const sendAgain = 'send the same PAYMENT-SIGNATURE again';
const keepSignature = `Do not sign a new payment: ${sendAgain}`;

/** The detail is: the cause, the sentence about the charge, and what to do next. */
function refuse(
  { status, code }: Pick<Refusal, 'status' | 'code'>,
  cause: string,
  { charged, sentence }: ChargeState,
  {
    next,
    headers = {},
    retryAfterSeconds,
  }: { next?: string; headers?: Refusal['headers']; retryAfterSeconds?: number },
): Refusal {
  return {
    kind: 'refuse',
    status,
    code,
    detail: [cause, sentence, next].filter(Boolean).join(' '),
    charged,
    headers: { ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }), ...headers },
  };
}

const reused = { status: 409, code: 'PAYMENT_REUSED' } as const;
const limited = { status: 429, code: 'RATE_LIMITED' } as const;
const unavailable = { status: 503, code: 'UPSTREAM_UNAVAILABLE' } as const;

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
  return refuse({ status: 400, code: 'INVALID_REQUEST' }, detail, chargeStates.nothing, {});
}

/**
 * A 402 for a payment with other terms than offered or an invalid signature, and the base of `refuseUnsettled`.
 * @param state `mayHavePaid`: an earlier use of the payment may have moved money
 */
export function refuseInvalid(
  offer: BuiltOffer,
  reason: string,
  detail: string,
  state: ChargeState = chargeStates.nothing,
): Refusal {
  const headers = { 'PAYMENT-REQUIRED': offer.headerFor(reason) };
  return { ...refuse({ status: 402, code: 'PAYMENT_REQUIRED' }, detail, state, { headers }), reason };
}

/**
 * The payment failed in a simulation or on chain.
 * @param mayStillPay whether a transaction that was sent for it may still be included
 */
export function refuseUnsettled(
  offer: BuiltOffer,
  refused: { network: string; payer: string; reason: string; detail: string; mayHavePaid?: true },
  mayStillPay = false,
): Refusal {
  const { network, payer, reason, detail, mayHavePaid } = refused;
  const response = encodePaymentResponseHeader({
    success: false,
    errorReason: reason,
    transaction: '',
    network: network as `${string}:${string}`,
    payer,
  });
  const unpaid = mayStillPay ? chargeStates.mayStillPay : chargeStates.nothing;
  const refusal = refuseInvalid(offer, reason, detail, mayHavePaid ? chargeStates.mayHavePaid : unpaid);
  return { ...refusal, headers: { ...refusal.headers, 'PAYMENT-RESPONSE': response } };
}

/** The wallet exceeds its request rate. This request showed the payment to no node. */
export function refuseTooMany(payer: string, retryAfterSeconds: number, state: ChargeState): Refusal {
  return refuse(limited, `Wallet ${payer} has exceeded its request limit.`, state, {
    next: `You can ${sendAgain} in ${retryAfterSeconds} s.`,
    retryAfterSeconds,
  });
}

/**
 * The payment is bound to another request.
 * @param state what is known about the payment for that request
 */
export function refuseReused(state: ChargeState): Refusal {
  const { charged } = state;
  const chargedThere = state === chargeStates.credit || state === chargeStates.answered;
  const next =
    charged === false
      ? 'Send the payment with its original request, or sign a new payment for this one.'
      : 'To get the answer of that request, send the payment with it unchanged. For this request, sign a new payment.';
  return refuse(
    reused,
    'This payment belongs to another request.',
    chargedThere ? chargeStates.chargedElsewhere : state,
    { next },
  );
}

/** Why a new signature with the identifier of another payment is not answered from it. */
const identifierFaults = {
  otherRequest: 'Another payment of this wallet uses the same payment identifier, for another request.',
  mayStillPay:
    'An earlier payment of this wallet with the same payment identifier was sent, and a block may still include it.',
  undecodable:
    'Another payment of this wallet uses the same payment identifier, and this version of the service cannot settle it.',
} as const;

/**
 * Another payment of the wallet has this identifier.
 * @param state @see identifierState
 */
export function refuseIdentifierInUse(
  state: ChargeState,
  fault: keyof typeof identifierFaults = 'otherRequest',
): Refusal {
  const next =
    state.charged === false
      ? 'Repeat the earlier request unchanged, or sign a payment with a new identifier.'
      : 'To get its answer, send the earlier PAYMENT-SIGNATURE with its request unchanged. A payment with a new identifier is charged separately.';
  return refuse(reused, identifierFaults[fault], state, { next });
}

/** Answered too long ago for a replay. The same for each body, so that it does not reveal the original request. */
export function refuseAnswered({ isFree }: { isFree: boolean }): Refusal {
  const state = isFree ? chargeStates.freeCallAnswered : chargeStates.answered;
  return refuse(reused, '', state, { next: 'Do not sign again for this answer.' });
}

/**
 * Nothing was sent to the chain, but a node may have seen the payment.
 * @param options `cause`: a sentence for the payer, if the payer can act on it. `state`: `mayHavePaid` if an earlier attempt
 * was sent
 */
export function refuseUnsent(
  network: string,
  { cause, state = chargeStates.seenByNode }: { cause?: string | undefined; state?: ChargeState } = {},
): Refusal {
  const what = `Payments on ${network} cannot be settled right now.${cause ? ` ${cause}` : ''}`;
  const keep = state.charged === false ? `Do not sign a new payment for this network: ${sendAgain}` : keepSignature;
  return refuse(unavailable, what, state, {
    next: `${keep} in 5 s, with the same request.`,
    retryAfterSeconds: 5,
  });
}

/**
 * The payment network is unavailable. This request showed the payment to no node. After an earlier use that may have paid,
 * a payment on another network could be a second one.
 */
export function refuseUnavailable(network: string, state: ChargeState, cause?: string): Refusal {
  const what = `Payments on ${network} cannot be settled right now.${cause ? ` ${cause}` : ''}`;
  return refuse(unavailable, what, state, {
    next:
      state.charged === false
        ? `You can ${sendAgain} in 5 s, or pay on another network.`
        : `${keepSignature} in 5 s, with the same request.`,
    retryAfterSeconds: 5,
  });
}

/** In place of a 402 while no network can settle: its `accepts` would be empty. */
export function refuseNoNetwork({ detail, charged, reason, headers }: Refusal): Refusal {
  const { 'PAYMENT-REQUIRED': _, ...others } = headers;
  return {
    kind: 'refuse',
    ...unavailable,
    detail: `${detail} Payments cannot be settled on any network right now. Send the request again in 5 s.`,
    charged,
    ...(reason !== undefined && { reason }),
    headers: { ...others, 'Retry-After': '5' },
  };
}

/** Settlements of this wallet have failed on chain, so it is paused. */
export function refusePaused(payer: string, retryAfterSeconds: number, state: ChargeState): Refusal {
  return refuseLimited({
    state,
    detail: `A settlement for wallet ${payer} failed on chain, so the wallet is paused. Each further failure doubles the pause, up to 24 hours. Keep the full amount in the wallet until a payment has settled.`,
    retryAfterSeconds,
  });
}

/**
 * The client's IP address has reached its daily limit of free calls. The wallet keeps its free call; nothing is
 * settled.
 */
export function refuseFreeCalls(retryAfterSeconds: number): Refusal {
  return refuse(limited, 'Your IP address has reached its daily limit of free calls.', chargeStates.keepsFreeCall, {
    next: `You can ${sendAgain} in ${retryAfterSeconds} s. If this payment expires first, sign a new one then.`,
    retryAfterSeconds,
  });
}

/** A limit or gas budget of the payer, or of all payers of its kind, is used up. */
export function refuseLimited(refused: { detail: string; retryAfterSeconds: number; state: ChargeState }): Refusal {
  const { detail, retryAfterSeconds, state } = refused;
  return refuse(limited, detail, state, {
    next: `${keepSignature} in ${retryAfterSeconds} s.`,
    retryAfterSeconds,
  });
}

/** The wallet reached its limit of concurrent payments, and none of them ended within the wait. */
export const concurrencyLimit = (payer: string) => ({
  detail: `Wallet ${payer} has more unsettled payments than payments settled since its last failure on chain.`,
  retryAfterSeconds: 5,
});

/** A concurrent request with the same payment, for which this one waited, was refused. */
export function refuseConcurrent(): Refusal {
  return refuse(unavailable, 'A concurrent request with this payment was refused.', chargeStates.mayHavePaid, {
    next: `Read the response to that request, or ${sendAgain} in 5 s.`,
    retryAfterSeconds: 5,
  });
}

/** No answer is possible, so nothing is charged. The payment is not recorded: another request may use it. */
export function refuseBlocked(blocker: ChargeBlocker, state: ChargeState = chargeStates.nothing): Refusal {
  if (blocker.kind === 'invalid') {
    return refuse({ status: 400, code: 'INVALID_REQUEST' }, blocker.detail, state, {
      next: 'Until it expires, the same PAYMENT-SIGNATURE can pay for a corrected request.',
    });
  }
  const { code, detail, retryAfterSeconds } = blocker;
  return refuse({ status: 503, code }, detail, state, {
    next: `You can ${sendAgain} in ${retryAfterSeconds} s.`,
    retryAfterSeconds,
  });
}

/** The ledger cannot be read, so this request sent nothing. */
export function refuseUnread(): Refusal {
  return refuse(unavailable, 'The service cannot read its payment database right now.', chargeStates.mayHavePaid, {
    next: `${keepSignature} in 5 s, with the same request.`,
    retryAfterSeconds: 5,
  });
}

/** Sent, by this service or a third party, with an unknown outcome. Not 402: a client would sign again and pay twice. */
export function refuseUnknown(network: string): Refusal {
  return refuse(
    { status: 503, code: 'SETTLEMENT_UNKNOWN' },
    `The outcome of this payment on ${network} is not known yet.`,
    chargeStates.unknown,
    { next: `${keepSignature} in 5 s, with the same request.`, retryAfterSeconds: 5 },
  );
}

/** A free call whose first request failed before its answer: the wallet keeps the free call. */
export function refuseUnansweredTrial(): Refusal {
  return refuse(unavailable, 'The free call could not be answered yet.', chargeStates.keepsFreeCall, {
    next: `You can ${sendAgain} in 2 s, with the same request.`,
    retryAfterSeconds: 2,
  });
}

/** Paid, but the first request failed before its answer: the payer has a credit. */
export function refuseUnanswered(paymentResponse: string | undefined): Refusal {
  return refuse(unavailable, 'The payment settled, but the request could not be answered yet.', chargeStates.credit, {
    next: `You can ${sendAgain} in 2 s, with the same request.`,
    retryAfterSeconds: 2,
    headers: paymentResponse ? { 'PAYMENT-RESPONSE': paymentResponse } : {},
  });
}
