import {
  AnswerPendingError,
  PaymentRefusedError,
  type PendingCall,
  UnavailableError,
  UnexpectedAnswerError,
} from '../errors.ts';
import { isRecord } from './isRecord.ts';
import { toOffer } from './offer.ts';
import { noReplacement, otherNetworks, type Replacement } from './otherNetworks.ts';
import { chargedOf, isRefusal, toErrorBody, toRefusal } from './outcome.ts';
import type { PaymentSession } from './paymentSession.ts';
import { type Call, post } from './post.ts';
import { decodeHeader, type Receipt, readSettlement, toReceipt } from './receipt.ts';
import { noPayments, type Signed, sign } from './sign.ts';

/** A paid or free answer with its receipt. */
export interface Bought {
  answer: Record<string, unknown>;
  receipt: Receipt;
}

const usdcUnits = 1_000_000;

/**
 * Buys one answer: sends the request, signs one payment option of the 402, and sends that signature until an answer
 * arrives. If the network cannot settle and the service charged nothing, it signs on another network that is offered.
 *
 * @throws {RequestRefusedError | PaymentRefusedError | UnavailableError | AnswerPendingError | SpendLimitError |
 * NoPaymentOptionError | SandboxError | UnexpectedAnswerError}
 */
export async function buy(session: PaymentSession, path: string, request: unknown): Promise<Bought> {
  const call = { path, body: JSON.stringify(request) };
  const unpaid = await post(session, call);
  session.signal?.throwIfAborted();
  if (unpaid.kind === 'lost') throw new UnavailableError(unreachable(session.url), { cause: unpaid.cause });
  if (unpaid.status === 200) return { answer: toAnswer(unpaid.body), receipt: toReceipt(unpaid.headers, 0) };
  if (unpaid.status !== 402) throw toRefusal(unpaid, ' Nothing was signed.');

  const offer = toOffer(unpaid.headers.get('payment-required'));
  if (!offer)
    throw new UnexpectedAnswerError(
      'The 402 has no PAYMENT-REQUIRED header of base64 JSON with accepts[]. Nothing was signed. Is this the address of a truefill service?',
    );
  const firstCallFree = isRecord(unpaid.body) && unpaid.body.firstCall === 'free';
  return pay(session, call, await sign(session, offer, { firstCallFree, earlier: noPayments }));
}

export const unreachable = (url: string): string =>
  `${url} cannot be reached. Nothing was signed. Check the address and that the service runs.`;

/** Sends a payment. While the service does not charge it and offers another network, signs and sends another one. */
async function pay(session: PaymentSession, call: Call, first: Signed): Promise<Bought> {
  const networks = new Set<string>();
  let units = 0;
  const { identifier } = first;
  let signed = first;
  let replaced: PendingCall | undefined;
  for (;;) {
    const pending = { ...call, paymentSignature: signed.header };
    await handOut(session, pending);
    if (replaced) session.onFinished(replaced);
    session.onProgress({ stage: 'settling', network: signed.network });
    networks.add(signed.network);
    units += signed.units;
    const sent = await sendPayment(session, pending, otherNetworks(session, call, { networks, units, identifier }));
    if (!('header' in sent)) return sent;
    session.onProgress({ stage: 'switching', from: signed.network, network: sent.network });
    signed = sent;
    replaced = pending;
  }
}

/** Passes a signed payment to the caller, before it is sent. After an abort it is discarded instead. */
async function handOut({ signal, budget, onSigned }: PaymentSession, pending: PendingCall): Promise<void> {
  if (signal?.aborted) budget.discard(pending.paymentSignature);
  signal?.throwIfAborted();
  try {
    await onSigned(pending);
  } catch (cause) {
    // The caller may have stored the payment, so it counts until it expires.
    budget.deny(pending.paymentSignature);
    throw cause;
  }
}

/**
 * Sends a signature until an answer arrives. The service never charges it twice.
 *
 * @throws {AnswerPendingError} no answer arrived; the payment may have settled
 * @throws {UnavailableError} no answer arrived; the service reports that it did not charge the payment
 * @throws {PaymentRefusedError | RequestRefusedError}
 */
export function redeem(session: PaymentSession, pending: PendingCall): Promise<Bought> {
  return sendPayment(session, pending, noReplacement) as Promise<Bought>;
}

async function sendPayment(
  session: PaymentSession,
  pending: PendingCall,
  replacement: Replacement,
): Promise<Bought | Signed> {
  const { budget } = session;
  const { paymentSignature } = pending;
  budget.reopen(paymentSignature);
  let replaced: Signed | undefined;
  const attempt = await post(session, pending, async (response) => {
    if (response.status === 503 && chargedOf(response) === false) replaced = await replacement.sign();
    return replaced !== undefined;
  }).catch((cause: unknown) => {
    // For example the HTML page of a proxy. The payment may have settled.
    throw cause instanceof UnexpectedAnswerError ? new AnswerPendingError(pending, { cause }) : cause;
  });
  if (attempt.kind === 'lost') throw new AnswerPendingError(pending, { cause: attempt.cause });
  if (attempt.status === 200 && isRecord(attempt.body)) {
    const receipt = toReceipt(attempt.headers, signedUnits(pending) / usdcUnits);
    if (receipt.free) budget.deny(paymentSignature);
    else budget.charge(paymentSignature);
    session.onFinished(pending);
    return { answer: attempt.body, receipt };
  }
  const charged = chargedOf(attempt);
  if (charged === true) budget.charge(paymentSignature);
  if (charged === false) budget.deny(paymentSignature);
  if (replaced) return replaced;
  if (isRefusal(attempt)) {
    if (charged !== null) session.onFinished(pending);
    throw attempt.status === 402
      ? new PaymentRefusedError(toErrorBody(attempt), reasonOf(attempt.headers))
      : toRefusal(attempt);
  }
  if (charged !== false) throw new AnswerPendingError(pending, { cause: toRefusal(attempt), charged });
  const body = toErrorBody(attempt);
  throw new UnavailableError(`${body.code}: ${body.detail}${replacement.fault()}`, { pending, body });
}

/** The amount of a signed payment in base units of USDC. */
function signedUnits({ paymentSignature }: PendingCall): number {
  const signed = decodeHeader(paymentSignature) as { accepted?: { amount?: string } } | undefined;
  return Number(signed?.accepted?.amount ?? 0);
}

function reasonOf(headers: Headers): string {
  const offer = decodeHeader(headers.get('payment-required')) as { error?: string } | undefined;
  return readSettlement(headers)?.errorReason ?? offer?.error ?? 'no reason given';
}

function toAnswer(body: unknown): Record<string, unknown> {
  if (isRecord(body)) return body;
  throw new UnexpectedAnswerError('The answer is not a JSON object. Nothing was signed.');
}
