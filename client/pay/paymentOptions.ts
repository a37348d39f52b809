import type { PendingCall } from '../errors.ts';
import { Budget, type SpendLimit } from './budget.ts';
import type { Progress, Till } from './buy.ts';
import type { Receipt } from './receipt.ts';
import type { AllowSandbox } from './sandboxOffer.ts';
import { type Patience, usualPatience } from './send.ts';
import { assertWallets, createPayer, type PayerOptions } from './wallets.ts';

/** The options of the REST client and of the tRPC link. */
export interface PaymentOptions extends PayerOptions {
  /** Base URL of the service, e.g. `http://127.0.0.1:4020`. */
  url: string;
  /** What may be spent. Without one: 1 USD a call, no total. */
  spendLimit?: SpendLimit;
  /**
   * Whether a truefill sandbox may be paid: false when omitted. `only` refuses every other service, for wallets whose
   * key is public.
   */
  allowSandbox?: AllowSandbox;
  /**
   * Called with each signed payment before it is sent. Store it to survive a crash: resuming it fetches its answer. The
   * payment is not sent when this throws.
   */
  onSigned?: (pending: PendingCall) => void | Promise<void>;
  /** Called with the receipt of each answer that was paid for, or free. */
  onReceipt?: (receipt: Receipt) => void;
  /** Called as a call proceeds: priced, settling, waiting. */
  onProgress?: (progress: Progress) => void;
  /** How long to go on with the same signature. */
  patience?: Partial<Patience>;
  fetch?: typeof fetch;
}

/** @throws {TypeError | RangeError} a wallet that cannot sign, or an impossible limit */
export function toTill(options: PaymentOptions): Till {
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
