import type { StoredAnswer } from '../paymentTypes.ts';

/**
 * State of a payment; `paymentStates.ts` defines the transitions.
 *
 * - `claimed`: a replica works on it; nothing has been signed, so nothing can have been charged.
 * - `sent`: this service's transaction is in the journal; it may or may not be on chain.
 * - `refused`: known not to have paid. Another attempt with the same payment may still settle it. A payment for which
 *   nothing was sent is kept for an hour: a node has seen it, so it stays bound to its request.
 * - `settled`: paid, or taken as the wallet's free call. The payer has a credit for exactly this request.
 * - `answered`: paid, and answered. The key is kept for ever.
 */
export type PaymentState = 'claimed' | 'sent' | 'refused' | 'settled' | 'answered';

/** The immutable part of a payment, set by its first claim. */
export interface PaymentFacts {
  /** EVM: `network|asset|from|nonce`, lower case. Solana: `network|hash of the message`. */
  key: string;
  /** sha256 over method, canonical path, canonical input and exact payload, hex. */
  fingerprint: string;
  network: string;
  payer: string;
  paid: string;
  route: string;
  canonicalInput: string;
  /** The decoded PAYMENT-SIGNATURE as JSON: all that is needed to settle it without its sender. */
  payload: string;
  /** The `payment-identifier`; stored in a table of its own. */
  identifier?: string;
  /** The client's address; not stored with the payment. */
  client?: string;
}

/**
 * A transaction recorded before it is broadcast. Before a request to a remote facilitator, `hash` and `raw` are empty.
 */
export interface JournaledTransaction {
  /** EVM: the transaction hash. Solana: the fee payer's signature, base58. */
  hash: string;
  /** The signed bytes. EVM: hex. Solana: base64. */
  raw: string;
  /** Of the facilitator's account; Solana counts none. */
  nonce: number;
  /** That account, `network|address`, where it counts nonces. */
  account?: string;
  /** Block height when it was signed (on Solana, for a remote facilitator: the slot): where a search for it begins. */
  fromBlock: bigint;
}

export interface PaymentRow extends PaymentFacts {
  state: PaymentState;
  /** Oldest first. */
  transactions: JournaledTransaction[];
  /** PAYMENT-RESPONSE header value; there from `settled` on. */
  paymentResponse: string | undefined;
  /** There when `answered`. */
  answer: StoredAnswer | undefined;
  /** When the answer was stored, milliseconds since the epoch. */
  answeredAt: number | undefined;
  /** The group whose free call this is, instead of a settled payment. */
  trialGroup: string | undefined;
}

/** A wallet's one free call in a group, about to be taken by a payment that is claimed and verified. */
interface TrialClaim {
  key: string;
  group: string;
  /** The verified payer on whatever network: one wallet, one trial. */
  wallet: string;
  paymentResponse: string;
  /** The client's address and how many free calls it has a UTC day; absent: no limit. */
  client?: { address: string; perDay: number };
}

/** A payment that was settled for money. */
interface PaidPayment {
  key: string;
  network: string;
  paymentResponse: string;
  /** As in `PaymentFacts`. */
  payload: string;
  /** Oldest first; empty if a third party's transaction paid before anything was sent. */
  transactions: JournaledTransaction[];
}

/** A payment that is being settled, as far as it may still take money from its wallet. */
export interface Reservation {
  key: string;
  /** Raw units of the network's asset. */
  amount: bigint;
}

/** A reservation with its journaled transactions, whose status on chain shows whether the money has moved. */
interface SentReservation extends Reservation {
  hashes: readonly string[];
}

/** A budget for gas that payers share, in millionths of a US dollar. It refills evenly over an hour. */
export interface GasBudget {
  class: string;
  perHour: number;
}

/**
 * The store of payments. Every write is on disk when its promise resolves.
 * Several replicas can share it: `claim` is atomic, and lasts until its owner releases it or dies; then another replica
 * takes the payment over. The ledger rejects a step of a replica that lost its claim.
 *
 * @throws {LedgerOrderError} for a step that a payment cannot take from its present state
 */
export interface PaymentLedger {
  load(key: string): Promise<PaymentRow | undefined>;
  /** Whether another living replica works on it; a refused payment may be tried again there. */
  isHeldElsewhere(key: string): Promise<boolean>;
  /**
   * Makes the caller the owner of this payment.
   * `won` is false when another replica owns it, when it is answered, or when its fingerprint differs; `row` shows which.
   * `isFirst`: the row is new.
   */
  claim(facts: PaymentFacts): Promise<{ won: boolean; isFirst: boolean; row: PaymentRow }>;
  /** Before the transaction is broadcast. */
  journal(key: string, transaction: JournaledTransaction): Promise<void>;
  /** Records one transaction for several payments, or for none of them. */
  journalAll(keys: readonly string[], transaction: JournaledTransaction): Promise<void>;
  /**
   * Takes an account's next nonce, has a transaction signed with it and records that for several payments, in one atomic
   * step. A nonce is therefore never taken without a journaled transaction that any replica can broadcast.
   *
   * @param account `from`: its transaction count, at most 30 s old
   */
  journalNext(
    keys: readonly string[],
    account: { name: string; from: number },
    sign: (nonce: number) => JournaledTransaction,
  ): Promise<JournaledTransaction>;
  /**
   * The newest open transaction of each nonce of an account, of whichever replica, in their order.
   * @param range from `from`, and below `below`
   */
  loadOpenTransactions(account: string, range: { from: number; below: number }): Promise<JournaledTransaction[]>;
  /** Also counts the settlement for its wallet, whose next failure pauses it as briefly as the first. A pause stays. */
  settled(key: string, paymentResponse: string): Promise<void>;
  /** Payments that were paid, or changed once paid, after `since` (milliseconds since the epoch). */
  loadPaid(since: number): Promise<PaidPayment[]>;
  /**
   * Makes the name that a wallet gave a payment that payment's own; false when another payment of the wallet has it that
   * is not known to have failed, or is being tried again.
   */
  claimIdentifier(claim: { key: string; wallet: string; identifier: string }): Promise<boolean>;
  /**
   * The payment was served, and the chain dropped its transaction for good. Its state stays; the loss is recorded, and the
   * settlement no longer counts for its wallet.
   */
  lost(key: string): Promise<void>;
  /** Whether the wallet's free call in the group is taken. */
  hasTrial(group: string, wallet: string): Promise<boolean>;
  /**
   * Takes it, and makes the row `settled` without money; false when another payment was first. One atomic step.
   * `limited`: the client's address has had its free calls of this UTC day.
   */
  claimTrial(claim: TrialClaim): Promise<boolean | 'limited'>;
  /** Known not to have paid. The same payment can be tried again, for the same request. */
  refused(key: string, reason: string): Promise<void>;
  /** Drops a claim that no node has seen, so that its payment can be used for another request. */
  forget(key: string): Promise<void>;
  /**
   * Refused payments that may still turn out to have paid and are due for a recheck, oldest first, each returned to one
   * caller. The interval between rechecks doubles.
   * @param most maximum number of payments
   * @param pauseMs minimum time until the next recheck
   */
  takeRefused(most: number, pauseMs: number): Promise<PaymentRow[]>;
  /** A refused payment paid after all: its payer has a credit. False while a replica tries it again and will find out. */
  foundPaid(key: string, paymentResponse: string): Promise<boolean>;
  /** A refused payment can no longer pay, and is not rechecked. */
  foundExpired(key: string): Promise<void>;
  /**
   * Stores the answer, and its PAYMENT-RESPONSE in place of the settlement's if it has one.
   * The first answer stays: a replica that was taken for dead and comes back with another one gets that instead.
   * @returns the stored answer; only this one may be sent
   */
  answered(key: string, answer: StoredAnswer): Promise<StoredAnswer>;
  /**
   * The engine failed. Paid: the credit stays and the claim is given back. A free call is given back to its wallet,
   * and the row forgotten, so that the same request can take it again.
   */
  failed(key: string, reason: string): Promise<void>;
  /**
   * Reserves a claimed payment's amount, and returns earlier reservations of the wallet's other open payments on this
   * network. One atomic step: of two concurrent payments, one sees the other.
   *
   * A paused wallet reserves nothing. With `earnedOn`, neither does a wallet whose other open payments on those networks
   * are more than it has settled since its last settlement that failed on chain: `full`. One transaction of the wallet can
   * make all of its payments in flight fail; so each of them but one was paid for by an earlier settlement.
   */
  reserve(claim: {
    key: string;
    wallet: string;
    network: string;
    amount: bigint;
    /** The configured networks: a payment left open on another one never ends. */
    earnedOn?: readonly string[];
  }): Promise<{ kind: 'paused'; forMs: number } | { kind: 'full' } | { kind: 'reserved'; before: Reservation[] }>;
  /** The given payments that are still reserved. */
  loadReserved(keys: readonly string[]): Promise<SentReservation[]>;
  /**
   * A settlement of this wallet failed on chain: pauses it, twice as long each time, and resets its count of settlements.
   * @returns the pause in milliseconds
   */
  pausePayer(wallet: string): Promise<number>;
  /** Takes an amount from a gas budget. @returns milliseconds until it is available; undefined when it was taken */
  takeGas(budget: GasBudget, amount: number): Promise<number | undefined>;
  /** Returns an amount, up to the whole budget. */
  returnGas(budget: GasBudget, amount: number): Promise<void>;
  /** Releases the claim without a result. */
  release(key: string): Promise<void>;
  /** Keys of settled, unanswered payments that the caller owns. */
  loadHeldCredits(): Promise<string[]>;
  /**
   * Rows in `claimed` or `sent` that no other living replica owns; the caller owns them from now on. Free calls whose
   * replica died before the answer are returned.
   */
  takeOverUnfinished(): Promise<PaymentRow[]>;
}
