import type { PaymentDecision, StoredAnswer } from './paymentTypes.ts';

/** Result of settling one payment; `free`: taken as the wallet's free call, nothing was settled. */
export type SettlementResult =
  | { kind: 'settled'; paymentResponse: string; free: boolean }
  /** Another replica answered the payment in the meantime. */
  | { kind: 'answered'; paymentResponse: string; answer: StoredAnswer }
  | { kind: 'refuse'; refusal: Extract<PaymentDecision, { kind: 'refuse' }> };

/** Result of serving one settled payment. */
export type ServeOutcome = { kind: 'answered'; answer: StoredAnswer } | { kind: 'failed' };

/**
 * One payment that this process settles, shared by all concurrent requests with it. It continues when every client has
 * disconnected.
 */
export interface Settlement {
  fingerprint: string;
  result: Promise<SettlementResult>;
  /** Requests that wait for `result`; the first one to find `isServing` false serves. */
  waiting: number;
  isServing: boolean;
  served: Promise<ServeOutcome>;
  endServing(outcome: ServeOutcome): void;
}

/** @param settle is called at once */
export function startSettlement(fingerprint: string, settle: () => Promise<SettlementResult>): Settlement {
  let endServing: (outcome: ServeOutcome) => void = () => undefined;
  const served = new Promise<ServeOutcome>((resolve) => {
    endServing = resolve;
  });
  return { fingerprint, result: settle(), waiting: 0, isServing: false, served, endServing };
}
