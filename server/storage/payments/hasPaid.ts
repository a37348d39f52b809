import { sql } from 'kysely';
import type { Sql } from '../database/database.ts';

/** Whether a payment of this wallet was settled for money, and no reorg dropped it. */
export async function hasPaid(read: Sql, wallet: string): Promise<boolean> {
  // Literals, because SQLite uses a partial index only if it can derive the index's condition from the statement.
  // `payer` has the client's letter case; a Solana address is case-sensitive.
  const { rows } = await sql<{ payer: string }>`
    SELECT payer FROM payments
    WHERE lower(payer) = lower(${wallet})
      AND state IN ('settled', 'answered') AND trial_group IS NULL AND lost_at IS NULL
    LIMIT 1
  `.execute(read);
  return rows.some(({ payer }) => wallet.startsWith('0x') || payer === wallet);
}
