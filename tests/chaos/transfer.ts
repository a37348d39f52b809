/** A transfer of USDC to payTo, as read from the chain. */
export interface Transfer {
  /** Payment key, as in the ledger. */
  key: string;
  value: bigint;
  transaction: string;
}
