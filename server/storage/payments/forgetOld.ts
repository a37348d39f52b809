import type { Database, Sql } from '../database/database.ts';
import { forgetIdentifiers } from './identifiers.ts';
import { isOpen } from './isOpen.ts';
import { sentFor } from './sentFor.ts';

/** Maximum number of keys in one statement. */
const chunkSize = 500;

/** Retention periods in milliseconds. */
export interface Retention {
  /** For answer bodies. */
  answersMs: number;
  /** For refused payments. */
  refusedMs: number;
}

/**
 * Retention, in milliseconds, of refused payments for which nothing was sent. Longer than a payment is usually valid, but
 * short, because clients can create such payments for free.
 */
const unsentMs = 3_600_000;

/**
 * Deletes expired data. Settled payments and used free calls are never deleted; only the answer of an old payment is. A
 * retry is then refused as answered.
 */
export async function forgetOld(database: Database, at: number, { answersMs, refusedMs }: Retention): Promise<void> {
  await database.write(async (sql) => {
    await sql
      .deleteFrom('answers')
      .where('created_at', '<', at - answersMs)
      .execute();
    // Each payment of a new wallet inserts a row. Without settlements, failures and a pause it is not needed.
    await sql
      .deleteFrom('payers')
      .where('updated_at', '<', at - Math.min(unsentMs, refusedMs))
      .where('paused_until', '<', at)
      .where('settled', '=', 0)
      .where((is) => is.or([is('failures', '=', 0), is('updated_at', '<', at - refusedMs)]))
      .execute();
    // An update, to lock the rows: a row that a replica is claiming is awaited and then checked again.
    const refused = await sql
      .updateTable('payments')
      .set({ reason: null })
      .where(isOpen)
      .where('state', '=', 'refused')
      .where('holder', 'is', null)
      .where('updated_at', '<', at - Math.min(unsentMs, refusedMs))
      .where((is) => is.or([is('updated_at', '<', at - refusedMs), is.not(is.exists(sentFor(is)))]))
      .returning('payment_key')
      .execute();
    for (let begin = 0; begin < refused.length; begin += chunkSize) {
      const keys = refused.slice(begin, begin + chunkSize).map(({ payment_key }) => payment_key);
      await forgetIdentifiers(sql, keys);
      const sent = await sql
        .deleteFrom('settlement_transactions')
        .where('payment_key', 'in', keys)
        .returning('hash')
        .execute();
      await sql.deleteFrom('payments').where('payment_key', 'in', keys).execute();
      await forgetGroups(sql, [...new Set(sent.map(({ hash }) => hash))]);
    }
  });
}

/** Deletes transactions of groups without remaining payments. */
async function forgetGroups(sql: Sql, hashes: readonly string[]): Promise<void> {
  if (hashes.length === 0) return;
  await sql
    .deleteFrom('group_transactions')
    .where('hash', 'in', hashes)
    .where((is) =>
      is.not(
        is.exists(
          is
            .selectFrom('settlement_transactions')
            .select('position')
            .whereRef('settlement_transactions.hash', '=', 'group_transactions.hash'),
        ),
      ),
    )
    .execute();
}
