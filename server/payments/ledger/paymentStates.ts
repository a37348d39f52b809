import type { PaymentState } from './ledgerTypes.ts';

/** A transition between states of a payment. */
interface Transition {
  from: readonly PaymentState[];
  /** `none`: the row is deleted. */
  to: PaymentState | 'none';
  /** Whether only the lease owner may make the transition. */
  byHolder: boolean;
}

/**
 * All transitions between the states of a payment. Each is one SQL statement that matches only the states in `from`, and
 * fails with `LedgerOrderError` if the payment is in none of them.
 */
export const transitions = {
  /** A transaction was signed; it is recorded before it is broadcast. */
  journal: { from: ['claimed', 'sent', 'refused'], to: 'sent', byHolder: true },
  /** The chain shows that the payment paid. */
  settled: { from: ['claimed', 'sent', 'refused'], to: 'settled', byHolder: false },
  /** The payment uses the wallet's free call; nothing may have been sent for it. */
  claimTrial: { from: ['claimed', 'refused'], to: 'settled', byHolder: true },
  /** Known not to have paid. */
  refused: { from: ['claimed', 'sent', 'refused'], to: 'refused', byHolder: true },
  /** No node has seen the payment. */
  forget: { from: ['claimed'], to: 'none', byHolder: true },
  /** A refused payment has paid after all, and no replica is settling it again. */
  foundPaid: { from: ['refused'], to: 'settled', byHolder: false },
  /** The answer is stored; the first one is kept. */
  answered: { from: ['settled', 'answered'], to: 'answered', byHolder: false },
  /** The engine failed: the payer has a credit. */
  failed: { from: ['settled'], to: 'settled', byHolder: false },
  /** The engine failed in a free call: it returns to its wallet. */
  giveBackTrial: { from: ['settled'], to: 'refused', byHolder: true },
} as const satisfies Record<string, Transition>;
