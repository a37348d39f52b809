import { Kysely, PostgresDialect, sql as raw } from 'kysely';
import pg from 'pg';
import type { Database, Sql } from './database.ts';
import { DatabaseTooNewError, DatabaseUnavailableError } from './errors.ts';
import { migrations } from './migrations.ts';
import type { Tables } from './tables.ts';

/** BIGINT as a number: ours are times, heights and counts, all below 2^53. */
const bigintType = 20;
/** Of this service; any constant that nobody else takes. */
const migrationLock = 7_230_114_020;

/** A commit waits for the disk whatever the server's default is; nobody waits for a lock for ever. */
const session = `SET synchronous_commit = on; SET idle_in_transaction_session_timeout = '30s'; SET lock_timeout = '8s'`;

const connections = 10;
/**
 * Of those who have a turn, or wait for one that another replica has. What is done in it needs a connection of the others:
 * out of one pool, as many turns as that holds would wait for each other. Opened when wanted, closed when idle.
 */
const turnConnections = 6;
const connectTimeoutMs = 5_000;
/** A server that has not answered a statement in this time is as good as gone. */
const statementTimeoutMs = 10_000;
/** Two replicas that wait for each other, or overtook each other: one of them begins again. */
const retryCodes = new Set(['40001', '40P01']);
const attempts = 5;

/** What the server or the way to it says, as opposed to what it says of a statement. */
function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  // 08 connection, 53 resources, 57P shutdown or crash, 25006 read-only standby, 28 and 3D no entry, 55P03 lock timeout.
  if (/^(08|28|3D|53)...$|^57P..$|^(25006|55P03)$/.test(code)) return true;
  if (/^(ECONN|EPIPE|ENOTFOUND|ETIMEDOUT|EHOST|ENET|EAI_)/.test(code)) return true;
  return /timeout|terminat|not queryable|connection/i.test(error.message) && !('severity' in error);
}

function toOutage(error: unknown): unknown {
  if (!isOutage(error)) return error;
  // The cause may name host and user, so it stays out.
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'no reply';
  return new DatabaseUnavailableError(`PostgreSQL does not answer (${code}).`);
}

interface GuardedClient {
  query<R>(text: string, values: readonly unknown[]): Promise<R>;
  release(): void;
}

/** Tells outages apart; a connection that had one is not used again. */
function guard(client: pg.PoolClient): GuardedClient {
  let isBroken = false;
  client.on('error', () => {
    isBroken = true;
  });
  return {
    async query<R>(text: string, values: readonly unknown[]) {
      try {
        return (await client.query(text, [...values])) as unknown as R;
      } catch (error) {
        isBroken ||= isOutage(error);
        throw toOutage(error);
      }
    },
    release: () => client.release(isBroken),
  };
}

/** A pool whose errors say when the database is away, and which never hands out a connection that failed so. */
function createPool(url: string, max: number) {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: statementTimeoutMs,
    keepAlive: true,
    application_name: 'truefill',
    types: {
      getTypeParser: ((type: number, format: 'text') =>
        type === bigintType ? Number : pg.types.getTypeParser(type, format)) as typeof pg.types.getTypeParser,
    },
  });
  // An idle connection that breaks is simply not used again; who needs the database hears of it.
  pool.on('error', () => undefined);

  const guards = new WeakMap<pg.PoolClient, GuardedClient>();

  return {
    async connect(): Promise<GuardedClient> {
      const client = await pool.connect().catch((error: unknown) => {
        throw toOutage(error);
      });
      const known = guards.get(client);
      if (known) return known;
      const guarded = guard(client);
      guards.set(client, guarded);
      try {
        await guarded.query(session, []);
      } catch (error) {
        guarded.release();
        throw error;
      }
      return guarded;
    },
    end: () => pool.end(),
  };
}

async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      if (!retryCodes.has(code) || attempt === attempts) throw error;
    }
  }
}

/** Several replicas may start at once: the first one migrates, the others wait for it. */
async function migrate(sql: Sql): Promise<void> {
  await sql.transaction().execute(async (step) => {
    await raw`SELECT pg_advisory_xact_lock(${raw.lit(migrationLock)})`.execute(step);
    await raw`CREATE TABLE IF NOT EXISTS migrations (version BIGINT PRIMARY KEY)`.execute(step);
    const { rows } = await raw<{ version: number | null }>`SELECT max(version) AS version FROM migrations`.execute(
      step,
    );
    const found = rows[0]?.version ?? 0;
    if (found > migrations.length) throw new DatabaseTooNewError(found, migrations.length);
    for (const [index, statements] of migrations.entries()) {
      if (index < found) continue;
      for (const statement of statements) await raw.raw(statement).execute(step);
      await raw`INSERT INTO migrations (version) VALUES (${index + 1})`.execute(step);
    }
  });
}

/**
 * Opens the database that replicas share and brings its tables up to date. PostgreSQL itself lets commits that come
 * together share one wait for the disk.
 *
 * @throws {DatabaseUnavailableError | DatabaseTooNewError}
 */
export async function openPostgres(url: string): Promise<Database> {
  const connect = (max: number) =>
    new Kysely<Tables>({ dialect: new PostgresDialect({ pool: createPool(url, max) as never }) });
  const sql = connect(connections);
  const turns = connect(turnConnections);
  const close = async () => {
    await Promise.all([sql.destroy(), turns.destroy()]);
  };
  try {
    await migrate(sql);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    isShared: true,
    clock: raw<number>`(extract(epoch FROM clock_timestamp()) * 1000)::bigint`,
    read: sql,
    write: (work) => retried(() => sql.transaction().execute(work)),
    step: (statement) => retried(() => statement(sql)),
    async lock(transaction, name) {
      await raw`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(transaction);
    },
    // The lock is a transaction's: whose process dies leaves none behind, and who is not heard of any more, frozen or cut
    // off, is ended by the server as every transaction that stands idle. A lock of the connection's would be held until
    // TCP gives it up, which takes hours.
    async inTurn<T>(name: string, work: () => Promise<T>) {
      const begun: Promise<T>[] = [];
      try {
        await turns.transaction().execute(async (own) => {
          await raw`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(own);
          begun.push(work());
          await begun[0];
        });
      } catch (error) {
        // There was nothing to commit or to undo: the work ended as it ended, whatever became of its turn.
        if (begun.length === 0) throw error;
      }
      return begun[0] as Promise<T>;
    },
    close,
  };
}
