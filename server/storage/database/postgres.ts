import { Kysely, PostgresDialect, sql as raw } from 'kysely';
import pg from 'pg';
import type { Database, Sql } from './database.ts';
import { assertVersion, DatabaseTooNewError, DatabaseUnavailableError } from './errors.ts';
import { toJsonRows } from './jsonRows.ts';
import { migrations } from './migrations.ts';
import type { Tables } from './tables.ts';

/** Type id of BIGINT, parsed to a number: times, block numbers and counts are below 2^53. */
const bigintType = 20;
/** Advisory lock of this service; an arbitrary constant. */
const migrationLock = 7_230_114_020;

const lockTimeoutSeconds = 8;
/** Commits wait for the disk regardless of the server's default, and lock waits time out. */
const session = `SET synchronous_commit = on; SET idle_in_transaction_session_timeout = '30s'; SET lock_timeout = '${lockTimeoutSeconds}s'`;

const connections = 10;
/**
 * Connections that hold or await a named lock. The work under a lock needs a second connection; with one pool, lock
 * holders could exhaust it and deadlock. Opened on demand, closed when idle.
 */
const turnConnections = 6;
const connectTimeoutMs = 5_000;
/** A server that has not answered a statement within this time counts as unavailable. */
const statementTimeoutMs = 10_000;
/** SQLSTATE of a serialisation failure and of a deadlock. */
const retryCodes = new Set(['40001', '40P01']);
const maxAttempts = 5;

/** SQLSTATE `lock_not_available`. */
const lockTimeout = '55P03';

/** Errors of the server or the connection, in contrast to errors of a statement. */
function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  // 08 connection, 53 resources, 57P shutdown or crash, 25006 read-only standby, 28 and 3D login or database rejected,
  // 55P03 lock timeout.
  if (/^(08|28|3D|53)...$|^57P..$|^(25006|42501|55P03)$/.test(code)) return true;
  if (/^(ECONN|EPIPE|ENOTFOUND|ETIMEDOUT|EHOST|ENET|EAI_)/.test(code)) return true;
  if (/^(EPROTO|ERR_TLS|ERR_SSL|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_)|SSL/.test(code || error.message)) return true;
  return /timeout|terminat|not queryable|connection/i.test(error.message) && !('severity' in error);
}

function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && error.code !== undefined) return String(error.code);
  // pg reports a server without TLS only in words.
  return error instanceof Error && /does not support SSL/i.test(error.message) ? 'NO_TLS' : 'no reply';
}

/** One sentence that the ledger command prints; `describeStartFault` names the server too. */
function describe(code: string): string {
  if (code === '3D000') return 'PostgreSQL has no database with the name in DATABASE_URL (3D000).';
  if (code.startsWith('28')) return `PostgreSQL rejects the user name or password in DATABASE_URL (${code}).`;
  if (code === '25006') return 'PostgreSQL is read-only (25006).';
  return `PostgreSQL does not answer (${code}).`;
}

function toOutage(error: unknown): unknown {
  if (!isOutage(error)) return error;
  // The cause may contain host and user, so it is omitted.
  const code = codeOf(error);
  return new DatabaseUnavailableError(describe(code), { isLockTimeout: code === lockTimeout, code });
}

interface GuardedClient {
  query<R>(text: string, values: readonly unknown[]): Promise<R>;
  release(): void;
}

/** Converts outages to DatabaseUnavailableError. A connection that had one is not reused. */
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

/**
 * A pool that reports outages and discards failed connections.
 * @param timeoutMs for each statement; 0: none
 */
function createPool(url: string, max: number, timeoutMs: number) {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: timeoutMs,
    keepAlive: true,
    application_name: 'truefill',
    types: {
      getTypeParser: ((type: number, format: 'text') =>
        type === bigintType ? Number : pg.types.getTypeParser(type, format)) as typeof pg.types.getTypeParser,
    },
  });
  // An idle connection that breaks is discarded; the next query reports an outage.
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

/** Retries `work` after a serialisation failure or deadlock. */
async function withRetries<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      if (!retryCodes.has(code) || attempt === maxAttempts) throw error;
    }
  }
}

async function readVersion(sql: Sql): Promise<number> {
  const { rows } = await raw<{ version: number | null }>`SELECT max(version) AS version FROM migrations`.execute(sql);
  return rows[0]?.version ?? 0;
}

/**
 * Several replicas may start concurrently: one migrates, the others wait. Each version has a transaction of its own, so that
 * none holds a lock on one table while it waits for another: running replicas use both.
 * @returns whether an earlier process created the tables
 * @throws {DatabaseTooNewError}
 */
async function migrate(sql: Sql): Promise<boolean> {
  const first = await addVersion(sql);
  for (let version = first; version < migrations.length; version++) await addVersion(sql);
  return first > 0;
}

/** Runs the first migration that the database lacks, if any. @returns the version before it */
function addVersion(sql: Sql): Promise<number> {
  return sql.transaction().execute(async (step) => {
    // Another replica's migration may build an index for minutes.
    await raw`SET LOCAL lock_timeout = 0`.execute(step);
    await raw`SELECT pg_advisory_xact_lock(${raw.lit(migrationLock)})`.execute(step);
    await raw.raw(`SET LOCAL lock_timeout = '${lockTimeoutSeconds}s'`).execute(step);
    await raw`CREATE TABLE IF NOT EXISTS migrations (version BIGINT PRIMARY KEY)`.execute(step);
    const found = await readVersion(step);
    if (found > migrations.length) throw new DatabaseTooNewError(found, migrations.length);
    const statements = migrations[found];
    if (!statements) return found;
    for (const statement of statements) await raw.raw(statement).execute(step);
    await raw`INSERT INTO migrations (version) VALUES (${found + 1})`.execute(step);
    return found;
  });
}

/**
 * Opens the shared database without a change to its tables, beside running replicas.
 * @throws {DatabaseUnavailableError | DatabaseTooNewError | DatabaseTooOldError}
 */
export async function openPostgresToRead(url: string): Promise<Pick<Database, 'read' | 'close'>> {
  const sql = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: createPool(url, 1, statementTimeoutMs) as never }),
  });
  try {
    const { rows: tables } = await raw<{ name: string | null }>`SELECT to_regclass('migrations')::text AS name`.execute(
      sql,
    );
    assertVersion(tables[0]?.name ? await readVersion(sql) : 0, migrations.length);
  } catch (error) {
    await sql.destroy();
    throw error;
  }
  return { read: sql, close: () => sql.destroy() };
}

/**
 * Opens the shared database and runs the migrations. PostgreSQL itself lets concurrent commits share one disk sync.
 *
 * @throws {DatabaseUnavailableError | DatabaseTooNewError}
 */
export async function openPostgres(url: string): Promise<Database> {
  const connect = (max: number, timeoutMs = statementTimeoutMs) =>
    new Kysely<Tables>({ dialect: new PostgresDialect({ pool: createPool(url, max, timeoutMs) as never }) });
  // A migration may build an index over millions of rows.
  const migrating = connect(1, 0);
  let isKnown: boolean;
  try {
    isKnown = await migrate(migrating);
  } finally {
    await migrating.destroy();
  }
  const sql = connect(connections);
  const turns = connect(turnConnections);
  const close = async () => {
    await Promise.all([sql.destroy(), turns.destroy()]);
  };
  return {
    isShared: true,
    origin: isKnown ? 'existing' : 'created',
    clock: raw<number>`(extract(epoch FROM clock_timestamp()) * 1000)::bigint`,
    rows: (items) => raw`json_array_elements(${toJsonRows(items)}::json)`,
    read: sql,
    write: (work) => withRetries(() => sql.transaction().execute(work)),
    step: (statement) => withRetries(() => statement(sql)),
    async lock(transaction, name) {
      await raw`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(transaction);
    },
    // Use a transaction lock: it ends with the process, and the server ends idle transactions of a frozen or
    // disconnected one. A session lock would be held until TCP gives up, which takes hours.
    async inTurn<T>(name: string, work: () => Promise<T>) {
      const begun: Promise<T>[] = [];
      try {
        await turns.transaction().execute(async (own) => {
          await raw`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(own);
          begun.push(work());
          await begun[0];
        });
      } catch (error) {
        // The transaction is empty, so the outcome of the work does not depend on it.
        if (begun.length === 0) throw error;
      }
      return begun[0] as Promise<T>;
    },
    close,
  };
}
