import type { Hex } from 'viem';
import type { JournaledTransaction } from '../../ledger/ledgerTypes.ts';

/** A journaled transaction of our own account, with bytes and hash in hex. */
export interface EvmTransaction extends JournaledTransaction {
  hash: Hex;
  raw: Hex;
}

/** Narrows the type: our sender wrote the entries of an EVM network's journal. */
export const toEvm = (transaction: JournaledTransaction): EvmTransaction => transaction as EvmTransaction;

/** Whether our key signed the transaction. Entries for a remote facilitator contain no bytes. */
export const isOurs = ({ raw }: JournaledTransaction): boolean => raw !== '';
