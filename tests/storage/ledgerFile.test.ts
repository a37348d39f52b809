import { copyFileSync, existsSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Libsql from 'libsql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStores } from '../../server/storage/index.ts';
import { facts } from './useLedger.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'truefill-ledger-file-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('behavior: after a clean stop the file alone contains the ledger', async () => {
  const file = join(folder, 'stopped.sqlite');
  const { ledger, close } = await openStores({ file }, Date.now);
  await ledger.claim({ ...facts, key: 'kept' });
  expect(statSync(`${file}-wal`).size).toBeGreaterThan(0);
  await close();
  expect(existsSync(`${file}-wal`) ? statSync(`${file}-wal`).size : 0).toBe(0);
  const copy = join(folder, 'copy.sqlite');
  copyFileSync(file, copy);
  const reader = new Libsql(copy);
  expect(reader.prepare('SELECT payment_key FROM payments').all()).toEqual([{ payment_key: 'kept' }]);
  reader.close();
});

test('default: reports whether the ledger is new, existing, or replaces an empty file', async () => {
  const originOf = async (file: string) => {
    const { database, close } = await openStores({ file }, Date.now);
    await close();
    return database.origin;
  };
  const file = join(folder, 'new', 'ledger.sqlite');
  expect(await originOf(file)).toBe('created');
  expect(await originOf(file)).toBe('existing');
  const empty = join(folder, 'empty.sqlite');
  writeFileSync(empty, '');
  expect(await originOf(empty)).toBe('empty file');
});

test('behavior: a file whose content is still in its WAL is not reported as empty', async () => {
  const file = join(folder, 'killed.sqlite');
  const { ledger, close } = await openStores({ file }, Date.now);
  await ledger.claim({ ...facts, key: 'kept' });
  // The files as a killed process leaves them.
  const killed = join(folder, 'copied.sqlite');
  copyFileSync(file, killed);
  copyFileSync(`${file}-wal`, `${killed}-wal`);
  await close();
  const next = await openStores({ file: killed }, Date.now);
  expect(next.database.origin).toBe('existing');
  expect(await next.ledger.load('kept')).toBeDefined();
  await next.close();
});
