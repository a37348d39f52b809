import type { TransactionReceipt } from './networks/evm/paidInReceipt.ts';

/** A transaction that paid, and how to bring the payment again. */
export interface PaidOnChain {
  hash: string;
  /** Of the payment in the ledger, where it is known. */
  key?: string | undefined;
  /** From where its depth is counted; undefined: from the head that is seen first. */
  block?: bigint;
  /**
   * Has it taken by the chain again.
   * @returns the transaction to look for from now on; undefined: nothing brings it back
   * @throws {ChainUnreachableError} @throws {NodeRefusalError} nothing is known.
   */
  sendAgain(): Promise<string | undefined>;
  /** Whether a receipt shows this payment: one transaction may carry many. Absent: a transaction that succeeded has paid. */
  isPaidIn?(receipt: TransactionReceipt): boolean;
}

/** Looks, for a while, whether what has paid stays on chain. */
export interface Recheck {
  add(paid: PaidOnChain): void;
}
