import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'libsql';

export type SqliteDatabase = InstanceType<typeof Database>;

/** SQL statements, oldest step first; a published step is never edited. SQL that PostgreSQL takes as well. */
export type Migrations = readonly (readonly string[])[];

function migrate(database: SqliteDatabase, migrations: Migrations): void {
  database.exec('CREATE TABLE IF NOT EXISTS migrations (version BIGINT PRIMARY KEY)');
  atomically(database, () => {
    const row = database.prepare('SELECT max(version) AS version FROM migrations').get() as { version: number | null };
    for (const [index, statements] of migrations.entries()) {
      const version = index + 1;
      if (version <= (row.version ?? 0)) continue;
      for (const statement of statements) database.exec(statement);
      database.prepare('INSERT INTO migrations (version) VALUES (?)').run(version);
    }
  });
}

/** All or nothing. The calls are synchronous, so nothing else of this process comes in between. */
export function atomically<T>(database: SqliteDatabase, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}

/**
 * Opens a file of facts and brings its tables up to date. Facts can be read from the chain again, so a
 * power cut may cost the last ones (synchronous NORMAL); the file itself stays whole.
 *
 * @param file path, or `:memory:`. The folder is made when missing.
 */
export function openDatabase(file: string, migrations: Migrations): SqliteDatabase {
  if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true });
  const database = new Database(file, { timeout: 2_000 });
  try {
    database.prepare('PRAGMA journal_mode = WAL').all();
    database.exec('PRAGMA synchronous = NORMAL');
    migrate(database, migrations);
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}
