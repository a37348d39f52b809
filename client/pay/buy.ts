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
import { decodeHeader, type Receipt, readSettlement, toReceipt } from './receipt.ts';
import { type Attempt, type Patience, send } from './send.ts';

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
  onProgress: (progress: Progress) => void;
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
 * NoWayToPayError | UnexpectedAnswerError}
 */
export async function buy(till: Till, path: string, request: unknown): Promise<Bought> {
  const body = JSON.stringify(request);
  const asked = await post(till, { path, body });
  if (asked.kind === 'lost') throw new UnavailableError(`${till.url} cannot be reached.`, { cause: asked.cause });
  if (asked.status === 200) return { answer: toAnswer(asked.body), receipt: toReceipt(asked.headers, 0) };
  if (asked.status !== 402) throw toRefusal(asked);

  const offer = decodeHeader(asked.headers.get('payment-required')) as PaymentRequired | undefined;
  if (!offer) throw new UnexpectedAnswerError('The 402 has no PAYMENT-REQUIRED header that can be read.');
  const signed = await sign(till, offer, asked.body);
  return redeem(till, { path, body, paymentSignature: signed.header }, signed.units);
}

/**
 * Sends a signature that was sent before, until there is an answer. It is never charged twice.
 *
 * @param units what was set aside for it here, and is put back when it did not move
 */
export async function redeem(till: Till, pending: PendingCall, units: number): Promise<Bought> {
  const attempt = await post(till, pending);
  if (attempt.kind === 'lost') throw new AnswerPendingError(pending, { cause: attempt.cause });
  const { status, headers } = attempt;
  if (status === 200) {
    const receipt = toReceipt(headers, signedUnits(pending) / usdcUnits);
    if (receipt.free) till.budget.putBack(units);
    return { answer: toAnswer(attempt.body), receipt };
  }
  if (status >= 500 || status === 429) throw new AnswerPendingError(pending, { cause: toRefusal(attempt) });
  // Everything else is refused before any money moved.
  till.budget.putBack(units);
  if (status === 402) throw new PaymentRefusedError(toErrorBody(attempt), reasonOf(headers));
  throw toRefusal(attempt);
}

function post(till: Till, call: { path: string; body: string; paymentSignature?: string }): Promise<Attempt> {
  return send({
    ...call,
    fetch: till.fetch,
    url: till.url + call.path,
    patience: till.patience,
    onWait: (waitMs, attempt) => {
      const reason = attempt.kind === 'lost' ? 'the connection was lost' : `the service answered ${attempt.status}`;
      till.onProgress({ stage: 'waiting', waitMs, reason });
    },
  });
}

/** Signs one payment, within the budget. What was set aside is put back when nothing could be signed. */
async function sign(till: Till, offer: PaymentRequired, summary: unknown): Promise<{ header: string; units: number }> {
  const payer = await till.payer();
  let units = 0;
  payer.onBeforePaymentCreation(async ({ selectedRequirements }) => {
    const price = Number(selectedRequirements.amount);
    till.budget.take(price);
    units = price;
    const { network } = selectedRequirements;
    const firstCallFree = isRecord(summary) && summary.firstCall === 'free';
    till.onProgress({ stage: 'priced', priceUsd: price / usdcUnits, network, firstCallFree });
  });
  try {
    const payload = await payer.createPaymentPayload(offer);
    till.onProgress({ stage: 'settling', network: payload.accepted.network });
    return { header: encodePaymentSignatureHeader(payload), units };
  } catch (cause) {
    till.budget.putBack(units);
    throw nameSigningFault(cause, offer);
  }
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
  if (isRecord(body) && typeof body.code === 'string' && typeof body.detail === 'string') {
    return { ...(body as unknown as ErrorBody), status };
  }
  return { code: 'UNKNOWN', status, detail: `The service answered ${status} without words of its own.` };
}

function toAnswer(body: unknown): Record<string, unknown> {
  if (isRecord(body)) return body;
  throw new UnexpectedAnswerError('The answer is no JSON object.');
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
