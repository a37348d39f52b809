import type { Hex } from 'viem';
import type { JournaledTransaction } from '../../ledger/ledgerTypes.ts';

/** A journaled transaction of our own account: bytes and hash are hex. */
export interface EvmTransaction extends JournaledTransaction {
  hash: Hex;
  raw: Hex;
}

/** Narrows the type: our sender wrote the entries of an EVM network's journal. */
export const toEvm = (transaction: JournaledTransaction): EvmTransaction => transaction as EvmTransaction;

/** Whether our key signed it. Entries of a remote facilitator, from an earlier configuration, contain no bytes. */
export const isOurs = ({ raw }: JournaledTransaction): boolean => raw !== '';
