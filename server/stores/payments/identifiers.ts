import type { Sql } from '../database/database.ts';

/** A payment's name, given by its wallet. */
export interface IdentifierClaim {
  key: string;
  wallet: string;
  identifier: string;
}

/** @see PaymentLedger.claimIdentifier; within a transaction */
export async function claimIdentifier(sql: Sql, { key, wallet, identifier }: IdentifierClaim): Promise<boolean> {
  const first = await sql
    .insertInto('payment_identifiers')
    .values({ wallet, identifier, payment_key: key })
    .onConflict((conflict) => conflict.columns(['wallet', 'identifier']).doNothing())
    .executeTakeFirstOrThrow();
  if (first.numInsertedOrUpdatedRows === 1n) return true;
  const owner = await sql
    .selectFrom('payment_identifiers as named')
    .leftJoin('payments', 'payments.payment_key', 'named.payment_key')
    .select(['named.payment_key', 'state'])
    .where('named.wallet', '=', wallet)
    .where('named.identifier', '=', identifier)
    .executeTakeFirst();
  if (owner?.payment_key === key) return true;
  // Forgotten in this moment, or alive: the client may ask again.
  if (!owner || (owner.state !== null && owner.state !== 'refused')) return false;
  const { numUpdatedRows } = await sql
    .updateTable('payment_identifiers')
    .set({ payment_key: key })
    .where('wallet', '=', wallet)
    .where('identifier', '=', identifier)
    .where('payment_key', '=', owner.payment_key)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** The names of payments that have been forgotten are free again. */
export async function forgetIdentifiers(sql: Sql, keys: readonly string[]): Promise<void> {
  if (keys.length > 0) await sql.deleteFrom('payment_identifiers').where('payment_key', 'in', keys).execute();
}
