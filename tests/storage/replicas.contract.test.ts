import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { PaymentFacts } from '../../server/payments/index.ts';
import { type DatabaseLocation, openStores, type Stores } from '../../server/storage/index.ts';
import { type DatabaseMaker, openDatabaseMaker } from './bothDatabases.ts';

// What replicas do to each other on one PostgreSQL.

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
let place: DatabaseLocation;
let stores: Stores;
beforeAll(async () => {
  maker = await openDatabaseMaker('postgres');
});
afterAll(() => maker?.close());
beforeEach(async () => {
  place = await maker.newPlace();
  stores = await openStores(place, () => time);
});
afterEach(() => stores.close());

test('behavior: distinguishes a living process from a dead one', async () => {
  const other = await openStores(place, () => time);
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
  // Each process serialises its own work on a payment; of two processes only one may work on it.
  expect(wins.filter(Boolean)).toHaveLength(10);

  await stores.close();
  expect(await other.ledger.claim(paymentOf('mine'))).toMatchObject({ won: true, row: { state: 'sent' } });
  await other.close();
  stores = await openStores(place, () => time);
});

test('behavior: replicas with clocks hours apart take over nothing from each other', async () => {
  const ahead = await openStores(place, () => time + 3 * 3_600_000);
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
  const others = await Promise.all([1, 2].map(() => openStores(place, () => time)));
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

test('behavior: work under one name runs one after another', async () => {
  const other = await openStores(place, () => time);
  let inside = 0;
  let most = 0;
  const work = async () => {
    inside += 1;
    most = Math.max(most, inside);
    await new Promise((resolve) => setTimeout(resolve, 5));
    inside -= 1;
  };
  await Promise.all([stores, other, stores, other].map(({ database }) => database.inTurn('nonce', work)));
  expect(most).toBe(1);
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

test('behavior: a silent lock holder loses its lock', async () => {
  const client = new pg.Client({ connectionString: 'url' in place ? place.url : '' });
  await client.connect();
  const held = `locktype = 'advisory' AND granted AND datname = current_database()`;
  // A process may freeze or its machine disappear: the server ends transactions that are idle, and no other idle
  // connection.
  const { rows } = await stores.database.inTurn('nonce', () =>
    client.query<{ state: string; pid: number }>(
      `SELECT state, pid FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE ${held}`,
    ),
  );
  expect(rows).toMatchObject([{ state: 'idle in transaction' }]);

  // When the server ends the lock, the work that began counts as done, and the next one runs.
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

test('takes over without waiting for a row that another transaction has locked, and that row in the next round', async () => {
  for (const key of ['a', 'b']) {
    await stores.ledger.claim(paymentOf(key));
    await stores.ledger.release(key);
  }
  const client = new pg.Client({ connectionString: 'url' in place ? place.url : '' });
  await client.connect();
  await client.query('BEGIN');
  await client.query(`SELECT 1 FROM payments WHERE payment_key = 'b' FOR UPDATE`);
  const taken = await Promise.race([stores.ledger.takeOverUnfinished(), sleep(3_000, [], { ref: false })]);
  expect(taken).toMatchObject([{ key: 'a' }]);
  await client.query('COMMIT');
  expect((await stores.ledger.takeOverUnfinished()).map(({ key }) => key).toSorted()).toEqual(['a', 'b']);
  await client.end();
});
