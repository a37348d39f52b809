import type { AcceptedTerms, PaymentEnvelope } from './decodePayment.ts';
import type { JournaledTransaction } from './ledger/ledgerTypes.ts';
import type { QueueState } from './settlementQueue.ts';

/** Result of settling one payment. */
export type SettleOutcome =
  /** `block`: of the transaction, where known. */
  | { kind: 'settled'; transaction: string; block?: bigint }
  /** Known not to have paid the price. `reason` is one of x402's error codes. */
  | {
      kind: 'refused';
      reason: string;
      detail: string;
      /** An earlier use of the payment may have moved money, so the answer may only state that this request is uncharged. */
      mayHavePaid?: true;
      /** This service's transaction failed on chain: its gas is spent, and it paid nothing. */
      failedOnChain?: true;
    }
  /**
   * Nothing was sent: the chain could not be read, our account cannot pay the gas, or the gas costs more than the call.
   * `detail` states the cause if the payer can act on it.
   */
  | { kind: 'unavailable'; detail?: string }
  /** Nothing was sent: the gas budget for payers of this kind is spent. */
  | { kind: 'limited'; detail: string; retryAfterSeconds: number }
  /** Whether the money moved is not known yet. */
  | { kind: 'unknown' };

/** Result of the checks before anything is sent. `reason` is one of x402's error codes. */
export type PayloadOutcome =
  | { kind: 'valid' }
  /** `mayHavePaid`: as in `SettleOutcome`. */
  | { kind: 'invalid'; reason: string; detail: string; mayHavePaid?: true }
  | { kind: 'unavailable' };

/** Whether a payment would settle now; nothing is sent to find out. */
export type VerifyOutcome =
  | { kind: 'valid' }
  /** Used on chain: it may have paid, which `settle` determines. It is no proof for a free call. */
  | { kind: 'used' }
  | Extract<SettleOutcome, { kind: 'refused' | 'unavailable' }>;

/** On-chain status of a payment that was refused after something had been sent for it. */
export type LateStatus =
  | { kind: 'settled'; transaction: string }
  /** It has not paid, and still can. */
  | { kind: 'open' }
  /** No block can include it any more, even if the latest ones are replaced. */
  | { kind: 'expired' };

/** The transaction that settled a payment, and those that were journaled for it. */
export interface PaidTransaction {
  transaction: string;
  sent: readonly JournaledTransaction[];
  block?: bigint | undefined;
}

/** A payment of the same wallet for which a transaction may be on chain. */
export interface OpenPayment {
  key: string;
  /** Of the transactions in its journal; empty where a remote facilitator sends them. */
  hashes: readonly string[];
}

/** A wallet's balance, read together with the state of its open payments. */
export interface Funds {
  /** Raw units of the network's asset. */
  balance: bigint;
  /** Keys of open payments that the balance already reflects, or that can no longer move money. */
  ended: ReadonlySet<string>;
}

/** A decoded payment that matches the offer; `Payment` is the scheme's own form of it. */
export interface SettleTask<Payment> {
  /** The payment's key in the ledger. */
  key: string;
  payment: Payment;
  /** The payment as the client sent it, and the accepted terms, for a remote facilitator. */
  envelope: PaymentEnvelope;
  terms: AcceptedTerms;
  /** Transactions journaled for it by an earlier run. */
  sent: readonly JournaledTransaction[];
  /** That run refused the payment: its transactions are known not to have paid. */
  wasRefused: boolean;
  /**
   * Why nothing may be sent for this payment: the wallet's balance does not cover it beside its other open payments, or
   * since an earlier process sent it the wallet was paused or has too many in flight. Undefined when it may be sent.
   * Runs beside the simulation, and is awaited before anything is journaled.
   * @throws {ChainUnreachableError} @throws {JsonRpcError}
   */
  checkFunds(): Promise<Extract<SettleOutcome, { kind: 'refused' | 'limited' }> | undefined>;
  /** Must have reached the disk when it resolves; called before each broadcast. */
  journal(transaction: JournaledTransaction): Promise<void>;
}

/** Settles payments of one network. The embedded ones hold a key, a remote one a URL. */
export interface Facilitator<Payment> {
  readonly network: string;
  /** Whether our own account pays the gas, also of a settlement that fails. */
  readonly spendsOurGas: boolean;
  /** Checks what can be checked before the first payment. @throws when the network is not the configured one. */
  start(): Promise<void>;
  /** What a client must know to pay there, for `extra` in the offer; undefined: not known yet, so nothing is offered. */
  offerExtra(): Promise<Record<string, unknown> | undefined>;
  /** Whether it fits the terms and is signed. Local where it can be: no RPC for a plain key. */
  examine(payment: Payment, terms: AcceptedTerms, nowSeconds: number): Promise<PayloadOutcome>;
  /** For a free call: the payment must be good in every way, and is not settled. */
  verify(task: Pick<SettleTask<Payment>, 'payment' | 'envelope' | 'terms'>): Promise<VerifyOutcome>;
  /**
   * The paying wallet's balance, and its open payments that no longer reduce it.
   * @throws {ChainUnreachableError} @throws {JsonRpcError}
   */
  readFunds(payment: Payment, open: readonly OpenPayment[]): Promise<Funds>;
  /** Ends only with a verdict, however long that takes; the caller decides how long it listens. */
  settle(task: SettleTask<Payment>): Promise<SettleOutcome>;
  /**
   * Looks whether a payment that was refused has paid after all; nothing is sent.
   * @throws {ChainUnreachableError} @throws {JsonRpcError} the status cannot be read.
   */
  readLateStatus(payment: Payment, sent: readonly JournaledTransaction[]): Promise<LateStatus>;
  /**
   * How many settlements our account can still pay gas for; undefined when a remote facilitator pays it.
   * @throws {ChainUnreachableError} @throws {JsonRpcError}
   */
  readAffordableSettlements(): Promise<bigint | undefined>;
  /** Sends journaled transactions again, oldest first, before any new one is signed. */
  resend(transactions: readonly JournaledTransaction[]): Promise<void>;
  /** Rechecks a settled payment in the background, on chains with reorganisations. */
  watchPaid(task: Pick<SettleTask<Payment>, 'key' | 'payment' | 'envelope' | 'terms'>, paid: PaidTransaction): void;
  /** Payments that wait to be sent; absent where none wait. */
  queue?(): QueueState;
  close(): void;
}
