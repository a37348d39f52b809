import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Kysely, sql as raw, SqliteDialect } from 'kysely';
import Libsql from 'libsql';
import type { Database, DatabaseOrigin } from './database.ts';
import {
  assertVersion,
  DatabaseInUseError,
  DatabaseMissingError,
  DatabaseTooNewError,
  DatabaseUnavailableError,
} from './errors.ts';
import { createGroupWriter } from './groupWriter.ts';
import { toJsonRows } from './jsonRows.ts';
import { migrations } from './migrations.ts';
import type { SqliteConnection } from './sqliteConnection.ts';
import type { Tables } from './tables.ts';

/** The last process that closes a file checkpoints its WAL and blocks others briefly. */
const busyTimeout = { timeout: 2_000 };

const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY');

function readVersion(connection: SqliteConnection): number {
  const row = connection.prepare('SELECT max(version) AS version FROM migrations').get() as { version: number | null };
  return row.version ?? 0;
}

function migrate(connection: SqliteConnection): void {
  connection.exec('BEGIN IMMEDIATE');
  try {
    connection.exec('CREATE TABLE IF NOT EXISTS migrations (version BIGINT PRIMARY KEY)');
    const found = readVersion(connection);
    if (found > migrations.length) throw new DatabaseTooNewError(found, migrations.length);
    for (const [index, statements] of migrations.entries()) {
      if (index < found) continue;
      for (const statement of statements) connection.exec(statement);
      connection.prepare('INSERT INTO migrations (version) VALUES (?)').run(index + 1);
    }
    connection.exec('COMMIT');
  } catch (error) {
    connection.exec('ROLLBACK');
    throw error;
  }
}

/**
 * Locks a database file for this process until `release`. The kernel owns the lock, so a killed process leaves none
 * behind. A separate lock file is used, because libsql would hold a lock on the database file until its statements are
 * garbage-collected, long after `close`.
 */
function lockFile(file: string): { release(): void } {
  const lock = new Libsql(`${file}.lock`, busyTimeout);
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (isBusy(error)) throw new DatabaseInUseError(file, { cause: error });
    throw error;
  }
  return {
    release() {
      lock.exec('ROLLBACK');
      lock.close();
    },
  };
}

/** A full disk leaves the WAL beside the file; the next start reads both. */
function checkpoint(connection: SqliteConnection): void {
  try {
    connection.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_'))) throw error;
  }
}

/** Preparing costs more than running, so each statement is prepared once per connection. */
function createKysely(connection: SqliteConnection) {
  const prepared = new Map<string, ReturnType<SqliteConnection['prepare']>>();
  let isClosed = false;
  const prepare = (text: string) => {
    // libsql terminates the process when a closed connection is used.
    if (isClosed) throw new DatabaseUnavailableError('The database is closed.');
    const known = prepared.get(text);
    if (known) return known;
    const statement = connection.prepare(text);
    if (prepared.size < 500) prepared.set(text, statement);
    return statement;
  };
  const close = () => {
    isClosed = true;
    connection.close();
  };
  // libsql implements better-sqlite3's interface without its types. Kysely does not close unused connections; `close` does.
  const sql = new Kysely<Tables>({ dialect: new SqliteDialect({ database: { prepare, close: () => {} } as never }) });
  return { sql, close };
}

/** Before the file is opened. A file of a crashed process may be empty while its WAL has the content. */
function originOf(file: string): DatabaseOrigin {
  if (!existsSync(file)) return 'created';
  const hasWal = existsSync(`${file}-wal`) && statSync(`${file}-wal`).size > 0;
  return statSync(file).size === 0 && !hasWal ? 'empty file' : 'existing';
}

/**
 * Opens the embedded database for this process only and runs the migrations.
 *
 * WAL with synchronous=FULL: a returned commit survives a power failure. Reads use a separate connection, so that they
 * see only committed data.
 *
 * @param file its folder is created if missing
 * @throws {DatabaseInUseError | DatabaseTooNewError}
 */
export function openSqlite(file: string): Database {
  mkdirSync(dirname(file), { recursive: true });
  const lock = lockFile(file);
  try {
    const origin = originOf(file);
    const writing = new Libsql(file, busyTimeout);
    writing.prepare('PRAGMA journal_mode = WAL').all();
    writing.exec('PRAGMA synchronous = FULL');
    writing.exec('PRAGMA foreign_keys = ON');
    migrate(writing);
    const reading = new Libsql(file, busyTimeout);
    reading.exec('PRAGMA query_only = ON');
    const write = createKysely(writing);
    const read = createKysely(reading);
    const writer = createGroupWriter(writing, write.sql);
    return {
      isShared: false,
      origin,
      clock: raw<number>`unixepoch() * 1000`,
      rows: (items) => raw`json_each(${toJsonRows(items)})`,
      read: read.sql,
      write: writer.write,
      step: writer.write,
      // Transactions run one after another.
      lock: async () => undefined,
      // Only this process has the file open.
      inTurn: (_name, work) => work(),
      async close() {
        await writer.close();
        read.close();
        // Moves the WAL into the file, so that a copy of the file alone is complete.
        checkpoint(writing);
        write.close();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/**
 * Opens the file read-only; another process may have it open.
 * @throws {DatabaseMissingError | DatabaseTooNewError | DatabaseTooOldError}
 */
export function openSqliteToRead(file: string): Pick<Database, 'read' | 'close'> {
  if (!existsSync(file)) throw new DatabaseMissingError(file);
  const connection = new Libsql(file, busyTimeout);
  connection.exec('PRAGMA query_only = ON');
  try {
    const hasTables = connection.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'migrations'`).get() !== undefined;
    assertVersion(hasTables ? readVersion(connection) : 0, migrations.length);
  } catch (error) {
    connection.close();
    throw error;
  }
  const { sql, close } = createKysely(connection);
  return { read: sql, close: async () => close() };
}
