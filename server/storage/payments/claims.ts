import {
  LedgerOrderError,
  type PaymentFacts,
  type PaymentLedger,
  type PaymentRow,
  transitions,
} from '../../payments/index.ts';
import type { Sql } from '../database/database.ts';
import { giveBackTrials } from './freeCalls.ts';
import { forgetIdentifiers } from './identifiers.ts';
import { isOpen } from './isOpen.ts';
import type { LedgerContext } from './ledgerContext.ts';
import { isFree } from './presence.ts';
import { loadPayment, newRow, toRecord } from './records.ts';

/** Maximum attempts to claim a row that other processes insert and delete in between. */
const claimAttempts = 5;

/** Inserts a payment that this replica owns. @returns false if the payment already has a row */
function insert({ database, replica, now }: LedgerContext, facts: PaymentFacts): Promise<boolean> {
  return database.step(async (sql) => {
    const { numInsertedOrUpdatedRows } = await sql
      .insertInto('payments')
      .values(toRecord(facts, replica, now()))
      .onConflict((conflict) => conflict.column('payment_key').doNothing())
      .executeTakeFirstOrThrow();
    return numInsertedOrUpdatedRows === 1n;
  });
}

/** Claims a row that no other running replica owns. Undefined if the row was deleted in the meantime. */
async function takeOver({ database, replica, now }: LedgerContext, sql: Sql, { key, fingerprint }: PaymentFacts) {
  const at = now();
  const taken = await sql
    .updateTable('payments')
    .set({ holder: replica, updated_at: at })
    .where('payment_key', '=', key)
    .where('fingerprint', '=', fingerprint)
    .where('state', '<>', 'answered')
    // Also rows of this replica: a process runs only one settlement of a payment at a time.
    .where((is) => is.or([is('holder', '=', replica), isFree(database.clock)(is)]))
    .executeTakeFirstOrThrow();
  const row = await loadPayment(sql, key);
  return row && { won: taken.numUpdatedRows === 1n, isFirst: false, row };
}

async function claim(context: LedgerContext, facts: PaymentFacts): ReturnType<PaymentLedger['claim']> {
  for (let turn = 0; turn < claimAttempts; turn += 1) {
    if (await insert(context, facts)) return { won: true, isFirst: true, row: newRow(facts) };
    const found = await context.database.write((sql) => takeOver(context, sql, facts));
    if (found) return found;
  }
  throw new LedgerOrderError(
    `Other processes inserted and deleted payment ${facts.key} during ${claimAttempts} attempts to claim it.`,
  );
}

async function takeOverUnfinished({ database, replica, now }: LedgerContext, sql: Sql): Promise<PaymentRow[]> {
  const at = now();
  await giveBackTrials(sql, isFree(database.clock));
  const taken = await sql
    .updateTable('payments')
    .set({ holder: replica, updated_at: at })
    .where('payment_key', 'in', (of) =>
      of
        .selectFrom('payments')
        .select('payment_key')
        .where(isOpen)
        .where('state', 'in', ['claimed', 'sent'])
        // Also rows of this replica: an outage of the database may have left claims.
        .where((is) => is.or([is('holder', '=', replica), isFree(database.clock)(is)]))
        // Skips locked rows until the next round: a batch locks rows in another order, so waiting here could deadlock.
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
}

/** Claims and releases payments, so that only one replica at a time settles each. */
export function createClaims(
  context: LedgerContext,
): Pick<PaymentLedger, 'claim' | 'isHeldElsewhere' | 'forget' | 'release' | 'loadHeldCredits' | 'takeOverUnfinished'> {
  const { database, replica, now } = context;
  const { write, clock } = database;
  return {
    claim: (facts) => claim(context, facts),
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
    forget: (key) =>
      write(async (sql) => {
        const forgotten = await sql
          .deleteFrom('payments')
          .where('payment_key', '=', key)
          .where('state', 'in', transitions.forget.from)
          .where('holder', '=', replica)
          .executeTakeFirstOrThrow();
        if (forgotten.numDeletedRows !== 1n) throw new LedgerOrderError(`Payment ${key} cannot be deleted.`);
        await forgetIdentifiers(sql, [key]);
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
    takeOverUnfinished: () => write((sql) => takeOverUnfinished(context, sql)),
  };
}
