import { type PendingCall, UnavailableError, UnexpectedAnswerError } from './errors.ts';
import { type Bought, buy, redeem, unreachable } from './pay/buy.ts';
import { toOffer } from './pay/offer.ts';
import { toRefusal } from './pay/outcome.ts';
import { openSession, type PaymentOptions } from './pay/paymentOptions.ts';
import type { PaymentSession } from './pay/paymentSession.ts';
import { noPayments, sign } from './pay/sign.ts';
import { toTrpcPath } from './pay/trpcEnvelope.ts';
import { type PretradeCheck, toCheck } from './toCheck.ts';
import type { Health, PretradeRequest, Quote, QuoteRequest, Transaction, TransactionRequest } from './wire.ts';

export type TruefillClientOptions = PaymentOptions;

/**
 * A client of one service. Nothing was signed after `SpendLimitError`, `SandboxError`, `NoPaymentOptionError` and
 * `UnexpectedAnswerError`. `body.charged` of `RequestRefusedError` and `PaymentRefusedError` states whether the payment was
 * charged. After `AnswerPendingError` it may have settled: pass its `pending` to `resume`.
 */
export interface TruefillClient {
  /** Buys an executable quote for the full size. */
  quote(request: QuoteRequest): Promise<Quote>;
  /** Checks a token for proven traps. A verdict that this client version does not support becomes `unknown`. */
  pretradeCheck(request: PretradeRequest): Promise<PretradeCheck>;
  /** Fetches the state of the service and of its chains. Free. */
  health(): Promise<Health>;
  /**
   * Fetches the transaction that executes a quote through the executor. Free.
   * @throws {RequestRefusedError} the order cannot be executed, or the chain has no executor
   */
  buildTransaction(request: TransactionRequest): Promise<Transaction>;
  /** Fetches the answer to a pending payment by sending the same signature again. */
  resume(pending: PendingCall): Promise<Record<string, unknown>>;
  /**
   * Signs one payment option of a 402, for callers that send the request themselves.
   * @param paymentRequired the PAYMENT-REQUIRED header of the 402
   * @returns the PAYMENT-SIGNATURE header for the same request
   */
  sign(paymentRequired: string): Promise<string>;
  /** US dollars of all signed payments that were charged, may have been charged, or can still be charged. */
  readonly spentUsd: number;
}

/** The canonical paths. A test compares them with the router. */
export const paths = { quote: '/v1/quote', pretradeCheck: '/v1/pretrade/check' } as const;

/**
 * A typed client that pays for its calls. Each call signs at most one payment. After a 503 or a lost connection it sends
 * the same signature again, so that nothing is paid twice.
 *
 * @throws {TypeError | RangeError} a wallet cannot sign, or a limit is invalid
 * @example
 * const truefill = createTruefillClient({ url, wallet: privateKeyToAccount('0x…'), spendLimit: { totalUsd: 5 } });
 * const quote = await truefill.quote({ tokenIn, tokenOut, sizeIn: '2.5' });
 */
export function createTruefillClient(options: TruefillClientOptions): TruefillClient {
  const session = openSession(options);
  const takeAnswer = ({ answer, receipt }: Bought): Record<string, unknown> => {
    options.onReceipt?.(receipt);
    return answer;
  };

  return {
    async quote(request) {
      return takeAnswer(await buy(session, paths.quote, request)) as unknown as Quote;
    },
    async pretradeCheck(request) {
      return toCheck(takeAnswer(await buy(session, paths.pretradeCheck, request)));
    },
    health: () => fetchFree<Health>(session, '/health'),
    buildTransaction: (request) => fetchFree<Transaction>(session, '/v1/quote/transaction', request),
    async resume(pending) {
      const answer = takeAnswer(await redeem(session, pending));
      const isCheck = pending.path === paths.pretradeCheck || pending.path === toTrpcPath('pretradeCheck');
      return isCheck ? { ...toCheck(answer) } : answer;
    },
    async sign(paymentRequired) {
      const offer = toOffer(paymentRequired);
      if (!offer)
        throw new UnexpectedAnswerError(
          'Not a PAYMENT-REQUIRED header: expected base64 of JSON with accepts[]. Nothing was signed.',
        );
      return (await sign(session, offer, { firstCallFree: false, earlier: noPayments })).header;
    },
    get spentUsd() {
      return session.budget.spentUsd;
    },
  };
}

/** @param body sent by POST if given */
async function fetchFree<Answer>({ url, fetch }: PaymentSession, path: string, body?: object): Promise<Answer> {
  const post = body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  let response: Response;
  try {
    response = await fetch(url + path, { ...post, signal: AbortSignal.timeout(10_000) });
  } catch (cause) {
    throw new UnavailableError(unreachable(url), { cause });
  }
  const answer: unknown = await response.json().catch((cause: unknown) => {
    throw new UnexpectedAnswerError(
      `${url}${path} is not JSON. Nothing was signed. Is this the address of a truefill service?`,
      { cause },
    );
  });
  if (post && !response.ok)
    throw toRefusal({ kind: 'response', status: response.status, headers: response.headers, body: answer });
  if (!response.ok)
    throw new UnavailableError(`${url}${path} returned HTTP ${response.status}. Nothing was signed. Try again later.`);
  return answer as Answer;
}
