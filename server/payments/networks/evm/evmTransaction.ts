import type { Hex } from 'viem';
import type { JournaledTransaction } from '../../ledger/ledgerTypes.ts';

/** A journaled transaction of our own account: bytes and hash are hex. */
export interface EvmTransaction extends JournaledTransaction {
  hash: Hex;
  raw: Hex;
}

/** The journal of an EVM network contains what our sender wrote. */
export const toEvm = (transaction: JournaledTransaction): EvmTransaction => transaction as EvmTransaction;

/** A remote facilitator that settled here before has left no bytes of its own. */
export const isOurs = ({ raw }: JournaledTransaction): boolean => raw !== '';
