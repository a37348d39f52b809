import type { x402Client } from '@x402/core/client';
import { encodePaymentSignatureHeader } from '@x402/core/http';
import type { PaymentRequired } from '@x402/core/types';
import {
  AnswerPendingError,
  type ErrorBody,
  NoPaymentOptionError,
  PaymentRefusedError,
  type PendingCall,
  RequestRefusedError,
  UnavailableError,
  UnexpectedAnswerError,
} from '../errors.ts';
import type { Budget } from './budget.ts';
import { isRecord } from './isRecord.ts';
import { decodeHeader, type Receipt, readSettlement, toReceipt } from './receipt.ts';
import { type AllowSandbox, assertSandboxAllowed, assertSandboxPayment } from './sandboxOffer.ts';
import { type Attempt, type RetryOptions, send } from './send.ts';
import { isTrpcPath, unwrapEnvelope } from './trpcEnvelope.ts';

/** The progress of a call. */
export type Progress =
  | { stage: 'priced'; priceUsd: number; network: string; firstCallFree: boolean }
  | { stage: 'settling'; network: string }
  | { stage: 'waiting'; waitMs: number; reason: string };

/** The state and options that all calls of a client share. */
export interface PaymentSession {
  url: string;
  fetch: typeof fetch;
  payer: () => Promise<x402Client>;
  /** URL of the node whose blockhash a Solana payment contains; undefined for the default node of mainnet. */
  solanaRpcUrl: string | undefined;
  budget: Budget;
  retry: RetryOptions;
  allowSandbox: AllowSandbox;
  /** Called before a signed payment is sent. If it throws, the payment is not sent. */
  onSigned: (pending: PendingCall) => void | Promise<void>;
  onProgress: (progress: Progress) => void;
  /** Aborts the call before the payment is sent. Afterwards it ends the wait with an `AnswerPendingError`. */
  signal?: AbortSignal | undefined;
  /** Called with the unchanged `error` of each tRPC response; undefined for a response without an error. */
  onTrpcError?: (error: unknown) => void;
}

/** A paid or free answer with its receipt. */
export interface Bought {
  answer: Record<string, unknown>;
  receipt: Receipt;
}

const usdcUnits = 1_000_000;

/**
 * Buys one answer: sends the request, signs one payment option of the 402, and sends that signature until an answer
 * arrives.
 *
 * @throws {RequestRefusedError | PaymentRefusedError | UnavailableError | AnswerPendingError | SpendLimitError |
 * NoPaymentOptionError | SandboxError | UnexpectedAnswerError}
 */
export async function buy(session: PaymentSession, path: string, request: unknown): Promise<Bought> {
  const body = JSON.stringify(request);
  const unpaid = await post(session, { path, body });
  session.signal?.throwIfAborted();
  if (unpaid.kind === 'lost') throw new UnavailableError(unreachable(session.url), { cause: unpaid.cause });
  if (unpaid.status === 200) return { answer: toAnswer(unpaid.body), receipt: toReceipt(unpaid.headers, 0) };
  if (unpaid.status !== 402) throw toRefusal(unpaid, ' Nothing was signed.');

  const offer = toOffer(unpaid.headers.get('payment-required'));
  if (!offer)
    throw new UnexpectedAnswerError(
      'The 402 has no PAYMENT-REQUIRED header of base64 JSON with accepts[]. Nothing was signed. Is this the address of a truefill service?',
    );
  const signed = await sign(session, offer, isRecord(unpaid.body) && unpaid.body.firstCall === 'free');
  const pending = { path, body, paymentSignature: signed.header };
  try {
    session.signal?.throwIfAborted();
    await session.onSigned(pending);
  } catch (cause) {
    session.budget.release(signed.units);
    throw cause;
  }
  session.budget.assign(signed.header, signed.units);
  session.onProgress({ stage: 'settling', network: signed.network });
  return redeem(session, pending);
}

export const unreachable = (url: string): string =>
  `${url} cannot be reached. Nothing was signed. Check the address and that the service runs.`;

/** Decodes PAYMENT-REQUIRED. Undefined if it does not contain the list `accepts`. */
export function toOffer(header: string | null): PaymentRequired | undefined {
  const offer = decodeHeader(header);
  return isRecord(offer) && Array.isArray(offer.accepts) ? (offer as unknown as PaymentRequired) : undefined;
}

/**
 * Sends a signature until an answer arrives. The service never charges it twice. If it was not charged, its reservation in
 * the budget is released.
 *
 * @throws {AnswerPendingError} no answer arrived; the payment may have settled
 * @throws {PaymentRefusedError | RequestRefusedError}
 * @throws {SpendLimitError} the payment was refused before, and its amount no longer fits in the budget; nothing was sent
 */
export async function redeem(session: PaymentSession, pending: PendingCall): Promise<Bought> {
  const { budget } = session;
  budget.reserveAgain(pending.paymentSignature);
  const attempt = await post(session, pending).catch((cause: unknown) => {
    // For example the HTML page of a proxy. The payment may have settled.
    throw cause instanceof UnexpectedAnswerError ? new AnswerPendingError(pending, { cause }) : cause;
  });
  if (attempt.kind === 'lost') throw new AnswerPendingError(pending, { cause: attempt.cause });
  const { status, headers } = attempt;
  if (status === 200 && isRecord(attempt.body)) {
    const receipt = toReceipt(headers, signedUnits(pending) / usdcUnits);
    budget.end(pending.paymentSignature, receipt.free ? 'free' : 'charged');
    return { answer: attempt.body, receipt };
  }
  if (!isRefusal(attempt)) throw new AnswerPendingError(pending, { cause: toRefusal(attempt) });
  budget.end(pending.paymentSignature, mayHaveCharged(attempt) ? 'charged' : 'refused');
  if (status === 402) throw new PaymentRefusedError(toErrorBody(attempt), reasonOf(headers));
  throw toRefusal(attempt);
}

async function post(
  session: PaymentSession,
  call: { path: string; body: string; paymentSignature?: string },
): Promise<Attempt> {
  const attempt = await send({
    ...call,
    fetch: session.fetch,
    url: session.url + call.path,
    retry: session.retry,
    signal: session.signal,
    onWait: (waitMs, attempt) => {
      const reason = attempt.kind === 'lost' ? 'the connection was lost' : `the service returned ${attempt.status}`;
      session.onProgress({ stage: 'waiting', waitMs, reason });
    },
  });
  if (attempt.kind === 'lost' || !isTrpcPath(call.path)) return attempt;
  const { body, error } = unwrapEnvelope(attempt.body);
  session.onTrpcError?.(error);
  return { ...attempt, body };
}

/** Whether the response is a final refusal by the service itself and not by a proxy. */
function isRefusal({ status, body }: Extract<Attempt, { kind: 'response' }>): boolean {
  return status >= 400 && status < 500 && status !== 429 && isErrorBody(body);
}

/**
 * 409: the payment was used before. A 402 that says only "This request charged nothing." does not exclude an earlier charge.
 * Any other refusal happens before settlement.
 */
const mayHaveCharged = (attempt: Extract<Attempt, { kind: 'response' }>): boolean =>
  attempt.status === 409 ||
  (attempt.status === 402 && toErrorBody(attempt).detail.endsWith('This request charged nothing.'));

interface Signed {
  /** The PAYMENT-SIGNATURE header. */
  header: string;
  network: string;
  /** Base units of USDC, reserved in the budget. */
  units: number;
}

/**
 * Signs one payment within the budget. If signing fails, the reservation is released.
 * @throws {SandboxError | SpendLimitError | NoPaymentOptionError}
 */
export async function sign(session: PaymentSession, offer: PaymentRequired, firstCallFree: boolean): Promise<Signed> {
  assertSandboxAllowed(offer, session.allowSandbox, session.url);
  const payer = await session.payer();
  let units = 0;
  payer.onBeforePaymentCreation(async ({ selectedRequirements }) => {
    assertSandboxPayment(selectedRequirements, session);
    const price = Number(selectedRequirements.amount);
    session.budget.reserve(price);
    units = price;
    const { network } = selectedRequirements;
    session.onProgress({ stage: 'priced', priceUsd: price / usdcUnits, network, firstCallFree });
  });
  try {
    const payload = await payer.createPaymentPayload(withIdentifier(offer));
    return { header: encodePaymentSignatureHeader(payload), network: payload.accepted.network, units };
  } catch (cause) {
    session.budget.release(units);
    throw toSigningError(cause, offer);
  }
}

/**
 * Adds a payment-identifier to the offer if the service declares that extension. The service then replays the answer for
 * 24 hours instead of minutes, because observers of the chain cannot see the identifier.
 */
function withIdentifier(offer: PaymentRequired): PaymentRequired {
  const declared = offer.extensions?.['payment-identifier'];
  if (!isRecord(declared) || !isRecord(declared.info)) return offer;
  const id = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const info = { ...declared.info, id };
  return { ...offer, extensions: { ...offer.extensions, 'payment-identifier': { ...declared, info } } };
}

/** Converts the x402 client's "no matching requirements" error, which has no class of its own. */
function toSigningError(cause: unknown, offer: PaymentRequired): unknown {
  const message = cause instanceof Error ? cause.message : '';
  if (!/^(?:No (?:network|client|payment)|All payment requirements)/.test(message)) return cause;
  const networks = offer.accepts.map(({ network }) => network).join(', ');
  return new NoPaymentOptionError(
    `The service accepts payment on ${networks}, but no configured wallet can pay there. Nothing was signed. Pass a wallet for one of these networks, or change payOn (command line: --pay-on).`,
    { cause },
  );
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

function toRefusal(attempt: Extract<Attempt, { kind: 'response' }>, more = ''): Error {
  const body = toErrorBody(attempt);
  return attempt.status >= 500 || attempt.status === 429
    ? new UnavailableError(`${body.code}: ${body.detail}${more}`)
    : new RequestRefusedError(body);
}

function toErrorBody({ status, body }: Extract<Attempt, { kind: 'response' }>): ErrorBody {
  if (isErrorBody(body)) return { ...body, status };
  return {
    code: 'UNKNOWN',
    status,
    detail: `The service returned ${status} without an error body. Is this the address of a truefill service?`,
  };
}

function isErrorBody(body: unknown): body is ErrorBody {
  return isRecord(body) && typeof body.code === 'string' && typeof body.detail === 'string';
}

function toAnswer(body: unknown): Record<string, unknown> {
  if (isRecord(body)) return body;
  throw new UnexpectedAnswerError('The answer is not a JSON object. Nothing was signed.');
}
