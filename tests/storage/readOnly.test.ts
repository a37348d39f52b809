import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LocalPostgres, startPostgres } from '../../sandbox/index.ts';
import { createStoreProbe, openStores } from '../../server/storage/index.ts';
import { newDatabase } from './newDatabase.ts';
import { facts } from './useLedger.ts';

// Databases that can be read but not written: a query succeeds, and no payment can be recorded.

let folder: string;
let postgres: LocalPostgres;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'truefill-read-only-'));
  postgres = await startPostgres();
});
afterAll(async () => {
  await postgres?.close();
  await rm(folder, { recursive: true, force: true });
});

/** A probe without a cache, and the changes that it reported. */
function openProbe({ database, replica }: Awaited<ReturnType<typeof openStores>>) {
  let time = 0;
  const changes: [boolean, unknown][] = [];
  const probe = createStoreProbe(database, {
    now: () => {
      time += 10_000;
      return time;
    },
    replica,
    onChange: (isAvailable, cause) => changes.push([isAvailable, cause]),
  });
  return { probe, changes };
}

test('error: an SQLite file that cannot grow is unavailable, and available again when it can', async () => {
  const stores = await openStores({ file: join(folder, 'full.sqlite') }, Date.now);
  const { database, ledger } = stores;
  const { probe, changes } = openProbe(stores);
  expect(await probe.check()).toBe(true);
  // PRAGMA max_page_count stands for a full disk. Fill the pages that the first probe freed.
  const pages = await database.write(async (step) => {
    const { rows } = await sql<{ page_count: number }>`PRAGMA page_count`.execute(step);
    await sql`PRAGMA max_page_count = ${sql.lit(rows[0]?.page_count ?? 0)}`.execute(step);
    return rows[0]?.page_count ?? 0;
  });
  const fill = () =>
    database.write((step) =>
      sql`INSERT INTO write_probes (replica, filler) VALUES (${crypto.randomUUID()}, ${'x'.repeat(4_000)})`.execute(
        step,
      ),
    );
  const claimRow = (key: string) => ledger.claim({ ...facts, key, canonicalInput: 'x'.repeat(9_000) });
  for (;;) {
    const isFull = await fill().then(
      () => false,
      () => true,
    );
    if (isFull) break;
  }
  await expect(claimRow('full')).rejects.toThrow();
  expect(await database.read.selectFrom('payments').selectAll().execute()).toEqual([]);
  expect(await probe.check()).toBe(false);
  expect(probe.isAvailable).toBe(false);
  await database.write((step) => sql`PRAGMA max_page_count = ${sql.lit(pages + 1_000)}`.execute(step));
  expect(await probe.check()).toBe(true);
  expect((await claimRow('space')).won).toBe(true);
  expect(changes).toEqual([
    [false, expect.objectContaining({ code: 'SQLITE_FULL' })],
    [true, undefined],
  ]);
  await stores.close();
});

test('error: a read-only PostgreSQL is unavailable', async () => {
  const url = await newDatabase(postgres);
  const stores = await openStores({ url }, Date.now);
  const { probe, changes } = openProbe(stores);
  expect(await probe.check()).toBe(true);
  const admin = new pg.Client(url);
  await admin.connect();
  const name = new URL(url).pathname.slice(1);
  await admin.query(`ALTER DATABASE "${name}" SET default_transaction_read_only = on`);
  // New sessions read the setting.
  await admin.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()',
    [name],
  );
  await admin.query('SET default_transaction_read_only = off');
  await expect.poll(() => probe.check()).toBe(false);
  await expect
    .poll(() =>
      stores.database.read
        .selectFrom('payments')
        .selectAll()
        .execute()
        .catch(() => undefined),
    )
    .toEqual([]);
  expect(await probe.check()).toBe(false);
  expect(changes.at(-1)?.[0]).toBe(false);
  await admin.query(`ALTER DATABASE "${name}" RESET default_transaction_read_only`);
  await admin.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()',
    [name],
  );
  await expect.poll(() => probe.check()).toBe(true);
  await admin.end();
  await stores.close();
});
