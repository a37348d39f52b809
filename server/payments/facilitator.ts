import type { AcceptedTerms, PaymentEnvelope } from './decodePayment.ts';
import type { JournaledTransaction } from './ledger/ledgerTypes.ts';
import type { QueueState } from './settlementQueue.ts';

/** What the chain (or who speaks for it) says about one payment. */
export type SettleOutcome =
  | { kind: 'settled'; transaction: string }
  /** Known not to have paid the price. `reason` is one of x402's error codes. */
  | {
      kind: 'refused';
      reason: string;
      detail: string;
      /** An earlier use of the payment may have moved money, so the answer may only state that this request is uncharged. */
      mayHavePaid?: true;
      /** A transaction of ours failed on chain: its gas is spent, and it paid nothing. */
      failedOnChain?: true;
    }
  /**
   * Nothing was sent: the chain could not be read, our account cannot pay the gas, or the gas costs more than the call.
   * `detail` states the cause if the payer can act on it.
   */
  | { kind: 'unavailable'; detail?: string }
  /** Nothing was sent: the gas budget for payers of this kind is spent. */
  | { kind: 'limited'; detail: string; retryAfterSeconds: number }
  /** It cannot be told now whether the money moved. */
  | { kind: 'unknown' };

/** What can be told of a payment before anything is sent. `reason` is one of x402's error codes. */
export type Verdict =
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

/** What became, after all, of a payment that was refused once something had been sent for it. */
export type LateFate =
  | { kind: 'settled'; transaction: string }
  /** It has not paid, and still may. */
  | { kind: 'open' }
  /** No block can take it any more, however the latest ones are replaced. */
  | { kind: 'over' };

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
  /** The same as the client sent it, and the terms that it accepted: what a remote facilitator is shown. */
  envelope: PaymentEnvelope;
  terms: AcceptedTerms;
  /** Transactions journaled for it by an earlier run. */
  sent: readonly JournaledTransaction[];
  /** That run ended in a refusal: what it sent is known not to have paid. */
  wasRefused: boolean;
  /** The wallet has other payments in flight: one transaction of its own can make all of them fail at our cost. */
  hasOthersOpen: boolean;
  /**
   * Why the wallet's balance does not cover this payment beside its other open payments; undefined when it does.
   * Runs beside the simulation, and is awaited before anything is journaled.
   * @throws {ChainUnreachableError} @throws {NodeRefusalError}
   */
  checkFunds(): Promise<Extract<SettleOutcome, { kind: 'refused' }> | undefined>;
  /** Must have reached the disk when it resolves; called before each broadcast. */
  journal(transaction: JournaledTransaction): Promise<void>;
}

/** Settles payments of one network. The embedded ones hold a key, a remote one a URL. */
export interface Facilitator<Payment> {
  readonly network: string;
  /** Checks what can be checked before the first payment. @throws when the network is not the configured one. */
  start(): Promise<void>;
  /** What a client must know to pay there, for `extra` in the offer; undefined: not known yet, so nothing is offered. */
  offerExtra(): Promise<Record<string, unknown> | undefined>;
  /** Whether it fits the terms and is signed. Local where it can be: no RPC for a plain key. */
  examine(payment: Payment, terms: AcceptedTerms, nowSeconds: number): Promise<Verdict>;
  /** For a free call: the payment must be good in every way, and is not settled. */
  verify(task: Pick<SettleTask<Payment>, 'payment' | 'envelope' | 'terms'>): Promise<VerifyOutcome>;
  /**
   * The paying wallet's balance, and its open payments that no longer reduce it.
   * @throws {ChainUnreachableError} @throws {NodeRefusalError}
   */
  readFunds(payment: Payment, open: readonly OpenPayment[]): Promise<Funds>;
  /** Ends only with a verdict, however long that takes; the caller decides how long it listens. */
  settle(task: SettleTask<Payment>): Promise<SettleOutcome>;
  /**
   * Looks whether a payment that was refused has paid after all; nothing is sent.
   * @throws {ChainUnreachableError} @throws {NodeRefusalError} it cannot be told now.
   */
  readLateFate(payment: Payment, sent: readonly JournaledTransaction[]): Promise<LateFate>;
  /**
   * For how many settlements our account there still has gas; undefined when somebody else pays it.
   * @throws {ChainUnreachableError} @throws {NodeRefusalError}
   */
  readGas(): Promise<bigint | undefined>;
  /** Sends journaled transactions again, oldest first, before any new one is signed. */
  resend(transactions: readonly JournaledTransaction[]): Promise<void>;
  /** Looks, in the background and for a while, whether what has paid stays on chain; where that can still change. */
  watch(paid: readonly (JournaledTransaction & { key?: string })[]): void;
  /** The same for a payment that was settled in a transaction of a remote facilitator's. @param since where its journal begins */
  watchForeign(
    task: Pick<SettleTask<Payment>, 'payment' | 'envelope' | 'terms'>,
    paid: { transaction: string; since: bigint },
  ): void;
  /** Payments that wait to be sent; absent where none wait. */
  queue?(): QueueState;
  close(): void;
}
