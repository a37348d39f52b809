import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { sql as raw } from 'kysely';
import Libsql from 'libsql';
import { afterAll, expect, test } from 'vitest';
import { DatabaseInUseError, DatabaseMissingError, DatabaseTooNewError, DatabaseUnavailableError } from './errors.ts';
import { migrations } from './migrations.ts';
import { openDatabase } from './openDatabase.ts';
import { openSqlite, openSqliteToRead } from './sqlite.ts';

const folder = mkdtempSync(join(tmpdir(), 'truefill-sqlite-'));
let files = 0;
const newFile = () => join(folder, `${++files}`, 'truefill.sqlite');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const creator = (token: string) => ({ chain: 'base', token, address: '0x01', source: 'test' });

/** Runs SQL on the file, beside any open database. */
function query(file: string, text: string): unknown {
  const connection = new Libsql(file);
  const rows = connection.prepare(text).all();
  connection.close();
  return rows;
}

test('creates the folder, and the tables of the newest version', async () => {
  const file = newFile();
  const database = openSqlite(file);
  expect(database.isShared).toBe(false);
  await database.close();
  expect(query(file, 'SELECT version FROM migrations ORDER BY version')).toEqual(
    migrations.map((_, index) => ({ version: index + 1 })),
  );
  expect(query(file, 'PRAGMA journal_mode')).toEqual([{ journal_mode: 'wal' }]);
});

test('runs only the migrations that the file lacks', async () => {
  const file = newFile();
  await openSqlite(file).close();
  // Every migration would fail on tables that exist.
  await openSqlite(file).close();
  query(file, `INSERT INTO trials (trial_group, wallet, payment_key, created_at) VALUES ('g', 'w', 'k', 1)`);
  const database = openSqlite(file);
  expect(await database.read.selectFrom('trials').select('wallet').execute()).toEqual([{ wallet: 'w' }]);
  await database.close();
});

test('reads committed data, by the clock of the database', async () => {
  const database = openSqlite(newFile());
  const written = database.write(async (sql) => {
    await sql.insertInto('creators').values(creator('0x0a')).execute();
    // Another connection does not see it before the commit.
    expect(await database.read.selectFrom('creators').selectAll().execute()).toEqual([]);
    return 'stored';
  });
  expect(await written).toBe('stored');
  expect(await database.read.selectFrom('creators').selectAll().execute()).toEqual([creator('0x0a')]);
  const { rows } = await raw<{ at: number }>`SELECT ${database.clock} AS at`.execute(database.read);
  expect(Math.abs((rows[0]?.at ?? 0) - Date.now())).toBeLessThan(5_000);
  expect(await database.inTurn('name', async () => 'turn')).toBe('turn');
  await database.close();
});

test('a write on the connection for reads fails', async () => {
  const database = openSqlite(newFile());
  await expect(database.read.insertInto('creators').values(creator('0x0a')).execute()).rejects.toThrow(/readonly/i);
  await database.close();
});

test('a commit is on disk, and foreign keys are checked', async () => {
  const database = openSqlite(newFile());
  const [synchronous, foreignKeys] = await database.write(async (sql) => [
    (await raw<{ synchronous: number }>`PRAGMA synchronous`.execute(sql)).rows[0]?.synchronous,
    (await raw<{ foreign_keys: number }>`PRAGMA foreign_keys`.execute(sql)).rows[0]?.foreign_keys,
  ]);
  // FULL.
  expect([synchronous, foreignKeys]).toEqual([2, 1]);
  await database.close();
});

test('a second process cannot open the file until the first one has closed it', async () => {
  const file = newFile();
  const first = openSqlite(file);
  const error = await openDatabase({ file }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(DatabaseInUseError);
  expect(error).toMatchObject({ message: expect.stringContaining(file), cause: { code: 'SQLITE_BUSY' } });
  await first.close();
  const second = openSqlite(file);
  await second.close();
});

test('a file that is no database is an error, and stays unlocked', () => {
  const file = newFile();
  mkdirSync(dirname(file));
  writeFileSync(file, 'This is no database. '.repeat(1_000));
  for (let attempt = 0; attempt < 2; attempt += 1) {
    expect(() => openSqlite(file)).toThrow(expect.objectContaining({ code: 'SQLITE_NOTADB' }));
  }
});

test('a file that cannot be locked is not reported as in use', () => {
  const file = newFile();
  mkdirSync(dirname(file));
  writeFileSync(`${file}.lock`, 'This is no database. '.repeat(1_000));
  expect(() => openSqlite(file)).toThrow(expect.objectContaining({ code: 'SQLITE_NOTADB' }));
});

test('error: DatabaseTooNewError, without a change of the file and its lock', async () => {
  const file = newFile();
  await openSqlite(file).close();
  const next = migrations.length + 1;
  query(file, `INSERT INTO migrations (version) VALUES (${next})`);
  for (let attempt = 0; attempt < 2; attempt += 1) {
    expect(() => openSqlite(file)).toThrow(DatabaseTooNewError);
    expect(() => openSqlite(file)).toThrow(
      `schema version ${next}; this version of truefill supports up to ${next - 1}`,
    );
  }
});

test('a migration that fails leaves nothing behind', async () => {
  const file = newFile();
  mkdirSync(dirname(file));
  query(file, 'CREATE TABLE answers (other TEXT)');
  expect(() => openSqlite(file)).toThrow(/answers already exists/);
  expect(query(file, `SELECT name FROM sqlite_master WHERE type = 'table'`)).toEqual([{ name: 'answers' }]);
  query(file, 'DROP TABLE answers');
  await openSqlite(file).close();
});

test('error: DatabaseUnavailableError after closing; closing waits for writes', async () => {
  const database = openSqlite(newFile());
  let isWritten = false;
  const writing = database.write(async (sql) => {
    await sql.insertInto('creators').values(creator('0x0a')).execute();
    isWritten = true;
  });
  await database.close();
  expect(isWritten).toBe(true);
  await writing;
  await expect(database.write(async () => undefined)).rejects.toThrow(DatabaseUnavailableError);
  await expect(database.read.selectFrom('creators').selectAll().execute()).rejects.toThrow(DatabaseUnavailableError);
});

test('opens a file read-only beside the service, with committed data', async () => {
  const file = newFile();
  const service = openSqlite(file);
  await service.write((sql) => sql.insertInto('creators').values(creator('0x0a')).execute());
  const reader = openSqliteToRead(file);
  expect(await reader.read.selectFrom('creators').select('token').execute()).toEqual([{ token: '0x0a' }]);
  await expect(reader.read.deleteFrom('creators').execute()).rejects.toThrow(/readonly/i);
  await reader.close();
  await expect(reader.read.selectFrom('creators').selectAll().execute()).rejects.toThrow(DatabaseUnavailableError);
  await service.close();
});

test('error: DatabaseMissingError for a file that does not exist, which is not created', () => {
  const file = newFile();
  expect(() => openSqliteToRead(file)).toThrow(DatabaseMissingError);
  expect(existsSync(file)).toBe(false);
});
