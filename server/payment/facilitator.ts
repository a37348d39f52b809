import type { AcceptedTerms, PaymentEnvelope } from './decodePayment.ts';
import type { JournaledTransaction } from './ledger/ledgerTypes.ts';

/** What the chain (or who speaks for it) says about one payment. */
export type SettleOutcome =
  | { kind: 'settled'; transaction: string }
  /**
   * Known not to have paid what is asked. `reason` is one of x402's error codes.
   * `mayHavePaid`: an earlier use of the payment may have moved money, so only this request can be called uncharged.
   */
  | { kind: 'refused'; reason: string; detail: string; mayHavePaid?: true }
  /** Nothing was sent: the chain could not be asked, or our account cannot pay the gas. */
  | { kind: 'unavailable' }
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
  /** The chain shows it used: it may have paid, which settling finds out. It is no proof for a free call. */
  | { kind: 'used' }
  | Extract<SettleOutcome, { kind: 'refused' | 'unavailable' }>;

/** What became, after all, of a payment that was refused once something had been sent for it. */
export type LateFate =
  | { kind: 'settled'; transaction: string }
  /** It has not paid, and still may. */
  | { kind: 'open' }
  /** No block can take it any more, however the latest ones are replaced. */
  | { kind: 'over' };

/** A decoded payment that matches the offer; `Payment` is the scheme's own form of it. */
export interface SettleTask<Payment> {
  payment: Payment;
  /** The same as the client sent it, and the terms that it accepted: what a remote facilitator is shown. */
  envelope: PaymentEnvelope;
  terms: AcceptedTerms;
  /** Transactions journaled for it by an earlier run. */
  sent: readonly JournaledTransaction[];
  /** That run ended in a refusal: what it sent is known not to have paid. */
  wasRefused: boolean;
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
  watch(paid: readonly JournaledTransaction[]): void;
  /** The same for a payment that was settled in a transaction of a remote facilitator's. @param since where its journal begins */
  watchForeign(
    task: Pick<SettleTask<Payment>, 'payment' | 'envelope' | 'terms'>,
    paid: { transaction: string; since: bigint },
  ): void;
  close(): void;
}
