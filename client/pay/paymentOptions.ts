import type { PendingCall } from '../errors.ts';
import { Budget, type SpendLimit } from './budget.ts';
import type { PaymentSession, Progress } from './buy.ts';
import type { Receipt } from './receipt.ts';
import type { AllowSandbox } from './sandboxOffer.ts';
import { type Patience, usualPatience } from './send.ts';
import { assertWallets, createPayer, type PayerOptions } from './wallets.ts';

/** The options of the REST client and of the tRPC link. */
export interface PaymentOptions extends PayerOptions {
  /** Base URL of the service, e.g. `http://127.0.0.1:4020`. */
  url: string;
  /** Default: 1 USD per call, no total limit. */
  spendLimit?: SpendLimit;
  /**
   * Whether to pay a truefill sandbox; default false. `only` rejects every other service, for wallets whose key is public.
   */
  allowSandbox?: AllowSandbox;
  /**
   * Called with each signed payment before it is sent. Store it to survive a crash: `resume` fetches its answer. If this
   * throws, the payment is not sent.
   */
  onSigned?: (pending: PendingCall) => void | Promise<void>;
  /** Called with the receipt of each answer, paid or free. */
  onReceipt?: (receipt: Receipt) => void;
  /** Called as a call proceeds: priced, settling, waiting. */
  onProgress?: (progress: Progress) => void;
  /** Retries of the same request or signature. */
  patience?: Partial<Patience>;
  fetch?: typeof fetch;
}

/** @throws {TypeError | RangeError} a wallet that cannot sign, or an impossible limit */
export function openSession(options: PaymentOptions): PaymentSession {
  assertWallets(options.wallet);
  return {
    url: options.url.replace(/\/+$/, ''),
    fetch: options.fetch ?? fetch,
    payer: () => createPayer(options),
    budget: new Budget(options.spendLimit ?? {}),
    patience: { ...usualPatience, ...options.patience },
    allowSandbox: options.allowSandbox ?? false,
    onSigned: options.onSigned ?? (() => undefined),
    onProgress: options.onProgress ?? (() => undefined),
  };
}
