import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql as raw } from 'kysely';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Database } from '../database/database.ts';
import { openSqlite } from '../database/sqlite.ts';
import { isFree, registerReplica } from './presence.ts';

const leaseMs = 20_000;
let folder: string;
let database: Database;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'truefill-presence-'));
  database = openSqlite(join(folder, 'truefill.sqlite'));
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterEach(async () => {
  vi.useRealTimers();
  await database.close();
  rmSync(folder, { recursive: true });
});

/** The database, as several replicas use it. */
const shared = () => ({ ...database, isShared: true });
const leases = () => database.read.selectFrom('replicas').selectAll().execute();
/** The database's clock has whole seconds. */
const leaseLeft = async () => Math.round(((await leases())[0]?.alive_until ?? 0) - Date.now());
/** Lets time pass, and waits for the writes that it caused: writes of one turn share a transaction. */
async function pass(ms: number): Promise<void> {
  vi.advanceTimersByTime(ms);
  await database.write(async () => undefined);
}
const endLeases = () => database.write((sql) => sql.updateTable('replicas').set({ alive_until: 1 }).execute());

test('a replica takes a lease that is valid for its whole time', async () => {
  const presence = await registerReplica(shared(), () => 7, leaseMs);
  expect(await leases()).toMatchObject([{ replica: presence.replica, started_at: 7 }]);
  expect(await leaseLeft()).toBeGreaterThan(leaseMs - 2_000);
  expect(await leaseLeft()).toBeLessThanOrEqual(leaseMs);
  await presence.close();
});

test('a running replica renews its lease five times during its time', async () => {
  const presence = await registerReplica(shared(), () => 7, leaseMs);
  for (let turn = 0; turn < 3; turn += 1) {
    await endLeases();
    await pass(leaseMs / 5 - 1);
    expect((await leases())[0]?.alive_until).toBe(1);
    await pass(1);
    expect(await leaseLeft()).toBeGreaterThan(leaseMs - 2_000);
  }
  await presence.close();
});

test('a replica takes its lease again if the row was deleted', async () => {
  const presence = await registerReplica(shared(), () => 7, leaseMs);
  await database.write((sql) => sql.deleteFrom('replicas').execute());
  await pass(leaseMs / 5);
  expect(await leases()).toMatchObject([{ replica: presence.replica, started_at: 7 }]);
  await presence.close();
});

test('an outage during a renewal is followed by another renewal', async () => {
  let fails = false;
  const write: Database['write'] = (work) =>
    fails ? Promise.reject(new Error('PostgreSQL does not answer.')) : database.write(work);
  const presence = await registerReplica({ ...shared(), write }, () => 7, leaseMs);
  await endLeases();
  fails = true;
  await pass(leaseMs / 5);
  fails = false;
  await pass(leaseMs / 5);
  expect(await leaseLeft()).toBeGreaterThan(leaseMs - 2_000);
  await presence.close();
});

test('closing ends the lease of this replica, not of others, and its renewals', async () => {
  const [one, other] = [
    await registerReplica(shared(), () => 1, leaseMs),
    await registerReplica(shared(), () => 2, leaseMs),
  ];
  await one.close();
  expect(await leases()).toMatchObject([{ replica: other.replica }]);
  await other.close();
  expect(vi.getTimerCount()).toBe(0);
  expect(await leases()).toEqual([]);
});

test('the process of an embedded database replaces earlier leases, and its own never expires', async () => {
  const killed = await registerReplica(shared(), () => 1, leaseMs);
  const presence = await registerReplica(database, () => 2, leaseMs);
  expect(presence.replica).not.toBe(killed.replica);
  expect(await leases()).toEqual([{ replica: presence.replica, alive_until: Number.MAX_SAFE_INTEGER, started_at: 2 }]);
  // Only the lease on the shared database is renewed.
  expect(vi.getTimerCount()).toBe(1);
  await killed.close();
  await presence.close();
});

test('a payment is free without an owner, or from the time at which the lease of its owner ends', async () => {
  const leaseEnds = { before: 9_999, at: 10_000, after: 10_001 };
  const owners = [...Object.keys(leaseEnds), 'unknown', null];
  await database.write(async (sql) => {
    for (const [replica, alive_until] of Object.entries(leaseEnds)) {
      await sql.insertInto('replicas').values({ replica, alive_until, started_at: 0 }).execute();
    }
    for (const holder of owners) {
      const empty = { fingerprint: '', network: '', payer: '', paid: '', route: '', canonical_input: '', payload: '' };
      const row = {
        payment_key: `${holder}`,
        holder,
        state: 'claimed' as const,
        failures: 0,
        created_at: 0,
        updated_at: 0,
      };
      await sql
        .insertInto('payments')
        .values({ ...empty, ...row })
        .execute();
    }
  });
  const free = await database.read
    .selectFrom('payments')
    .select('holder')
    .where(isFree(raw<number>`10000`))
    .orderBy('payment_key')
    .execute();
  expect(free.map(({ holder }) => holder)).toEqual(['at', 'before', null, 'unknown']);
});
