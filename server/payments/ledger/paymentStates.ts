import type { PaymentState } from './ledgerTypes.ts';

/** A step of a payment in the ledger: the states that it starts from, and the state that it leads to. */
interface Transition {
  from: readonly PaymentState[];
  /** `none`: the row is deleted. */
  to: PaymentState | 'none';
  /** Only the lease owner may take it. Other replicas are too late, or report what the chain shows. */
  byHolder: boolean;
}

/**
 * The states of a payment and every step between them. The ledger takes no other step: each is one statement that names
 * the states it starts from, and fails with `LedgerOrderError` when the payment is in none of them.
 */
export const transitions = {
  /** A transaction was signed; it is recorded before it is broadcast. */
  journal: { from: ['claimed', 'sent', 'refused'], to: 'sent', byHolder: true },
  /** The chain shows the money moved. */
  settled: { from: ['claimed', 'sent', 'refused'], to: 'settled', byHolder: false },
  /** The wallet's free call was taken; nothing may have been sent for the payment. */
  claimTrial: { from: ['claimed', 'refused'], to: 'settled', byHolder: true },
  /** Known not to have paid. */
  refused: { from: ['claimed', 'sent', 'refused'], to: 'refused', byHolder: true },
  /** No node has seen it. */
  forget: { from: ['claimed'], to: 'none', byHolder: true },
  /** A refused payment turned out to have paid, and is not being tried again. */
  foundPaid: { from: ['refused'], to: 'settled', byHolder: false },
  /** The answer is stored; the first one stays. */
  answered: { from: ['settled', 'answered'], to: 'answered', byHolder: false },
  /** There was no answer: the credit stays. */
  failed: { from: ['settled'], to: 'settled', byHolder: false },
  /** There was no answer to a free call: it returns to its wallet. */
  giveBackTrial: { from: ['settled'], to: 'refused', byHolder: true },
} as const satisfies Record<string, Transition>;
