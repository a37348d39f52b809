import { sql } from 'kysely';
import type { Database } from '../database/database.ts';

/** Tables whose rows earlier releases kept in the ledger's file. */
const movedTables = ['pool_creations', 'pool_checkpoints', 'pool_ranges', 'log_indexes', 'log_holders'] as const;

/**
 * Deletes at most `most` rows of the indexes that earlier releases kept in the ledger's SQLite file. They are in a file of
 * their own now, and can be read from the chain again.
 * @returns whether there were such rows
 */
export async function deleteMovedRows(ledger: Database, most: number): Promise<boolean> {
  for (const table of movedTables) {
    const { numDeletedRows } = await ledger.write((write) =>
      write
        .deleteFrom(table)
        .where(sql<boolean>`rowid IN (SELECT rowid FROM ${sql.table(table)} LIMIT ${most})`)
        .executeTakeFirstOrThrow(),
    );
    if (numDeletedRows > 0n) return true;
  }
  return false;
}
