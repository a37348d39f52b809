import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kysely, sql as raw, SqliteDialect } from 'kysely';
import Libsql from 'libsql';
import { expect, test } from 'vitest';
import { createGroupWriter } from './groupWriter.ts';
import type { Tables } from './tables.ts';

test('behavior: a disk that is full takes a group or leaves it, and says so to each; with room again all goes on', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'truefill-full-'));
  const connection = new Libsql(join(folder, 'full.sqlite'));
  connection.prepare('PRAGMA journal_mode = WAL').all();
  connection.exec('CREATE TABLE kept (number INTEGER PRIMARY KEY, weight TEXT)');
  const sql = new Kysely<Tables>({ dialect: new SqliteDialect({ database: connection as never }) });
  const writer = createGroupWriter(connection, sql);
  const keep = (number: number) =>
    writer.write(async (step) => {
      await raw`INSERT INTO kept VALUES (${number}, ${'x'.repeat(3_000)})`.execute(step);
      return number;
    });
  const kept = () => connection.prepare('SELECT number FROM kept ORDER BY number').all() as { number: number }[];
  const told: number[] = [];
  const fill = async (from: number) => {
    const group = await Promise.allSettled(Array.from({ length: 8 }, (_, n) => keep(from + n)));
    for (const outcome of group) if (outcome.status === 'fulfilled') told.push(outcome.value);
    return group.filter(({ status }) => status === 'rejected');
  };

  connection.exec('PRAGMA max_page_count = 20');
  let failed: PromiseSettledResult<number>[] = [];
  for (let from = 0; failed.length === 0; from += 8) failed = await fill(from);
  expect(failed[0]).toMatchObject({ reason: { code: 'SQLITE_FULL' } });
  expect(kept().map(({ number }) => number)).toEqual(told);
  expect(connection.inTransaction).toBe(false);

  connection.exec('PRAGMA max_page_count = 1000');
  expect(await fill(1_000)).toEqual([]);
  expect(kept().map(({ number }) => number)).toEqual(told);
  await writer.close();
  connection.close();
  await rm(folder, { recursive: true });
});
