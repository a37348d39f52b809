import type { LateStatus } from './facilitator.ts';
import type { TransactionReceipt } from './networks/evm/paidInReceipt.ts';

/** A settled payment, with the transaction that paid and the means to replace it. */
export interface PaidOnChain {
  hash: string;
  /** Of the payment in the ledger. */
  key: string;
  /** Depth is counted from here; undefined: from the first head that is read. */
  block?: bigint | undefined;
  /** Whether a receipt shows this payment. Absent: a successful transaction has paid. */
  isPaidIn?(receipt: TransactionReceipt): boolean;
  /** Which transaction pays it now. @throws {ChainUnreachableError} @throws {JsonRpcError} */
  readStatus(): Promise<LateStatus>;
  /** Sends it again; payments with one `id` share the request. Resolves to false if that can no longer succeed. */
  again: { id: string; send(): Promise<boolean> };
}

/** Rechecks for a while whether settled payments stay on chain. */
export interface Recheck {
  add(paid: PaidOnChain): void;
}
