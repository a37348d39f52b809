import type { Database } from '../database/database.ts';

/** How long what is not needed for ever is kept, in milliseconds. */
export interface Retention {
  /** Bodies of answers, for replays. */
  answersMs: number;
  /** Payments that are known not to have paid. */
  refusedMs: number;
}

/**
 * Forgets what has had its time. A settled key is never dropped, nor a free call that was taken: of an old payment
 * the answer's body goes, and who sends it again hears that it was answered.
 */
export async function forgetOld(database: Database, at: number, { answersMs, refusedMs }: Retention): Promise<void> {
  await database.write(async (sql) => {
    await sql
      .deleteFrom('answers')
      .where('created_at', '<', at - answersMs)
      .execute();
    const refused = sql
      .selectFrom('payments')
      .select('payment_key')
      .where('state', '=', 'refused')
      .where('holder', 'is', null)
      .where('updated_at', '<', at - refusedMs);
    await sql.deleteFrom('payment_identifiers').where('payment_key', 'in', refused).execute();
    await sql.deleteFrom('settlement_transactions').where('payment_key', 'in', refused).execute();
    await sql.deleteFrom('payments').where('payment_key', 'in', refused).execute();
  });
}
