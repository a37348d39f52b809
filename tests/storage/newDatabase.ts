import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { LocalPostgres } from '../../sandbox/index.ts';

/** The URL of a new, empty database on a local server. */
export async function newDatabase(postgres: LocalPostgres): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  return postgres.urlOf(name);
}
