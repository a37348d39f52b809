import pg from 'pg';
import { expect, test } from 'vitest';
import { openStores } from '../../server/storage/index.ts';
import { useDatabases } from './useDatabases.ts';

const newPlace = useDatabases('postgres');

test('a migration may take longer than a query, and a second replica waits for it', { timeout: 60_000 }, async () => {
  const place = await newPlace();
  const client = new pg.Client({ connectionString: 'url' in place ? place.url : '' });
  await client.connect();
  // As on millions of rows: the index takes 11 s, and a query may take 10 s.
  await client.query(`CREATE FUNCTION build_slowly() RETURNS event_trigger LANGUAGE plpgsql AS $$
    BEGIN IF current_query() LIKE '%payments_paid%' THEN PERFORM pg_sleep(11); END IF; END $$`);
  await client.query(
    `CREATE EVENT TRIGGER slow_index ON ddl_command_start WHEN TAG IN ('CREATE INDEX') EXECUTE FUNCTION build_slowly()`,
  );
  const replicas = await Promise.all([openStores(place, Date.now), openStores(place, Date.now)]);
  expect(await replicas[1].ledger.load('unknown')).toBeUndefined();
  for (const { close } of replicas) await close();
  await client.end();
});
