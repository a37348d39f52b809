import type { PendingCall } from '../errors.ts';
import { Budget, type SpendLimit } from './budget.ts';
import type { PaymentSession, Progress } from './paymentSession.ts';
import type { Receipt } from './receipt.ts';
import type { AllowSandbox } from './sandboxOffer.ts';
import { defaultRetry, type RetryOptions } from './send.ts';
import { assertWallets, createPayer, type PayerOptions } from './wallets.ts';

/** The options of the REST client and of the tRPC link. */
export interface PaymentOptions extends PayerOptions {
  /** Base URL of the service, e.g. `http://127.0.0.1:4020`. */
  url: string;
  /** Default: 1 USD per call, no total limit. */
  spendLimit?: SpendLimit;
  /** A payment that can stay valid for longer is not signed, because it counts for as long. Default: 300. */
  maxValiditySeconds?: number;
  /**
   * Whether to pay a truefill sandbox. Default: false. `only` rejects every other payment; use it for a wallet whose
   * private key is public. On Solana it requires `solanaRpcUrl`, the node of the sandbox.
   */
  allowSandbox?: AllowSandbox;
  /**
   * Called with each signed payment before it is sent. If you store it, `resume` can fetch its answer after a crash. If the
   * callback throws, the payment is not sent.
   */
  onSigned?: (pending: PendingCall) => void | Promise<void>;
  /**
   * Called when a payment of `onSigned` need not be sent again: it was answered or refused, or it was not charged and the
   * call signed another one. If you store payments, delete it.
   */
  onFinished?: (pending: PendingCall) => void;
  /** Called with the receipt of each answer, paid or free. */
  onReceipt?: (receipt: Receipt) => void;
  /** Called at each stage of a call: priced, settling, waiting. */
  onProgress?: (progress: Progress) => void;
  /** Attempts and timeouts of each request. Default: 6 attempts of 60 s, waits of at most 30 s. */
  retry?: Partial<RetryOptions>;
  fetch?: typeof fetch;
}

/** @throws {TypeError | RangeError} a wallet cannot sign, or a limit is invalid */
export function openSession(options: PaymentOptions): PaymentSession {
  assertWallets(options.wallet);
  return {
    url: options.url.replace(/\/+$/, ''),
    fetch: options.fetch ?? fetch,
    payer: () => createPayer(options),
    payOn: options.payOn,
    maxValiditySeconds: toValidity(options.maxValiditySeconds ?? 300),
    solanaRpcUrl: options.solanaRpcUrl,
    budget: new Budget(options.spendLimit ?? {}),
    retry: { ...defaultRetry, ...options.retry },
    allowSandbox: options.allowSandbox ?? false,
    onSigned: options.onSigned ?? (() => undefined),
    onFinished: options.onFinished ?? (() => undefined),
    onProgress: options.onProgress ?? (() => undefined),
  };
}

function toValidity(seconds: number): number {
  if (Number.isFinite(seconds) && seconds > 0) return seconds;
  throw new RangeError(
    `Invalid maxValiditySeconds: expected a number of seconds above 0, got ${seconds}. Nothing was sent.`,
  );
}
