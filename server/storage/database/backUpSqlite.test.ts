import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { backUpSqlite } from './backUpSqlite.ts';
import { BackupTargetError, DatabaseMissingError } from './errors.ts';
import { openSqlite } from './sqlite.ts';

const folder = mkdtempSync(join(tmpdir(), 'truefill-backup-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let folders = 0;
function newFolder(): string {
  const path = join(folder, `${++folders}`);
  mkdirSync(path);
  return path;
}

const creator = (token: string) => ({ chain: 'base', token, address: '0x01', source: 'test' });
type Sqlite = ReturnType<typeof openSqlite>;
const add = (database: Sqlite, token: string) =>
  database.write((sql) => sql.insertInto('creators').values(creator(token)).execute());

async function tokensIn(file: string): Promise<string[]> {
  const database = openSqlite(file);
  const rows = await database.read.selectFrom('creators').select('token').orderBy('token').execute();
  await database.close();
  return rows.map(({ token }) => token);
}

test('a backup of an open database contains every commit, and starts as a ledger', async () => {
  const path = newFolder();
  const file = join(path, 'truefill.sqlite');
  const database = openSqlite(file);
  for (let row = 0; row < 20; row += 1) await add(database, `0x${row + 10}`);
  const copy = join(path, 'copy.sqlite');
  const fileAlone = join(path, 'alone.sqlite');
  copyFileSync(file, fileAlone);
  backUpSqlite(file, copy);
  await add(database, '0xlater');
  await database.close();
  expect(await tokensIn(copy)).toEqual(Array.from({ length: 20 }, (_, row) => `0x${row + 10}`));
  // Why the command exists: the file alone lacks the commits that are in the WAL.
  expect(await tokensIn(fileAlone)).not.toHaveLength(20);
});

test('a backup beside concurrent writes contains each finished write and an intact file', async () => {
  const path = newFolder();
  const file = join(path, 'truefill.sqlite');
  const database = openSqlite(file);
  const finished: string[] = [];
  const writes = Array.from({ length: 200 }, async (_, row) => {
    await add(database, `0x${row + 1000}`);
    finished.push(`0x${row + 1000}`);
  });
  await Promise.race(writes);
  const before = [...finished];
  backUpSqlite(file, join(path, 'copy.sqlite'));
  await Promise.all(writes);
  await database.close();
  expect(before.length).toBeGreaterThan(0);
  expect(await tokensIn(join(path, 'copy.sqlite'))).toEqual(expect.arrayContaining(before));
});

test('error: an existing target is kept, and a failed backup leaves no file', async () => {
  const path = newFolder();
  const file = join(path, 'truefill.sqlite');
  await openSqlite(file).close();
  const taken = join(path, 'taken.sqlite');
  writeFileSync(taken, 'kept');
  expect(() => backUpSqlite(file, taken)).toThrow(BackupTargetError);
  expect(() => backUpSqlite(file, join(path, 'no-such-folder', 'copy.sqlite'))).toThrow(BackupTargetError);
  expect(() => backUpSqlite(join(path, 'none.sqlite'), join(path, 'copy.sqlite'))).toThrow(DatabaseMissingError);
  expect(existsSync(join(path, 'copy.sqlite'))).toBe(false);
  expect(readdirSync(path).filter((name) => name.includes('partial'))).toEqual([]);
});
