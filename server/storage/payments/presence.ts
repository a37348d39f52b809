import { randomUUID } from 'node:crypto';
import type { Expression, ExpressionBuilder } from 'kysely';
import { sql as raw } from 'kysely';
import type { Database, Sql } from '../database/database.ts';
import type { Tables } from '../database/tables.ts';

/** Heartbeats that a replica may miss before it counts as dead. */
const heartbeatsUntilFree = 5;

/** This process among the replicas. Others take over its payments when it is dead. */
export interface Presence {
  readonly replica: string;
  close(): Promise<void>;
}

/** No replica owns the payment: no holder, or one that is dead by the database's clock. */
export const isFree = (clock: Expression<number>) => (is: ExpressionBuilder<Tables, 'payments'>) =>
  is.or([
    is('holder', 'is', null),
    is('holder', 'not in', is.selectFrom('replicas').select('replica').where('alive_until', '>', clock)),
  ]);

/**
 * Registers this process and renews the registration. An embedded database has one process: all others are dead.
 *
 * @param deathMs time without renewal after which it counts as dead; longer than any pause of a living process
 * @throws {DatabaseUnavailableError}
 */
export async function announce(database: Database, now: () => number, deathMs: number): Promise<Presence> {
  const replica = randomUUID();
  const aliveUntil = database.isShared ? raw<number>`${database.clock} + ${deathMs}` : Number.MAX_SAFE_INTEGER;
  await database.write(async (sql) => {
    if (!database.isShared) await sql.deleteFrom('replicas').execute();
    await sql.insertInto('replicas').values({ replica, alive_until: aliveUntil, started_at: now() }).execute();
  });
  const beat = (sql: Sql) =>
    sql
      .insertInto('replicas')
      .values({ replica, alive_until: aliveUntil, started_at: now() })
      .onConflict((row) => row.column('replica').doUpdateSet({ alive_until: aliveUntil }))
      .execute();
  const beating = database.isShared
    ? // A failed beat is followed by another one; a replica without beats counts as dead.
      setInterval(() => void database.write(beat).catch(() => undefined), deathMs / heartbeatsUntilFree).unref()
    : undefined;
  return {
    replica,
    async close() {
      clearInterval(beating);
      await database.write((sql) => sql.deleteFrom('replicas').where('replica', '=', replica).execute());
    },
  };
}
