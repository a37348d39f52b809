import { type PendingCall, UnavailableError, UnexpectedAnswerError } from './errors.ts';
import { type Bought, buy, redeem, sign, type Till, toOffer } from './pay/buy.ts';
import { type PaymentOptions, toTill } from './pay/paymentOptions.ts';
import { toTrpcPath } from './pay/trpcEnvelope.ts';
import { type PretradeCheck, toCheck } from './toCheck.ts';
import type { Health, PretradeRequest, Quote, QuoteRequest } from './wire.ts';

export type TruefillClientOptions = PaymentOptions;

export interface TruefillClient {
  /** What the full size really fills at. */
  quote(request: QuoteRequest): Promise<Quote>;
  /** Whether a trap is proven. A verdict that this client does not know is `unknown`. */
  pretradeCheck(request: PretradeRequest): Promise<PretradeCheck>;
  /** Liveness, free. */
  health(): Promise<Health>;
  /** Asks for the answer that is still owed, with the signature that was already sent. */
  resume(pending: PendingCall): Promise<Record<string, unknown>>;
  /**
   * Signs one payment that a 402 offers, for a caller who sends the request itself.
   * @param paymentRequired the PAYMENT-REQUIRED header of the 402
   * @returns the PAYMENT-SIGNATURE header for the same request
   */
  sign(paymentRequired: string): Promise<string>;
  /** What was spent, or may have been, in US dollars. */
  readonly spentUsd: number;
}

/** The canonical paths; a test holds them against the router. */
export const paths = { quote: '/v1/quote', pretradeCheck: '/v1/pretrade/check' } as const;

/**
 * The service's calls, typed, paying for themselves. Each call signs at most one payment; on a 503 or a lost connection
 * that same signature is sent again, so that nothing is paid twice.
 *
 * @example
 * const truefill = createTruefillClient({ url, wallet: privateKeyToAccount('0x…'), spendLimit: { totalUsd: 5 } });
 * const quote = await truefill.quote({ tokenIn, tokenOut, sizeIn: '2.5' });
 */
export function createTruefillClient(options: TruefillClientOptions): TruefillClient {
  const till = toTill(options);
  const told = ({ answer, receipt }: Bought): Record<string, unknown> => {
    options.onReceipt?.(receipt);
    return answer;
  };

  return {
    async quote(request) {
      return told(await buy(till, paths.quote, request)) as unknown as Quote;
    },
    async pretradeCheck(request) {
      return toCheck(told(await buy(till, paths.pretradeCheck, request)));
    },
    health: () => fetchHealth(till),
    // What it costs was set aside when it was signed, by this client or by another.
    async resume(pending) {
      const answer = told(await redeem(till, pending, 0));
      const isCheck = pending.path === paths.pretradeCheck || pending.path === toTrpcPath('pretradeCheck');
      return isCheck ? { ...toCheck(answer) } : answer;
    },
    async sign(paymentRequired) {
      const offer = toOffer(paymentRequired);
      if (!offer) throw new UnexpectedAnswerError('This is no PAYMENT-REQUIRED header: base64 of JSON with accepts[].');
      return (await sign(till, offer, false)).header;
    },
    get spentUsd() {
      return till.budget.spentUsd;
    },
  };
}

async function fetchHealth({ url, fetch }: Till): Promise<Health> {
  let response: Response;
  try {
    response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(10_000) });
  } catch (cause) {
    throw new UnavailableError(`${url} cannot be reached.`, { cause });
  }
  const body: unknown = await response.json().catch((cause: unknown) => {
    throw new UnexpectedAnswerError(`${url}/health is not JSON.`, { cause });
  });
  if (!response.ok) throw new UnavailableError(`${url}/health answered ${response.status}.`);
  return body as Health;
}
