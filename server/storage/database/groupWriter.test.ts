import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kysely, sql as raw, SqliteDialect } from 'kysely';
import Libsql from 'libsql';
import { afterAll, expect, test } from 'vitest';
import { DatabaseUnavailableError } from './errors.ts';
import { createGroupWriter } from './groupWriter.ts';
import type { Tables } from './tables.ts';

const folder = mkdtempSync(join(tmpdir(), 'truefill-groups-'));
const opened: Libsql.Database[] = [];
let files = 0;

/** Opens a writer on a new file with a table whose foreign keys are checked at commit. */
function openWriter() {
  const file = join(folder, `${++files}.sqlite`);
  const connection = new Libsql(file);
  opened.push(connection);
  connection.prepare('PRAGMA journal_mode = WAL').all();
  connection.exec('PRAGMA foreign_keys = ON');
  connection.exec(
    'CREATE TABLE things (id TEXT PRIMARY KEY, of TEXT REFERENCES things(id) DEFERRABLE INITIALLY DEFERRED)',
  );
  const prepare = (text: string) => connection.prepare(text);
  const sql = new Kysely<Tables>({ dialect: new SqliteDialect({ database: { prepare, close: () => {} } as never }) });
  const writer = createGroupWriter(connection, sql);
  const add = (id: string, of: string | null = null) =>
    writer.write(async (within) => {
      await raw`INSERT INTO things (id, of) VALUES (${id}, ${of})`.execute(within);
      return id;
    });
  const count = () => (connection.prepare('SELECT count(*) AS n FROM things').get() as { n: number }).n;
  return { writer, add, count, connection };
}

afterAll(() => {
  for (const connection of opened) connection.close();
  rmSync(folder, { recursive: true, force: true });
});

test('default: concurrent writes are committed when they resolve', async () => {
  const { add, count, writer } = openWriter();
  expect(await Promise.all([add('a'), add('b'), add('c')])).toEqual(['a', 'b', 'c']);
  expect(count()).toBe(3);
  await writer.close();
});

test('behavior: the event loop continues during the disk sync', async () => {
  const { writer, add } = openWriter();
  let turned = false;
  const written = writer.write(async (within) => {
    await raw`INSERT INTO things (id) VALUES (${'x'.repeat(4_000_000)})`.execute(within);
    setImmediate(() => {
      turned = true;
    });
  });
  await written;
  expect(turned).toBe(true);
  // Writes requested during a commit are written after it.
  expect(await add('y')).toBe('y');
  await writer.close();
});

test('behavior: a failing write does not affect the other writes of its group', async () => {
  const { writer, add, count } = openWriter();
  const [first, twice, last] = await Promise.allSettled([add('a'), add('a'), add('b')]);
  expect([first.status, twice.status, last.status]).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(count()).toBe(2);
  await writer.close();
});

test('behavior: a failed commit rejects and rolls back the whole group; the next write succeeds', async () => {
  const { writer, add, count } = openWriter();
  const outcomes = await Promise.allSettled([add('a'), add('orphan', 'missing')]);
  for (const outcome of outcomes) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: expect.stringContaining('CONSTRAINT') } });
  }
  expect(count()).toBe(0);
  expect(await add('b')).toBe('b');
  expect(count()).toBe(1);
  await writer.close();
});

test('behavior: closing waits for writes in progress', async () => {
  const { writer, add, count } = openWriter();
  const pending = add('a');
  await writer.close();
  expect(count()).toBe(1);
  expect(await pending).toBe('a');
});

test('error: DatabaseUnavailableError when the writer is closed', async () => {
  const { writer, add } = openWriter();
  await writer.close();
  await expect(add('a')).rejects.toThrow(DatabaseUnavailableError);
});

test('behavior: a full disk rejects whole groups with SQLITE_FULL; writes resume when space is free', async () => {
  const { writer, connection } = openWriter();
  connection.exec('CREATE TABLE kept (number INTEGER PRIMARY KEY, weight TEXT)');
  const keep = (number: number) =>
    writer.write(async (step) => {
      await raw`INSERT INTO kept VALUES (${number}, ${'x'.repeat(3_000)})`.execute(step);
      return number;
    });
  const kept = () => connection.prepare('SELECT number FROM kept ORDER BY number').all() as { number: number }[];
  const saved: number[] = [];
  const fill = async (from: number) => {
    const group = await Promise.allSettled(Array.from({ length: 8 }, (_, n) => keep(from + n)));
    for (const outcome of group) if (outcome.status === 'fulfilled') saved.push(outcome.value);
    return group.filter(({ status }) => status === 'rejected');
  };

  connection.exec('PRAGMA max_page_count = 20');
  let failed: PromiseSettledResult<number>[] = [];
  for (let from = 0; failed.length === 0; from += 8) failed = await fill(from);
  expect(failed[0]).toMatchObject({ reason: { code: 'SQLITE_FULL' } });
  expect(kept().map(({ number }) => number)).toEqual(saved);
  expect(connection.inTransaction).toBe(false);

  connection.exec('PRAGMA max_page_count = 1000');
  expect(await fill(1_000)).toEqual([]);
  expect(kept().map(({ number }) => number)).toEqual(saved);
  await writer.close();
});
