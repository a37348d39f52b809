import type { AcceptedTerms, PaymentEnvelope } from './decodePayment.ts';
import type { GasSpent } from './ledger/gasSpent.ts';
import type { JournaledTransaction } from './ledger/ledgerTypes.ts';
import type { QueueState } from './settlementQueue.ts';
import type { SettlementState } from './settlementState.ts';

/** Result of settling one payment. */
export type SettleOutcome = SettleResult & {
  /** Gas of our transactions; absent if none was sent, or it is not known. */
  gas?: GasSpent;
};

type SettleResult =
  /** `block`: number of the block that includes the transaction, if known. */
  | { kind: 'settled'; transaction: string; block?: bigint }
  /** Known not to have paid the price. `reason` is one of x402's error codes. */
  | {
      kind: 'refused';
      reason: string;
      detail: string;
      /**
       * An earlier use of the payment may have moved money: the refusal must claim only that this request charged
       * nothing.
       */
      mayHavePaid?: true;
      /** Our transaction failed on chain: its gas is spent, and it paid nothing. */
      failedOnChain?: true;
    }
  /**
   * Nothing was sent: the chain could not be read, our account cannot pay the gas, or the gas costs more than the call.
   * `detail` states the cause if the payer can act on it.
   */
  | { kind: 'unavailable'; detail?: string }
  /** Nothing was sent: a rate limit or gas budget is used up. */
  | { kind: 'limited'; detail: string; retryAfterSeconds: number }
  /** Whether the money moved is not known yet. */
  | { kind: 'unknown' };

/** Result of checking terms and signature. `reason` is one of x402's error codes. */
export type PayloadOutcome =
  | { kind: 'valid' }
  /** `mayHavePaid`: as in `SettleOutcome`. */
  | { kind: 'invalid'; reason: string; detail: string; mayHavePaid?: true }
  | { kind: 'unavailable' };

/** Whether a payment would settle now, by a simulation. */
export type VerifyOutcome =
  | { kind: 'valid' }
  /** Already used on chain. `settle` determines whether it paid; it is not accepted for a free call. */
  | { kind: 'used' }
  | Extract<SettleOutcome, { kind: 'refused' | 'unavailable' }>;

/** On-chain status of a payment that was refused after a transaction had been sent for it. */
export type LateStatus =
  | { kind: 'settled'; transaction: string }
  /** Not paid, but a block can still include it. */
  | { kind: 'open' }
  /** Not paid, and no block can include it, even if the latest blocks are replaced. */
  | { kind: 'expired' };

/** The transaction that settled a payment, and the transactions journaled for the payment. */
export interface PaidTransaction {
  transaction: string;
  sent: readonly JournaledTransaction[];
  block?: bigint | undefined;
}

/** A payment of the same wallet for which a transaction may be on chain. */
export interface OpenPayment {
  key: string;
  /** Hashes of its journaled transactions; empty if a remote facilitator broadcasts. */
  hashes: readonly string[];
}

/** A wallet's balance, read together with the state of its open payments. */
export interface Funds {
  /** Raw units of the network's asset. */
  balance: bigint;
  /** Keys of open payments that the balance already reflects, or that can no longer move money. */
  ended: ReadonlySet<string>;
}

/** A decoded payment that matches the offer; `Payment` is the type of the scheme's payload. */
export interface SettleTask<Payment> {
  /** Key in the ledger. */
  key: string;
  payment: Payment;
  /** The payment as the client sent it, and the accepted terms, for a remote facilitator. */
  envelope: PaymentEnvelope;
  terms: AcceptedTerms;
  /** Transactions journaled for the payment by an earlier attempt. */
  sent: readonly JournaledTransaction[];
  /** The earlier attempt was refused: its transactions are known not to have paid. */
  wasRefused: boolean;
  /**
   * Returns a refusal if nothing may be sent; undefined if the payment may be sent. Reasons: the balance does not cover
   * the wallet's open payments, the wallet is paused, or it has too many open payments.
   * Runs concurrently with the simulation, and is awaited before anything is journaled.
   * @throws {ChainUnreachableError} @throws {JsonRpcError}
   */
  checkFunds(): Promise<Extract<SettleOutcome, { kind: 'refused' | 'limited' | 'unknown' }> | undefined>;
  /** Stores a signed transaction before its broadcast. Resolves once the record is on disk. */
  journal(transaction: JournaledTransaction): Promise<void>;
}

/** Settles payments of one network, with our own key or through a remote facilitator. */
export interface Facilitator<Payment> {
  readonly network: string;
  /** Whether our own account pays the gas, including that of a failed settlement. */
  readonly spendsOurGas: boolean;
  /** Compares the network with its configuration; skipped if it is unreachable. @throws {PaymentNetworkMismatchError} */
  start(): Promise<void>;
  /** The facilitator's part of `extra` in the offer. Undefined: not available yet, and the network is not offered. */
  offerExtra(): Promise<Record<string, unknown> | undefined>;
  /** Checks the payment against the terms, and its signature. An EOA's signature needs no RPC request. */
  verifyPayload(payment: Payment, terms: AcceptedTerms, nowSeconds: number): Promise<PayloadOutcome>;
  /**
   * Whether the payment matches the terms and its wallet's key signed it. Sends no request, so it is false for a contract
   * wallet.
   */
  isSigned(payment: Payment, terms: AcceptedTerms, nowSeconds: number): Promise<boolean>;
  /** Checks the payment of a free call like a settlement, without sending it. */
  verify(task: Pick<SettleTask<Payment>, 'payment' | 'envelope' | 'terms'>): Promise<VerifyOutcome>;
  /**
   * The paying wallet's balance, and its open payments that no longer reduce it.
   * @throws {ChainUnreachableError} @throws {JsonRpcError}
   */
  readFunds(payment: Payment, open: readonly OpenPayment[]): Promise<Funds>;
  /**
   * Resolves when the outcome is known, without a timeout; the caller applies its own. Resolves with `unknown` if the
   * service closes first.
   */
  settle(task: SettleTask<Payment>): Promise<SettleOutcome>;
  /**
   * Reads whether a refused payment has paid after all. Sends nothing.
   * @throws {ChainUnreachableError} @throws {JsonRpcError} the status cannot be read.
   */
  readLateStatus(payment: Payment, sent: readonly JournaledTransaction[]): Promise<LateStatus>;
  /** Address of our account, which pays the gas. Undefined: a remote facilitator pays. */
  readonly account?: string | undefined;
  /** Whether a new payment can settle now. @throws {ChainUnreachableError} @throws {JsonRpcError} */
  readSettlementState(): Promise<SettlementState>;
  /** Broadcasts journaled transactions again, oldest first, before any new one is signed. */
  resend(transactions: readonly JournaledTransaction[]): Promise<void>;
  /** Rechecks a settled payment in the background, on chains with reorganisations. */
  watchPaid(task: Pick<SettleTask<Payment>, 'key' | 'payment' | 'envelope' | 'terms'>, paid: PaidTransaction): void;
  /** Payments that wait to be sent. Not implemented by facilitators without a queue. */
  queue?(): QueueState;
  close(): void;
}
