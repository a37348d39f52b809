import type { LateStatus } from './facilitator.ts';
import type { TransactionReceipt } from './networks/evm/paidInReceipt.ts';

/** A settled payment: the transaction that paid, and how to send it again. */
export interface PaidOnChain {
  hash: string;
  /** Key in the ledger. */
  key: string;
  /** The payment's block, or one before it; undefined: the first head that is read. */
  block?: bigint | undefined;
  /** Whether a receipt contains this payment. Absent: a successful transaction has paid. */
  isPaidIn?(receipt: TransactionReceipt): boolean;
  /** The payment's current status. @throws {ChainUnreachableError} @throws {JsonRpcError} */
  readStatus(): Promise<LateStatus>;
  /** Broadcasts the payment again, once for all payments with one `id`. Resolves to false if it can no longer succeed. */
  again: { id: string; send(): Promise<boolean> };
}

/** Rechecks at certain ages whether settled payments are still on chain. */
export interface Recheck {
  add(paid: PaidOnChain): void;
}
