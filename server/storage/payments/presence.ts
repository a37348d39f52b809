import { randomUUID } from 'node:crypto';
import type { Expression, ExpressionBuilder } from 'kysely';
import { sql as raw } from 'kysely';
import type { Database, Sql } from '../database/database.ts';
import type { Tables } from '../database/tables.ts';

/** Renewals of the lease during its time, so that a replica may miss four. */
const renewalsPerLease = 5;

/** The lease of this process. Other replicas take over its payments when the lease has expired. */
export interface Presence {
  readonly replica: string;
  close(): Promise<void>;
}

/** Matches payments without an owner, or whose owner's lease has expired by the database's clock. */
export const isFree = (clock: Expression<number>) => (is: ExpressionBuilder<Tables, 'payments'>) =>
  is.or([
    is('holder', 'is', null),
    is('holder', 'not in', is.selectFrom('replicas').select('replica').where('alive_until', '>', clock)),
  ]);

/**
 * Takes a lease for this process and renews it. An embedded database has one process, so its leases of earlier processes
 * are deleted, and its own does not expire.
 *
 * @param leaseMs time without renewal after which the lease expires; longer than any pause of a running process
 * @throws {DatabaseUnavailableError}
 */
export async function registerReplica(database: Database, now: () => number, leaseMs: number): Promise<Presence> {
  const replica = randomUUID();
  const aliveUntil = database.isShared ? raw<number>`${database.clock} + ${leaseMs}` : Number.MAX_SAFE_INTEGER;
  await database.write(async (sql) => {
    if (!database.isShared) await sql.deleteFrom('replicas').execute();
    await sql.insertInto('replicas').values({ replica, alive_until: aliveUntil, started_at: now() }).execute();
  });
  const renew = (sql: Sql) =>
    sql
      .insertInto('replicas')
      .values({ replica, alive_until: aliveUntil, started_at: now() })
      .onConflict((row) => row.column('replica').doUpdateSet({ alive_until: aliveUntil }))
      .execute();
  const timer = database.isShared
    ? // A failed renewal is followed by another one.
      setInterval(() => void database.write(renew).catch(() => undefined), leaseMs / renewalsPerLease).unref()
    : undefined;
  return {
    replica,
    async close() {
      clearInterval(timer);
      await database.write((sql) => sql.deleteFrom('replicas').where('replica', '=', replica).execute());
    },
  };
}
