import type { PendingCall } from '../errors.ts';
import { Budget, type SpendLimit } from './budget.ts';
import type { PaymentSession, Progress } from './buy.ts';
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
    solanaRpcUrl: options.solanaRpcUrl,
    budget: new Budget(options.spendLimit ?? {}),
    retry: { ...defaultRetry, ...options.retry },
    allowSandbox: options.allowSandbox ?? false,
    onSigned: options.onSigned ?? (() => undefined),
    onProgress: options.onProgress ?? (() => undefined),
  };
}
