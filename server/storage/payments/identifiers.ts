import type { Expression } from 'kysely';
import type { PaymentRow } from '../../payments/index.ts';
import type { Sql } from '../database/database.ts';
import { isFree } from './presence.ts';
import { loadPayment } from './records.ts';

/** A payment identifier of a wallet. */
export interface IdentifierClaim {
  key: string;
  wallet: string;
  identifier: string;
}

/**
 * Must run in a transaction. @see PaymentLedger.claimIdentifier
 * @param clock current time of the database
 */
export async function claimIdentifier(
  sql: Sql,
  { key, wallet, identifier }: IdentifierClaim,
  clock: Expression<number>,
): Promise<boolean> {
  // Locks an existing row without changing it: a concurrent claim of the same identifier waits for this transaction.
  const { payment_key: owner } = await sql
    .insertInto('payment_identifiers')
    .values({ wallet, identifier, payment_key: key })
    .onConflict((conflict) =>
      conflict.columns(['wallet', 'identifier']).doUpdateSet((row) => ({ identifier: row.ref('excluded.identifier') })),
    )
    .returning('payment_key')
    .executeTakeFirstOrThrow();
  if (owner === key) return true;
  // A refused payment may still pay if a replica is settling it again, or if a transaction was sent for it: `look_at` is
  // null once the chain has shown that no block can include one. The same condition as `mayStillPay`.
  const stillOpen = await sql
    .selectFrom('payments')
    .select('payment_key')
    .where('payment_key', '=', owner)
    .where((is) => is.not(is.and([is('state', '=', 'refused'), is('look_at', 'is', null), isFree(clock)(is)])))
    .executeTakeFirst();
  if (stillOpen) return false;
  await sql
    .updateTable('payment_identifiers')
    .set({ payment_key: key })
    .where('wallet', '=', wallet)
    .where('identifier', '=', identifier)
    .execute();
  return true;
}

/** @see PaymentLedger.loadIdentified */
export async function loadIdentified(
  read: Sql,
  { wallet, identifier }: Omit<IdentifierClaim, 'key'>,
): Promise<PaymentRow | undefined> {
  const owner = await read
    .selectFrom('payment_identifiers')
    .select('payment_key')
    .where('wallet', '=', wallet)
    .where('identifier', '=', identifier)
    .executeTakeFirst();
  return owner && loadPayment(read, owner.payment_key);
}

/** Deletes the identifiers of payments, so that they can be used again. */
export async function forgetIdentifiers(sql: Sql, keys: readonly string[]): Promise<void> {
  if (keys.length > 0) await sql.deleteFrom('payment_identifiers').where('payment_key', 'in', keys).execute();
}
