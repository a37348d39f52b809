import type { PaymentLedger } from '../../payments/index.ts';
import type { Database } from '../database/database.ts';
import { createAnswers } from './answers.ts';
import { batchSteps } from './batchedSteps.ts';
import { createClaims } from './claims.ts';
import { createFreeCalls } from './freeCalls.ts';
import { createGasBudgets } from './gasBudgets.ts';
import { hasPaid } from './hasPaid.ts';
import { claimIdentifier, loadIdentified } from './identifiers.ts';
import { createJournal } from './journal.ts';
import type { LedgerContext } from './ledgerContext.ts';
import { createOutcomes } from './outcomes.ts';
import { createPayerLimits } from './payerLimits.ts';
import type { Presence } from './presence.ts';
import { loadPaid, loadPayment } from './records.ts';
import { createRefusedPayments } from './refusedPayments.ts';

/**
 * Creates the ledger in either database. Updates by a payment's owner verify that it still owns the payment, so that a
 * replica that lost its lease and resumes cannot undo the updates of its successor.
 */
export function createLedger(database: Database, { replica }: Presence, now: () => number): PaymentLedger {
  const { read, write, clock } = database;
  const context: LedgerContext = { database, replica, now };
  const ledger: PaymentLedger = {
    load: (key) => loadPayment(read, key),
    hasPaid: (wallet) => hasPaid(read, wallet),
    loadPaid: (since) => loadPaid(read, since),
    loadIdentified: (identified) => loadIdentified(read, identified),
    claimIdentifier: (claim) => write((sql) => claimIdentifier(sql, claim, clock)),
    ...createClaims(context),
    ...createJournal(context),
    ...createOutcomes(context),
    ...createAnswers(context),
    ...createRefusedPayments(database, now),
    ...createFreeCalls(database, replica, now),
    ...createPayerLimits(database),
    ...createGasBudgets(database),
  };
  return { ...ledger, ...batchSteps(context, ledger) };
}
