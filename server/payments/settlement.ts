import type { PaymentDecision, StoredAnswer } from './paymentTypes.ts';

/** Result of settling one payment. `free`: used as the wallet's free call; nothing was settled. */
export type SettlementResult =
  | { kind: 'settled'; paymentResponse: string; free: boolean }
  /** Another replica answered the payment in the meantime. */
  | { kind: 'answered'; paymentResponse: string; answer: StoredAnswer }
  | { kind: 'refuse'; refusal: Extract<PaymentDecision, { kind: 'refuse' }> };

/** Result of serving one settled payment. */
export type ServeOutcome = { kind: 'answered'; answer: StoredAnswer } | { kind: 'failed' };

/**
 * A settlement in this process, shared by all concurrent requests that carry the same payment. It continues after all
 * clients have disconnected.
 */
export interface Settlement {
  fingerprint: string;
  result: Promise<SettlementResult>;
  /** Number of requests that wait for `result`. The first one that finds `isServing` false runs the procedure. */
  waiting: number;
  isServing: boolean;
  served: Promise<ServeOutcome>;
  endServing(outcome: ServeOutcome): void;
}

/** Starts a settlement. @param settle is called immediately */
export function startSettlement(fingerprint: string, settle: () => Promise<SettlementResult>): Settlement {
  let endServing: (outcome: ServeOutcome) => void = () => undefined;
  const served = new Promise<ServeOutcome>((resolve) => {
    endServing = resolve;
  });
  return { fingerprint, result: settle(), waiting: 0, isServing: false, served, endServing };
}
