import {
  LedgerOrderError,
  type PaymentFacts,
  type PaymentLedger,
  type PaymentRow,
  transitions,
} from '../../payments/index.ts';
import type { Database, Sql } from '../database/database.ts';
import { assertMoved } from './assertMoved.ts';
import { batchSteps } from './batchedSteps.ts';
import { createFreeCalls, giveBackTrials } from './freeCalls.ts';
import { claimIdentifier, forgetIdentifiers } from './identifiers.ts';
import { isOpen } from './isOpen.ts';
import { createJournal } from './journal.ts';
import { createPayerLimits } from './payerLimits.ts';
import { isFree, type Presence } from './presence.ts';
import { loadPaid, loadPayment, newRow, toRecord } from './records.ts';
import { createRefusedPayments } from './refusedPayments.ts';
import { sentFor } from './sentFor.ts';

/** Attempts, when another process inserts and deletes the row in between. */
const claimAttempts = 5;

/**
 * The ledger in either database. Steps of a payment's owner check that it still owns the payment: a replica that was taken
 * for dead and resumes cannot undo the steps of its successor.
 */
export function createLedger(database: Database, { replica }: Presence, now: () => number): PaymentLedger {
  const { write, clock } = database;

  function insert(facts: PaymentFacts): Promise<boolean> {
    return database.step(async (sql) => {
      const { numInsertedOrUpdatedRows } = await sql
        .insertInto('payments')
        .values(toRecord(facts, replica, now()))
        .onConflict((conflict) => conflict.column('payment_key').doNothing())
        .executeTakeFirstOrThrow();
      return numInsertedOrUpdatedRows === 1n;
    });
  }

  /** Claims a row that no other living replica owns. Undefined when the row was deleted meanwhile. */
  async function takeOver(sql: Sql, { key, fingerprint }: PaymentFacts) {
    const at = now();
    const taken = await sql
      .updateTable('payments')
      .set({ holder: replica, updated_at: at })
      .where('payment_key', '=', key)
      .where('fingerprint', '=', fingerprint)
      .where('state', '<>', 'answered')
      // Its own too: within a process only one settlement of a payment runs.
      .where((is) => is.or([is('holder', '=', replica), isFree(clock)(is)]))
      .executeTakeFirstOrThrow();
    const row = await loadPayment(sql, key);
    return row && { won: taken.numUpdatedRows === 1n, isFirst: false, row };
  }

  async function claim(facts: PaymentFacts): ReturnType<PaymentLedger['claim']> {
    for (let turn = 0; turn < claimAttempts; turn += 1) {
      if (await insert(facts)) return { won: true, isFirst: true, row: newRow(facts) };
      const found = await write((sql) => takeOver(sql, facts));
      if (found) return found;
    }
    throw new LedgerOrderError(`Payment ${facts.key} comes and goes.`);
  }

  const ledger: PaymentLedger = {
    load: (key) => loadPayment(database.read, key),
    async isHeldElsewhere(key) {
      const held = await database.read
        .selectFrom('payments')
        .select('payment_key')
        .where('payment_key', '=', key)
        .where('holder', '<>', replica)
        .where((is) => is.not(isFree(clock)(is)))
        .executeTakeFirst();
      return held !== undefined;
    },
    claim,
    // Any replica that saw the money move may record it.
    settled: (key, paymentResponse) =>
      write(async (sql) => {
        // Before the payment's row, as in `reserve`: two transactions that lock both cannot deadlock.
        await sql
          .updateTable('payers')
          .set((is) => ({ failures: 0, settled: is('settled', '+', 1) }))
          .where('wallet', '=', (is) => is.selectFrom('payments').select('wallet').where('payment_key', '=', key))
          .execute();
        const moved = await sql
          .updateTable('payments')
          .set({
            state: 'settled',
            payment_response: paymentResponse,
            look_at: null,
            reserved: null,
            updated_at: now(),
          })
          .where('payment_key', '=', key)
          .where('state', 'in', transitions.settled.from)
          .executeTakeFirstOrThrow();
        assertMoved(moved, key, 'settled');
      }),
    refused: (key, reason) =>
      write(async (sql) => {
        const moved = await sql
          .updateTable('payments')
          .set((is) => {
            // If nothing was sent, no transaction needs to be looked up.
            const lookAt = is
              .case()
              .when(is.exists(sentFor(is)))
              .then(clock)
              .else(null)
              .end();
            return { state: 'refused', reason, holder: null, look_at: lookAt, reserved: null, updated_at: now() };
          })
          .where('payment_key', '=', key)
          .where('state', 'in', transitions.refused.from)
          .where('holder', '=', replica)
          .executeTakeFirstOrThrow();
        assertMoved(moved, key, 'refused');
      }),
    forget: (key) =>
      write(async (sql) => {
        const forgotten = await sql
          .deleteFrom('payments')
          .where('payment_key', '=', key)
          .where('state', 'in', transitions.forget.from)
          .where('holder', '=', replica)
          .executeTakeFirstOrThrow();
        if (forgotten.numDeletedRows !== 1n) throw new LedgerOrderError(`Payment ${key} cannot be forgotten.`);
        await forgetIdentifiers(sql, [key]);
      }),
    ...createJournal(database, replica, now),
    ...createRefusedPayments(database, now),
    ...createFreeCalls(database, replica, now),
    ...createPayerLimits(database),
    answered: (key, answer) =>
      write(async (sql) => {
        const { status, contentType, body, paymentResponse } = answer;
        const moved = await sql
          .updateTable('payments')
          .set((is) => ({
            state: 'answered',
            holder: null,
            updated_at: now(),
            // Only with the first answer; a later one is not stored.
            ...(paymentResponse !== undefined && {
              payment_response: is
                .case()
                .when('state', '=', 'settled')
                .then(paymentResponse)
                .else(is.ref('payment_response'))
                .end(),
            }),
          }))
          .where('payment_key', '=', key)
          .where('state', 'in', transitions.answered.from)
          .executeTakeFirstOrThrow();
        assertMoved(moved, key, 'answered');
        const first = await sql
          .insertInto('answers')
          .values({ payment_key: key, status, content_type: contentType, body, created_at: now() })
          .onConflict((conflict) => conflict.column('payment_key').doNothing())
          .executeTakeFirstOrThrow();
        if (first.numInsertedOrUpdatedRows === 1n) return answer;
        const kept = await sql
          .selectFrom('answers')
          .innerJoin('payments', 'payments.payment_key', 'answers.payment_key')
          .select(['answers.status', 'content_type', 'body', 'payment_response'])
          .where('answers.payment_key', '=', key)
          .executeTakeFirstOrThrow();
        return {
          status: kept.status,
          contentType: kept.content_type,
          body: kept.body,
          ...(kept.payment_response !== null && { paymentResponse: kept.payment_response }),
        };
      }),
    lost: (key) =>
      write(async (sql) => {
        const ofPayment = sql.selectFrom('payments').select('wallet').where('payment_key', '=', key);
        // Locks the wallet's row before the payment's, as `reserve` does.
        await sql
          .updateTable('payers')
          .set((is) => ({ settled: is.ref('settled') }))
          .where('wallet', '=', ofPayment)
          .execute();
        const { numUpdatedRows } = await sql
          .updateTable('payments')
          .set({ lost_at: now() })
          .where('payment_key', '=', key)
          .where('lost_at', 'is', null)
          .executeTakeFirst();
        // Another replica may have counted the loss.
        if (numUpdatedRows === 0n) return;
        await sql
          .updateTable('payers')
          .set((is) => ({ settled: is('settled', '-', 1) }))
          .where('settled', '>', 0)
          .where('wallet', '=', ofPayment)
          .execute();
      }),
    loadPaid: (since) => loadPaid(database.read, since),
    claimIdentifier: (claim) => write((sql) => claimIdentifier(sql, claim, clock)),
    failed: (key, reason) =>
      write(async (sql) => {
        const given = await giveBackTrials(sql, (is) =>
          is.and([is('payment_key', '=', key), is('holder', '=', replica)]),
        );
        if (given > 0) return;
        const moved = await sql
          .updateTable('payments')
          .set((is) => ({ failures: is('failures', '+', 1), reason, holder: null, updated_at: now() }))
          .where('payment_key', '=', key)
          .where('state', 'in', transitions.failed.from)
          .executeTakeFirstOrThrow();
        assertMoved(moved, key, 'settled');
      }),
    release: (key) =>
      database.step(async (sql) => {
        await sql
          .updateTable('payments')
          .set({ holder: null, updated_at: now() })
          .where('payment_key', '=', key)
          .where('holder', '=', replica)
          .execute();
      }),
    async loadHeldCredits() {
      const held = await database.read
        .selectFrom('payments')
        .select('payment_key')
        .where(isOpen)
        .where('state', '=', 'settled')
        .where('holder', '=', replica)
        .execute();
      return held.map(({ payment_key }) => payment_key);
    },
    takeOverUnfinished: () =>
      write(async (sql) => {
        const at = now();
        await giveBackTrials(sql, isFree(clock));
        const taken = await sql
          .updateTable('payments')
          .set({ holder: replica, updated_at: at })
          .where('payment_key', 'in', (of) =>
            of
              .selectFrom('payments')
              .select('payment_key')
              .where(isOpen)
              .where('state', 'in', ['claimed', 'sent'])
              // Its own too: claims may be left from an outage of the database.
              .where((is) => is.or([is('holder', '=', replica), isFree(clock)(is)]))
              // A batch locks rows in another order: waiting for them here could deadlock. The next round takes them.
              .$if(database.isShared, (rows) => rows.forUpdate().skipLocked()),
          )
          .returning(['payment_key', 'created_at'])
          .execute();
        const oldestFirst = taken.toSorted(
          (left, right) => left.created_at - right.created_at || (left.payment_key < right.payment_key ? -1 : 1),
        );
        const rows: PaymentRow[] = [];
        for (const { payment_key } of oldestFirst) {
          const row = await loadPayment(sql, payment_key);
          if (row) rows.push(row);
        }
        return rows;
      }),
  };
  return { ...ledger, ...batchSteps(database, replica, now, ledger) };
}
