import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import type { PaymentLedger } from '../../server/payments/index.ts';
import type { Database } from '../../server/storage/database/database.ts';
import { openSqlite } from '../../server/storage/database/sqlite.ts';
import { createLedger } from '../../server/storage/payments/ledger.ts';

/**
 * Two replicas on one embedded database, for the rules of ownership. `replicas.contract.test.ts` tests the same with
 * processes on PostgreSQL.
 */
export function useReplicas() {
  let folder: string;
  const opened = {
    database: undefined as unknown as Database,
    ledger: undefined as unknown as PaymentLedger,
    other: undefined as unknown as PaymentLedger,
    /** The clock of both replicas, in milliseconds. */
    time: 0,
    /** Ends the lease of the other replica. */
    stopOther: () =>
      opened.database.write((sql) => sql.deleteFrom('replicas').where('replica', '=', 'other').execute()),
    row: (key: string) =>
      opened.database.read.selectFrom('payments').selectAll().where('payment_key', '=', key).executeTakeFirst(),
  };
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'truefill-replicas-'));
    opened.database = openSqlite(join(folder, 'truefill.sqlite'));
    opened.time = 1_000;
    const open = async (replica: string) => {
      const lease = { replica, alive_until: Number.MAX_SAFE_INTEGER, started_at: 0 };
      await opened.database.write((sql) => sql.insertInto('replicas').values(lease).execute());
      return createLedger(opened.database, { replica, close: async () => undefined }, () => opened.time);
    };
    opened.ledger = await open('own');
    opened.other = await open('other');
  });
  afterEach(async () => {
    await opened.database.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return opened;
}
