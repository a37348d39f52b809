import type { PendingCall } from '../errors.ts';
import type { Budget } from './budget.ts';
import type { AllowSandbox } from './sandboxOffer.ts';
import type { RetryOptions } from './send.ts';
import type { Payer } from './wallets.ts';

/** The progress of a call. `switching`: a network did not charge the payment, so the next one is signed on another. */
export type Progress =
  | { stage: 'priced'; priceUsd: number; network: string; firstCallFree: boolean }
  | { stage: 'settling'; network: string }
  | { stage: 'waiting'; waitMs: number; reason: string }
  | { stage: 'switching'; from: string; network: string };

/** The state and options that all calls of a client share. */
export interface PaymentSession {
  url: string;
  fetch: typeof fetch;
  payer: () => Promise<Payer>;
  payOn: string | undefined;
  /** A payment that can stay valid for longer is not signed. */
  maxValiditySeconds: number;
  /** URL of the node whose blockhash a Solana payment contains; undefined for the default node of mainnet. */
  solanaRpcUrl: string | undefined;
  budget: Budget;
  retry: RetryOptions;
  allowSandbox: AllowSandbox;
  /** Called before a signed payment is sent. If it throws, the payment is not sent. */
  onSigned: (pending: PendingCall) => void | Promise<void>;
  /** Called when a payment need not be sent again. */
  onFinished: (pending: PendingCall) => void;
  onProgress: (progress: Progress) => void;
  /** Aborts the call before the payment is sent. Afterwards it ends the wait with an `AnswerPendingError`. */
  signal?: AbortSignal | undefined;
  /** Called with the unchanged `error` of each tRPC response; undefined for a response without an error. */
  onTrpcError?: (error: unknown) => void;
}
