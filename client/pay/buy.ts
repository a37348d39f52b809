import type { x402Client } from '@x402/core/client';
import { encodePaymentSignatureHeader } from '@x402/core/http';
import type { PaymentRequired } from '@x402/core/types';
import {
  AnswerPendingError,
  type ErrorBody,
  NoWayToPayError,
  PaymentRefusedError,
  type PendingCall,
  RequestRefusedError,
  UnavailableError,
  UnexpectedAnswerError,
} from '../errors.ts';
import type { Budget } from './budget.ts';
import { isRecord } from './isRecord.ts';
import { decodeHeader, type Receipt, readSettlement, toReceipt } from './receipt.ts';
import { type AllowSandbox, assertSandboxAllowed } from './sandboxOffer.ts';
import { type Attempt, type Patience, send } from './send.ts';
import { isTrpcPath, unwrapEnvelope } from './trpcEnvelope.ts';

/** Where a call stands, for who shows it. */
export type Progress =
  | { stage: 'priced'; priceUsd: number; network: string; firstCallFree: boolean }
  | { stage: 'settling'; network: string }
  | { stage: 'waiting'; waitMs: number; reason: string };

export interface Till {
  url: string;
  fetch: typeof fetch;
  payer: () => Promise<x402Client>;
  budget: Budget;
  patience: Patience;
  allowSandbox: AllowSandbox;
  /** Called before a signed payment is sent; the payment is not sent when it throws. */
  onSigned: (pending: PendingCall) => void | Promise<void>;
  onProgress: (progress: Progress) => void;
  /** Before the payment is sent: ends the call. After it: ends the waiting, and the answer is pending. */
  signal?: AbortSignal | undefined;
  /** Called with the `error` of each tRPC response as it was sent; undefined for a response without one. */
  onTrpcError?: (error: unknown) => void;
}

export interface Bought {
  answer: Record<string, unknown>;
  receipt: Receipt;
}

const usdcUnits = 1_000_000;

/**
 * Buys one answer: asks, is told the price, signs once, and sends that one signature until there is an answer.
 *
 * @throws {RequestRefusedError | PaymentRefusedError | UnavailableError | AnswerPendingError | SpendLimitError |
 * NoWayToPayError | SandboxError | UnexpectedAnswerError}
 */
export async function buy(till: Till, path: string, request: unknown): Promise<Bought> {
  const body = JSON.stringify(request);
  const asked = await post(till, { path, body });
  till.signal?.throwIfAborted();
  if (asked.kind === 'lost') throw new UnavailableError(`${till.url} cannot be reached.`, { cause: asked.cause });
  if (asked.status === 200) return { answer: toAnswer(asked.body), receipt: toReceipt(asked.headers, 0) };
  if (asked.status !== 402) throw toRefusal(asked);

  const offer = toOffer(asked.headers.get('payment-required'));
  if (!offer) throw new UnexpectedAnswerError('The 402 has no PAYMENT-REQUIRED header that can be read.');
  const signed = await sign(till, offer, isRecord(asked.body) && asked.body.firstCall === 'free');
  const pending = { path, body, paymentSignature: signed.header };
  try {
    till.signal?.throwIfAborted();
    await till.onSigned(pending);
  } catch (cause) {
    till.budget.putBack(signed.units);
    throw cause;
  }
  till.onProgress({ stage: 'settling', network: signed.network });
  return redeem(till, pending, signed.units);
}

/** PAYMENT-REQUIRED, decoded; undefined when it holds no list of payments. */
export function toOffer(header: string | null): PaymentRequired | undefined {
  const offer = decodeHeader(header);
  return isRecord(offer) && Array.isArray(offer.accepts) ? (offer as unknown as PaymentRequired) : undefined;
}

/**
 * Sends a signature that was sent before, until there is an answer. It is never charged twice.
 *
 * @param units what was set aside for it here, and is put back when it did not move
 */
export async function redeem(till: Till, pending: PendingCall, units: number): Promise<Bought> {
  const attempt = await post(till, pending).catch((cause: unknown) => {
    // A page of some proxy, say: it does not tell what became of the payment.
    throw cause instanceof UnexpectedAnswerError ? new AnswerPendingError(pending, { cause }) : cause;
  });
  if (attempt.kind === 'lost') throw new AnswerPendingError(pending, { cause: attempt.cause });
  const { status, headers } = attempt;
  if (status === 200 && isRecord(attempt.body)) {
    const receipt = toReceipt(headers, signedUnits(pending) / usdcUnits);
    if (receipt.free) till.budget.putBack(units);
    return { answer: attempt.body, receipt };
  }
  if (!isRefusal(attempt)) throw new AnswerPendingError(pending, { cause: toRefusal(attempt) });
  // Every other refusal comes before any money moves.
  if (status !== 409) till.budget.putBack(units);
  if (status === 402) throw new PaymentRefusedError(toErrorBody(attempt), reasonOf(headers));
  throw toRefusal(attempt);
}

async function post(till: Till, call: { path: string; body: string; paymentSignature?: string }): Promise<Attempt> {
  const attempt = await send({
    ...call,
    fetch: till.fetch,
    url: till.url + call.path,
    patience: till.patience,
    signal: till.signal,
    onWait: (waitMs, attempt) => {
      const reason = attempt.kind === 'lost' ? 'the connection was lost' : `the service answered ${attempt.status}`;
      till.onProgress({ stage: 'waiting', waitMs, reason });
    },
  });
  if (attempt.kind === 'lost' || !isTrpcPath(call.path)) return attempt;
  const { body, error } = unwrapEnvelope(attempt.body);
  till.onTrpcError?.(error);
  return { ...attempt, body };
}

/** Whether an answer to a signed request settles the matter: the service itself refused, in its own form. */
function isRefusal({ status, body }: Extract<Attempt, { kind: 'response' }>): boolean {
  return status >= 400 && status < 500 && status !== 429 && isErrorBody(body);
}

interface Signed {
  /** PAYMENT-SIGNATURE. */
  header: string;
  network: string;
  /** Set aside in the budget. */
  units: number;
}

/**
 * Signs one payment, within the budget. What was set aside is put back when nothing could be signed.
 * @throws {SandboxError | SpendLimitError | NoWayToPayError}
 */
export async function sign(till: Till, offer: PaymentRequired, firstCallFree: boolean): Promise<Signed> {
  assertSandboxAllowed(offer, till.allowSandbox, till.url);
  const payer = await till.payer();
  let units = 0;
  payer.onBeforePaymentCreation(async ({ selectedRequirements }) => {
    const price = Number(selectedRequirements.amount);
    till.budget.take(price);
    units = price;
    const { network } = selectedRequirements;
    till.onProgress({ stage: 'priced', priceUsd: price / usdcUnits, network, firstCallFree });
  });
  try {
    const payload = await payer.createPaymentPayload(named(offer));
    return { header: encodePaymentSignatureHeader(payload), network: payload.accepted.network, units };
  } catch (cause) {
    till.budget.putBack(units);
    throw nameSigningFault(cause, offer);
  }
}

/**
 * The offer with a payment-identifier in it, where the service declares that extension: the answer can then be fetched
 * again for a day, because an observer of the chain does not know the identifier.
 */
function named(offer: PaymentRequired): PaymentRequired {
  const declared = offer.extensions?.['payment-identifier'];
  if (!isRecord(declared) || !isRecord(declared.info)) return offer;
  const id = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const info = { ...declared.info, id };
  return { ...offer, extensions: { ...offer.extensions, 'payment-identifier': { ...declared, info } } };
}

/** The x402 client throws plain errors; only its own "nothing fits" gets a name here. */
function nameSigningFault(cause: unknown, offer: PaymentRequired): unknown {
  const words = cause instanceof Error ? cause.message : '';
  if (!/^(?:No (?:network|client|payment)|All payment requirements)/.test(words)) return cause;
  const networks = offer.accepts.map(({ network }) => network).join(', ');
  return new NoWayToPayError(`The service takes payment on ${networks}; no wallet given can pay there. ${words}`, {
    cause,
  });
}

/** What a signature is good for, whoever set it aside. */
function signedUnits({ paymentSignature }: PendingCall): number {
  const signed = decodeHeader(paymentSignature) as { accepted?: { amount?: string } } | undefined;
  return Number(signed?.accepted?.amount ?? 0);
}

function reasonOf(headers: Headers): string {
  const offer = decodeHeader(headers.get('payment-required')) as { error?: string } | undefined;
  return readSettlement(headers)?.errorReason ?? offer?.error ?? 'no reason given';
}

function toRefusal(attempt: Extract<Attempt, { kind: 'response' }>): Error {
  const body = toErrorBody(attempt);
  return attempt.status >= 500 || attempt.status === 429
    ? new UnavailableError(`${body.code}: ${body.detail}`)
    : new RequestRefusedError(body);
}

function toErrorBody({ status, body }: Extract<Attempt, { kind: 'response' }>): ErrorBody {
  if (isErrorBody(body)) return { ...body, status };
  return { code: 'UNKNOWN', status, detail: `The service answered ${status} without words of its own.` };
}

function isErrorBody(body: unknown): body is ErrorBody {
  return isRecord(body) && typeof body.code === 'string' && typeof body.detail === 'string';
}

function toAnswer(body: unknown): Record<string, unknown> {
  if (isRecord(body)) return body;
  throw new UnexpectedAnswerError('The answer is no JSON object.');
}
