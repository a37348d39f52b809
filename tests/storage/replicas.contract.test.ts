import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { PaymentFacts } from '../../server/payments/index.ts';
import { type DatabaseLocation, openStores, type Stores } from '../../server/storage/index.ts';
import { type DatabaseMaker, openDatabaseMaker } from './bothDatabases.ts';

// Replicas that share one PostgreSQL.

const paymentOf = (key: string): PaymentFacts => ({
  key,
  fingerprint: key,
  network: 'eip155:8453',
  payer: '0xPayer',
  paid: 'quote',
  route: 'POST /v1/quote',
  canonicalInput: '{}',
  payload: '{}',
});
const transaction = { hash: '0xhash', raw: '0x', nonce: 1, fromBlock: 1n };
const time = 1_000_000;

let maker: DatabaseMaker;
let location: DatabaseLocation;
let stores: Stores;
beforeAll(async () => {
  maker = await openDatabaseMaker('postgres');
});
afterAll(() => maker?.close());
beforeEach(async () => {
  location = await maker.newLocation();
  stores = await openStores(location, () => time);
});
afterEach(() => stores.close());

test('behavior: a payment can be claimed by another process only after its own process has ended', async () => {
  const other = await openStores(location, () => time);
  await stores.ledger.claim(paymentOf('mine'));
  await stores.ledger.journal('mine', transaction);
  expect(await other.ledger.claim(paymentOf('mine'))).toMatchObject({ won: false });
  expect(await other.ledger.takeOverUnfinished()).toEqual([]);
  // Steps that require the lease fail for every other process.
  await expect(other.ledger.refused('mine', 'no')).rejects.toThrow('cannot become refused');
  await other.ledger.release('mine');
  expect(await other.ledger.claim(paymentOf('mine'))).toMatchObject({ won: false });

  const wins = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      (n % 2 ? stores : other).ledger.claim(paymentOf('new')).then(({ won }) => won),
    ),
  );
  // The process that owns the lease wins each of its ten claims, because callers serialize their work; the other none.
  expect(wins.filter(Boolean)).toHaveLength(10);

  await stores.close();
  expect(await other.ledger.claim(paymentOf('mine'))).toMatchObject({ won: true, row: { state: 'sent' } });
  await other.close();
  stores = await openStores(location, () => time);
});

test("behavior: replicas whose clocks differ by hours do not take over each other's payments", async () => {
  const ahead = await openStores(location, () => time + 3 * 3_600_000);
  await stores.ledger.claim(paymentOf('mine'));
  await stores.ledger.journal('mine', transaction);
  await stores.ledger.claim(paymentOf('free'));
  await stores.ledger.claimTrial({ key: 'free', group: 'pretrade', wallet: '0xw', paymentResponse: 'F' });
  expect(await ahead.ledger.claim(paymentOf('mine'))).toMatchObject({ won: false });
  expect(await ahead.ledger.takeOverUnfinished()).toEqual([]);
  expect(await ahead.ledger.hasTrial('pretrade', '0xw')).toBe(true);
  await ahead.close();
});

test('behavior: one of several concurrent claims of a free call wins', async () => {
  const others = await Promise.all([1, 2].map(() => openStores(location, () => time)));
  const all = [stores, ...others];
  const taken = await Promise.all(
    Array.from({ length: 30 }, async (_, n) => {
      const { ledger } = all[n % 3] as Stores;
      await ledger.claim(paymentOf(`key ${n}`));
      return ledger.claimTrial({ key: `key ${n}`, group: 'pretrade', wallet: '0xw', paymentResponse: 'F' });
    }),
  );
  expect(taken.filter(Boolean)).toHaveLength(1);
  await Promise.all(others.map((other) => other.close()));
});

test('behavior: work under the same lock name runs sequentially', async () => {
  const other = await openStores(location, () => time);
  let inside = 0;
  let maxInside = 0;
  const work = async () => {
    inside += 1;
    maxInside = Math.max(maxInside, inside);
    await new Promise((resolve) => setTimeout(resolve, 5));
    inside -= 1;
  };
  await Promise.all([stores, other, stores, other].map(({ database }) => database.inTurn('nonce', work)));
  expect(maxInside).toBe(1);
  await other.close();
});

test('behavior: work under many locks does not deadlock on the connection pool', async () => {
  const { database, ledger } = stores;
  const begun = new Set<number>();
  // More locks than the pool has connections.
  const turns = Array.from({ length: 12 }, (_, n) =>
    database.inTurn(`account ${n}`, async () => {
      begun.add(n);
      await ledger.claim(paymentOf(`key ${n}`));
      return ledger.load(`key ${n}`);
    }),
  );
  const rows = await Promise.all(turns);
  expect(rows.map((row) => row?.state)).toEqual(rows.map(() => 'claimed'));
  expect(begun.size).toBe(12);
});

test('behavior: the server ends the lock of an idle transaction, and the next work runs', async () => {
  const client = new pg.Client({ connectionString: 'url' in location ? location.url : '' });
  await client.connect();
  const held = `locktype = 'advisory' AND granted AND datname = current_database()`;
  // A process may freeze or lose its connection: PostgreSQL ends idle transactions, but no other idle connections.
  const { rows } = await stores.database.inTurn('nonce', () =>
    client.query<{ state: string; pid: number }>(
      `SELECT state, pid FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE ${held}`,
    ),
  );
  expect(rows).toMatchObject([{ state: 'idle in transaction' }]);

  // When the server ends the lock, running work still returns its result, and the next work runs.
  const endTurn = () =>
    client.query(`SELECT pg_terminate_backend(pid) FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE ${held}`);
  expect(await stores.database.inTurn('nonce', () => endTurn().then(() => 'done'))).toBe('done');
  const failing = stores.database.inTurn('nonce', async () => {
    await endTurn();
    throw new RangeError('of the work');
  });
  await expect(failing).rejects.toThrow('of the work');
  expect(await stores.database.inTurn('nonce', async () => 'next')).toBe('next');
  await client.end();
});

test('behavior: takes over payments without waiting for a locked row, which the next round takes over', async () => {
  for (const key of ['a', 'b']) {
    await stores.ledger.claim(paymentOf(key));
    await stores.ledger.release(key);
  }
  const client = new pg.Client({ connectionString: 'url' in location ? location.url : '' });
  await client.connect();
  await client.query('BEGIN');
  await client.query(`SELECT 1 FROM payments WHERE payment_key = 'b' FOR UPDATE`);
  const taken = await Promise.race([stores.ledger.takeOverUnfinished(), sleep(3_000, [], { ref: false })]);
  expect(taken).toMatchObject([{ key: 'a' }]);
  await client.query('COMMIT');
  expect((await stores.ledger.takeOverUnfinished()).map(({ key }) => key).toSorted()).toEqual(['a', 'b']);
  await client.end();
});
