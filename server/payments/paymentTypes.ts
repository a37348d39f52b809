import type { Ticket } from '../../router/index.ts';
import type { QueueState } from './settlementQueue.ts';
import type { SettlementObstacle } from './settlementState.ts';

/** A JSON-RPC response without its id. */
export type RpcAnswer = { result: unknown } | { error: { code: number; message: string } };

/**
 * The reads that a payment on Solana needs before it is signed. Wallets of browsers offer none, and public nodes refuse
 * requests of pages.
 */
export interface WalletReads {
  /**
   * Replies to `getLatestBlockhash`, `getAccountInfo` of USDC's mint, and `getTokenAccountBalance`. Every other request
   * gets an error without a read, so that no caller uses the operator's node for anything else. The reads of all callers
   * together are bounded: anyone can send these requests, without a payment and from many addresses.
   * @throws {ChainUnreachableError} no node returned a valid result
   */
  reply(method: unknown, params: unknown): Promise<RpcAnswer>;
}

/** The name of a paid product, which is a tRPC procedure. */
export type PaidName = string;

/** An answer as it was first sent, stored so that a replay has the same bytes. */
export interface StoredAnswer {
  status: number;
  contentType: string;
  body: string;
  /** PAYMENT-RESPONSE with the signed receipt of this answer; absent: the settlement's PAYMENT-RESPONSE is sent. */
  paymentResponse?: string;
}

/** A valid request with a PAYMENT-SIGNATURE header. */
export interface PaymentAttempt {
  paid: PaidName;
  /** Method and canonical path, `POST /v1/quote` or `POST /trpc/quote`; aliases have the canonical path. */
  route: string;
  /** The validated input as canonical JSON (sorted keys). The ticket is valid for this input. */
  canonicalInput: string;
  /** The normalised input, equal for equivalent inputs. The payment is bound to it. */
  queryKey: string;
  /** The query key of another input of this product, given as canonical JSON. Absent: only equal inputs are one query. */
  identifyInput?: (canonicalInput: string) => string;
  /** The header as received. */
  paymentHeader: string;
  /** For the log. */
  requestId?: string;
  /** The client's IP address, for the limit of free calls. */
  client?: string;
  /** Called when a new payment of a wallet with a settled payment is verified: the request then counts for the wallet. */
  countForWallet?: ((wallet: string) => void) | undefined;
  /** Called before a new payment is charged. Returns a reason if no answer is possible. */
  beforeCharge?: () => Promise<ChargeBlocker | undefined>;
  /** Called while the verified payment settles, to begin the reads of its answer. See `Preparations`. */
  prepare?: () => void;
}

/** Why a request is not charged: its answer is unavailable for now, or the request is invalid. */
export type ChargeBlocker =
  | { kind: 'unavailable'; code: string; detail: string; retryAfterSeconds: number }
  | { kind: 'invalid'; detail: string };

/** The wallet that a PAYMENT-SIGNATURE names. */
export interface PaymentSigner {
  wallet: string;
  /** The payment's key in the ledger. */
  key: string;
  /** Whether the wallet has a settled payment on record. */
  hasPaid(): Promise<boolean>;
  /**
   * Whether the wallet's key signed these terms and they have not expired. Computed in this process. False for a contract
   * wallet, whose signature only a node can verify.
   */
  hasSigned(): Promise<boolean>;
}

export type PaymentDecision =
  /** Paid and answered before: send the stored answer, with `Idempotent-Replayed: true`. */
  | { kind: 'replay'; answer: StoredAnswer; paymentResponse: string }
  /** Settled, or a free call: run the procedure, then call exactly one of `complete` and `fail`. */
  | {
      kind: 'serve';
      ticket: Ticket;
      paymentResponse: string;
      /** The wallet's free call: nothing was settled. */
      free?: true;
      /**
       * Stores the answer on disk, before it is sent. Resolves with the answer to send: the first one of this payment.
       * @throws {LedgerOrderError} the handler had already timed out
       */
      complete(answer: StoredAnswer): Promise<StoredAnswer>;
      /** Records that the engine failed: a payment stays a credit, a free call returns to its wallet. */
      fail(reason: string): Promise<void>;
    }
  /** Not served. `headers` may contain PAYMENT-REQUIRED, PAYMENT-RESPONSE and Retry-After. */
  | {
      kind: 'refuse';
      status: 400 | 402 | 409 | 429 | 503;
      code: string;
      detail: string;
      /** @see ErrorBody.charged */
      charged: boolean | null;
      /** x402's code, for the log; optional. */
      reason?: string;
      headers: Record<string, string>;
    };

/**
 * Whether our account on a network can pay for settlements: `low`: gas for fewer than 200 settlements; `empty`: for none.
 * `elsewhere`: a remote facilitator pays. `unread`: the last read failed, or none has completed.
 */
export type GasState = 'ok' | 'low' | 'empty' | 'unread' | 'elsewhere';

/** The state, and the number of settlements: undefined if it is not read, or a remote facilitator pays. */
export interface GasLeft {
  state: GasState;
  settlements: bigint | undefined;
}

export interface PaymentService {
  /**
   * The 402 of an unpaid request, from memory. `header` is the PAYMENT-REQUIRED value, `summary` goes into the body.
   * @param path the requested path, for `resource.url`; default: the canonical path
   * @throws {RequestError} UPSTREAM_UNAVAILABLE: no network can settle now
   */
  challenge(paid: PaidName, path?: string): { header: string; summary: Record<string, unknown> };
  /** The entries of `accepts[]` that a 402 offers now, from memory; empty while no network can settle. */
  accepts(paid: PaidName): readonly unknown[];
  /** Never rejects because of a client; waits for a settlement even if the client disconnects. */
  decide(attempt: PaymentAttempt): Promise<PaymentDecision>;
  /** @see readSigner */
  readSigner(paymentHeader: string): PaymentSigner | undefined;
  /** By network, from memory: `ok`, or why it is not offered. */
  settlement(): Record<string, SettlementObstacle | 'ok'>;
  /** By network, from memory: the gas state, and the number of settlements that the gas covers. */
  gasLeft(): Record<string, GasLeft>;
  /** By network with a queue: the payments that wait to be sent. */
  queues(): Record<string, QueueState>;
  /** Undefined if no payment on Solana is configured. */
  walletReads: WalletReads | undefined;
  /** Stops, and waits until running settlements have ended. */
  close(): Promise<void>;
}
