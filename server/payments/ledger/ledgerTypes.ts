import type { StoredAnswer } from '../paymentTypes.ts';
import type { GasSpent } from './gasSpent.ts';

/**
 * State of a payment; `paymentStates.ts` defines the transitions.
 *
 * - `claimed`: owned by a replica; nothing has been signed, so nothing can have been charged.
 * - `sent`: this service's transaction is in the journal; it may or may not be on chain.
 * - `refused`: known not to have paid. Another attempt with the same payment may still settle it. A payment for which
 *   nothing was sent is kept for an hour: a node has seen it, so it stays bound to its request.
 * - `settled`: paid, or used as the wallet's free call. The payer has a credit for exactly this request.
 * - `answered`: paid and answered. The key is never deleted.
 */
export type PaymentState = 'claimed' | 'sent' | 'refused' | 'settled' | 'answered';

/** What a payment pays, to whom. */
export interface RecordedTerms {
  /** Raw units of the asset; undefined if a number cannot represent them. */
  amount: number | undefined;
  asset: string;
  payTo: string;
}

/** The immutable part of a payment, set by its first claim. */
export interface PaymentFacts {
  /** EVM: `network|asset|from|nonce`, lower case. Solana: `network|hash of the message`. */
  key: string;
  /** @see paymentFingerprint */
  fingerprint: string;
  network: string;
  payer: string;
  paid: string;
  route: string;
  canonicalInput: string;
  /** Terms and payload of the PAYMENT-SIGNATURE as JSON, sufficient to settle the payment without its client. */
  payload: string;
  /** The terms that reports show; stored with a new payment, and not loaded. */
  terms?: RecordedTerms;
  /** The `payment-identifier`; stored in a separate table. */
  identifier?: string;
  /** The client's IP address; not stored with the payment. */
  client?: string;
}

/**
 * A transaction recorded before its broadcast. For a request to a remote facilitator, `hash` and `raw` are empty.
 */
export interface JournaledTransaction {
  /** EVM: the transaction hash. Solana: the fee payer's signature, base58. */
  hash: string;
  /** The signed bytes. EVM: hex. Solana: base64. */
  raw: string;
  /** Nonce of the facilitator's account; 0 on Solana and for a remote facilitator. */
  nonce: number;
  /** The account of the nonce, `network|address`; absent on Solana and for a remote facilitator. */
  account?: string;
  /** Block height when it was signed, at which a search for it starts. On Solana for a remote facilitator: the slot. */
  fromBlock: bigint;
}

export interface PaymentRow extends PaymentFacts {
  state: PaymentState;
  /** Oldest first. */
  transactions: JournaledTransaction[];
  /**
   * Whether a block may still include a transaction that was sent for this `sent` or `refused` payment. False for a
   * refused one after `foundExpired`.
   */
  mayStillPay: boolean;
  /** PAYMENT-RESPONSE header value; present in `settled` and `answered`. */
  paymentResponse: string | undefined;
  /** Present in `answered`, until it is deleted. */
  answer: StoredAnswer | undefined;
  /** When the answer was stored, in milliseconds since the epoch. */
  answeredAt: number | undefined;
  /** Group of the free call; undefined for a settled payment. */
  trialGroup: string | undefined;
}

/** The use of a wallet's free call in a group by a claimed and verified payment. */
interface TrialClaim {
  key: string;
  group: string;
  /** The verified payer, on any network: one free call per wallet and group. */
  wallet: string;
  paymentResponse: string;
  /** The client's IP address and its limit of free calls in a UTC day; absent: no limit. */
  client?: { address: string; perDay: number };
}

/** A payment that was settled for money. */
interface PaidPayment {
  key: string;
  network: string;
  paymentResponse: string;
  /** @see PaymentFacts.payload */
  payload: string;
  /** Oldest first; empty if a third party's transaction paid before anything was sent. */
  transactions: JournaledTransaction[];
}

/** The amount that a payment in settlement may still take from its wallet. */
export interface Reservation {
  key: string;
  /** Raw units of the network's asset. */
  amount: bigint;
}

/** A reservation with the hashes of its journaled transactions. */
interface SentReservation extends Reservation {
  hashes: readonly string[];
}

/** A gas budget that payers share, in millionths of a US dollar. It refills linearly within an hour. */
export interface GasBudget {
  class: string;
  perHour: number;
}

/**
 * The store of payments. Every write is on disk when its promise resolves.
 * Several replicas can share it: `claim` is atomic and lasts until its owner releases it or loses its lease. Then another
 * replica can take the payment over. The ledger rejects writes of a replica that lost its claim.
 *
 * @throws {LedgerOrderError} the payment has no such transition from its current state
 */
export interface PaymentLedger {
  load(key: string): Promise<PaymentRow | undefined>;
  /** Whether another running replica owns the payment. */
  isHeldElsewhere(key: string): Promise<boolean>;
  /**
   * Makes this replica the owner of the payment.
   * `won` is false if another replica owns it, it is answered, or its fingerprint differs; `row` contains the reason.
   * `isFirst`: the row is new.
   */
  claim(facts: PaymentFacts): Promise<{ won: boolean; isFirst: boolean; row: PaymentRow }>;
  /** Records a transaction before its broadcast. */
  journal(key: string, transaction: JournaledTransaction): Promise<void>;
  /** Records one transaction for several payments: for all of them, or for none if one cannot be recorded. */
  journalAll(keys: readonly string[], transaction: JournaledTransaction): Promise<void>;
  /**
   * Takes an account's next nonce, calls `sign` with it and records the transaction for several payments, in one database
   * transaction. So each used nonce has a journaled transaction that any replica can broadcast.
   *
   * @param account `from`: its transaction count, at most 30 s old
   */
  journalNext(
    keys: readonly string[],
    account: { name: string; from: number },
    sign: (nonce: number) => JournaledTransaction,
  ): Promise<JournaledTransaction>;
  /**
   * The newest open transaction for each nonce of an account, of any replica, in the order of nonces.
   * @param range nonces from `from` (inclusive) to `below` (exclusive)
   */
  loadOpenTransactions(account: string, range: { from: number; below: number }): Promise<JournaledTransaction[]>;
  /**
   * Records that the payment paid. Also increments its wallet's count of settlements and resets the length of the
   * wallet's next pause; a current pause continues.
   * @param gas added to the gas of earlier attempts; default: not read
   */
  settled(key: string, paymentResponse: string, gas?: GasSpent): Promise<void>;
  /** Whether a payment of the wallet was settled for money; free calls and settlements that a reorg dropped do not count. */
  hasPaid(wallet: string): Promise<boolean>;
  /** Paid payments that changed after `since`, in milliseconds since the epoch. */
  loadPaid(since: number): Promise<PaidPayment[]>;
  /** The payment that has the identifier. */
  loadIdentified(identified: { wallet: string; identifier: string }): Promise<PaymentRow | undefined>;
  /**
   * Assigns an identifier to a payment. Returns false if another payment of the wallet has it, unless that payment is
   * refused, cannot pay any more (`mayStillPay`), and no replica is settling it again.
   */
  claimIdentifier(claim: { key: string; wallet: string; identifier: string }): Promise<boolean>;
  /**
   * Records that the chain permanently dropped the transaction of a served payment. The state does not change; the
   * settlement no longer counts for its wallet.
   */
  lost(key: string): Promise<void>;
  /** Whether the wallet has used its free call in the group. */
  hasTrial(group: string, wallet: string): Promise<boolean>;
  /**
   * Uses the wallet's free call and makes the row `settled`, atomically. Returns false if another payment has used it.
   * `limited`: the client's IP address has reached its limit for this UTC day.
   */
  claimTrial(claim: TrialClaim): Promise<boolean | 'limited'>;
  /**
   * Records that the payment is known not to have paid. It can be sent again, for the same request.
   * @param gas of transactions that failed on chain
   */
  refused(key: string, reason: string, gas?: GasSpent): Promise<void>;
  /** Deletes a claimed payment that no node has seen, so that it can be used for another request. */
  forget(key: string): Promise<void>;
  /**
   * Refused payments that may still pay and are due for a recheck, oldest first. Each is returned to one caller only. The
   * interval between rechecks doubles.
   * @param most maximum number of payments
   * @param pauseMs minimum time until the next recheck
   */
  takeRefused(most: number, pauseMs: number): Promise<PaymentRow[]>;
  /** Records that a refused payment paid after all: its payer has a credit. False while a replica settles it again. */
  foundPaid(key: string, paymentResponse: string): Promise<boolean>;
  /** Records that a refused payment can no longer pay, so that it is not rechecked. */
  foundExpired(key: string): Promise<void>;
  /**
   * Stores the answer, and its PAYMENT-RESPONSE in place of the settlement's if it has one.
   * The first answer stays. A former owner that resumes with another answer gets the stored one.
   * @returns the stored answer; only this one may be sent
   */
  answered(key: string, answer: StoredAnswer): Promise<StoredAnswer>;
  /**
   * Records that the engine failed, and releases the claim. A payment stays a credit. A free call returns to its wallet,
   * so that the same request can use it again.
   */
  failed(key: string, reason: string): Promise<void>;
  /**
   * Reserves a claimed payment's amount, and returns earlier reservations of the wallet's other open payments on this
   * network. Atomic: of two concurrent payments, one gets the other's reservation.
   *
   * A paused wallet reserves nothing. With `earnedOn`, neither does a wallet (`full`) that has more open payments on those
   * networks than payments settled since its last failure on chain. One transaction of the wallet can make all of its
   * open payments fail, so earlier settlements must have paid for all but one of those failures.
   */
  reserve(claim: {
    key: string;
    wallet: string;
    network: string;
    amount: bigint;
    /** The configured networks. Open payments on other networks never end, so they do not count. */
    earnedOn?: readonly string[];
  }): Promise<{ kind: 'paused'; forMs: number } | { kind: 'full' } | { kind: 'reserved'; before: Reservation[] }>;
  /** The given payments that still have a reservation. */
  loadReserved(keys: readonly string[]): Promise<SentReservation[]>;
  /**
   * Pauses a wallet whose settlement failed on chain, and resets its count of settlements. Each pause is twice as long.
   * @returns the pause in milliseconds
   */
  pausePayer(wallet: string): Promise<number>;
  /** Takes an amount from a gas budget. @returns undefined if it was taken, otherwise milliseconds until it is available */
  takeGas(budget: GasBudget, amount: number): Promise<number | undefined>;
  /** Adds an amount to a gas budget, up to its maximum. */
  returnGas(budget: GasBudget, amount: number): Promise<void>;
  /** Releases the claim without changing the state. */
  release(key: string): Promise<void>;
  /** Keys of settled, unanswered payments that this replica owns. */
  loadHeldCredits(): Promise<string[]>;
  /**
   * Takes over the rows in `claimed` or `sent` that no running replica owns, and returns them. Also returns free calls,
   * whose replica stopped before the answer, to their wallets.
   */
  takeOverUnfinished(): Promise<PaymentRow[]>;
}
