import type { Ticket } from '../../router/index.ts';
import type { QueueState } from './settlementQueue.ts';

/** The names of what can be bought; each is a tRPC procedure that states its own price. */
export type PaidName = string;

/** An answer as it left the first time, kept so that a replay is the same to the byte. */
export interface StoredAnswer {
  status: number;
  contentType: string;
  body: string;
  /** PAYMENT-RESPONSE with the signed receipt of this answer; absent: the one of the settlement. */
  paymentResponse?: string;
}

/** A valid, still unpaid request with a PAYMENT-SIGNATURE header. */
export interface PaymentAttempt {
  paid: PaidName;
  /** Surface and canonical path: `POST /v1/quote` or `POST /trpc/quote`; aliases are one path. */
  route: string;
  /** The validated input as canonical JSON (sorted keys): what the ticket opens. */
  canonicalInput: string;
  /** One text for all spellings of the question: what the payment is bound to. */
  question: string;
  /** The header as received. */
  paymentHeader: string;
  /** Of the request, for the log. */
  requestId?: string;
  /** The client's address, for the limit of free calls. */
  client?: string;
  /** Called when a new payment is about to be charged: why there is no answer to charge for, if there is none. */
  beforeCharge?: () => Promise<ChargeBlocker | undefined>;
}

/** Why a request is not charged: its answer is unavailable for now, or the request is invalid. */
export type ChargeBlocker =
  | { kind: 'unavailable'; code: string; detail: string; retryAfterSeconds: number }
  | { kind: 'invalid'; detail: string };

export type PaymentDecision =
  /** Paid and answered before: send this again, with `Idempotent-Replayed: true`. */
  | { kind: 'replay'; answer: StoredAnswer; paymentResponse: string }
  /** Settled (or a trial): run the procedure, then call exactly one of `complete` and `fail`. */
  | {
      kind: 'serve';
      ticket: Ticket;
      paymentResponse: string;
      /** The wallet's free call: nothing was settled. */
      free?: true;
      /** The answer is stored (durably, in time) BEFORE it is sent; resolves with the one to send, the first of this payment. */
      complete(answer: StoredAnswer): Promise<StoredAnswer>;
      /** The engine failed: the credit stays (a free call is given back), the same signature may come again. */
      fail(reason: string): Promise<void>;
    }
  /** Not served and not charged by this request; `headers` may hold PAYMENT-REQUIRED, PAYMENT-RESPONSE, Retry-After. */
  | {
      kind: 'refuse';
      status: 400 | 402 | 409 | 429 | 503;
      code: string;
      detail: string;
      /** x402's code, for the log; optional. */
      reason?: string;
      headers: Record<string, string>;
    };

/**
 * Whether our account on a network can pay for settlements: `low` for fewer than 200, `empty` for none. `elsewhere`: a
 * remote facilitator pays. `unread`: could not be read yet, or any more.
 */
export type GasState = 'ok' | 'low' | 'empty' | 'unread' | 'elsewhere';

/** The state and its number of settlements; undefined when not read, or when a remote facilitator pays. */
export interface GasLeft {
  state: GasState;
  settlements: bigint | undefined;
}

export interface PaymentService {
  /**
   * Built once at start: touches neither RPC nor store. `header` is the PAYMENT-REQUIRED value.
   * @param path the path that was called, named as the resource; the canonical one by default
   */
  challenge(paid: PaidName, path?: string): { header: string; summary: Record<string, unknown> };
  /** Never throws for what a client can cause; waits for a settlement even if the client hangs up. */
  decide(attempt: PaymentAttempt): Promise<PaymentDecision>;
  /** By network, from memory: whether our accounts can pay for settlements. */
  gas(): Record<string, GasState>;
  /** The same with for how many settlements it lasts. */
  gasLeft(): Record<string, GasLeft>;
  /** By network that settles in groups: the payments that wait to be sent. */
  queues(): Record<string, QueueState>;
  /** Waits until settlements in flight have ended. */
  close(): Promise<void>;
}
