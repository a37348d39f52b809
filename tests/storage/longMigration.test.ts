import pg from 'pg';
import { expect, test } from 'vitest';
import { openStores } from '../../server/storage/index.ts';
import { useDatabases } from './useDatabases.ts';

const newLocation = useDatabases('postgres');

test('behavior: a migration may exceed the query timeout, and a second replica waits for it', {
  timeout: 60_000,
}, async () => {
  const location = await newLocation();
  const client = new pg.Client({ connectionString: 'url' in location ? location.url : '' });
  await client.connect();
  // Simulates millions of rows: building the index takes 11 s, and the query timeout is 10 s.
  await client.query(`CREATE FUNCTION build_slowly() RETURNS event_trigger LANGUAGE plpgsql AS $$
    BEGIN IF current_query() LIKE '%payments_paid%' THEN PERFORM pg_sleep(11); END IF; END $$`);
  await client.query(
    `CREATE EVENT TRIGGER slow_index ON ddl_command_start WHEN TAG IN ('CREATE INDEX') EXECUTE FUNCTION build_slowly()`,
  );
  const replicas = await Promise.all([openStores(location, Date.now), openStores(location, Date.now)]);
  expect(await replicas[1].ledger.load('unknown')).toBeUndefined();
  for (const { close } of replicas) await close();
  await client.end();
});

test('behavior: while a later version waits, the tables of earlier versions are in use', async () => {
  const location = await newLocation();
  const client = new pg.Client({ connectionString: 'url' in location ? location.url : '' });
  await client.connect();
  await client.query(`CREATE FUNCTION wait_for_lock() RETURNS event_trigger LANGUAGE plpgsql AS $$
    BEGIN IF current_query() LIKE '%pool_ranges%' THEN PERFORM pg_advisory_lock(42); PERFORM pg_advisory_unlock(42); END IF; END $$`);
  await client.query(
    `CREATE EVENT TRIGGER slow_table ON ddl_command_start WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION wait_for_lock()`,
  );
  await client.query('SELECT pg_advisory_lock(42)');
  const opening = openStores(location, Date.now);
  const isWaiting = async () =>
    (await client.query(`SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`)).rows.length > 0;
  await expect.poll(isWaiting, { timeout: 20_000 }).toBe(true);
  await client.query(`SET lock_timeout = '1s'`);
  expect((await client.query('SELECT amount FROM payments')).rows).toEqual([]);
  await client.query('SELECT pg_advisory_unlock(42)');
  await (await opening).close();
  await client.end();
});
