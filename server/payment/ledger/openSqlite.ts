import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'libsql';
import { migrations } from './migrations.ts';

/** Another process holds the file: two processes on one embedded ledger would each think they alone settle. */
export class LedgerInUseError extends Error {
  override readonly name = 'LedgerInUseError';
  constructor(file: string, options?: ErrorOptions) {
    super(
      `The payment ledger ${file} is in use by another process. End that one, or give this one its own DATA_DIR.`,
      options,
    );
  }
}

export type SqliteDatabase = InstanceType<typeof Database>;

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY');
}

function migrate(database: SqliteDatabase): void {
  database.exec('CREATE TABLE IF NOT EXISTS migrations (version INTEGER PRIMARY KEY)');
  const row = database.prepare('SELECT max(version) AS version FROM migrations').get() as { version: number | null };
  for (const [index, statements] of migrations.entries()) {
    const version = index + 1;
    if (version <= (row.version ?? 0)) continue;
    database.exec('BEGIN IMMEDIATE');
    for (const statement of statements) database.exec(statement);
    database.prepare('INSERT INTO migrations (version) VALUES (?)').run(version);
    database.exec('COMMIT');
  }
}

/**
 * Holds a database file for this process until `release`, or until it dies: the lock is the kernel's, so a
 * killed process leaves none behind. It lies in a file of its own, because a lock on the ledger's file would
 * last until libsql's statements are collected, long after `close`.
 */
function lockFile(file: string): { release(): void } {
  const lock = new Database(`${file}.lock`, { timeout: 2_000 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (isBusy(error)) throw new LedgerInUseError(file, { cause: error });
    throw error;
  }
  return {
    release() {
      lock.exec('ROLLBACK');
      lock.close();
    },
  };
}

/**
 * Opens the embedded database for this process alone and brings its tables up to date.
 *
 * WAL with synchronous=FULL: a commit that returned survives a power cut.
 *
 * @param file path, or `:memory:`. The folder is made when missing.
 * @throws {LedgerInUseError} another process holds the file.
 */
export function openSqlite(file: string): { database: SqliteDatabase; close(): void } {
  const inMemory = file === ':memory:';
  if (!inMemory) mkdirSync(dirname(file), { recursive: true });
  const lock = inMemory ? undefined : lockFile(file);
  try {
    const database = new Database(file);
    database.prepare('PRAGMA journal_mode = WAL').all();
    database.exec('PRAGMA synchronous = FULL');
    database.exec('PRAGMA foreign_keys = ON');
    migrate(database);
    return {
      database,
      close() {
        database.close();
        lock?.release();
      },
    };
  } catch (error) {
    lock?.release();
    throw error;
  }
}
