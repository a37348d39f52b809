import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LocalPostgres, startPostgres } from '../../sandbox/index.ts';
import { readConfig } from '../../server/config/index.ts';
import { describeStartFault } from '../../server/describeStartFault.ts';
import { openStores } from '../../server/storage/index.ts';
import { newDatabase } from './newDatabase.ts';

// What an operator reads when a real PostgreSQL rejects the connection.

let postgres: LocalPostgres;
let url: URL;
beforeAll(async () => {
  postgres = await startPostgres();
  url = new URL(await newDatabase(postgres));
});
afterAll(() => postgres?.close());

async function faultOf(change: (url: URL) => void): Promise<string | undefined> {
  const changed = new URL(url);
  change(changed);
  const config = readConfig({
    RPC_URL_BASE: 'http://127.0.0.1:1',
    PAY_TO_EVM: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    FACILITATOR_KEY_EVM: `0x${'42'.repeat(32)}`,
    PUBLIC_URL: 'https://truefill.example',
    DATABASE_URL: changed.href,
  });
  const error: unknown = await openStores({ url: changed.href }, Date.now).then(
    () => undefined,
    (cause) => cause,
  );
  return describeStartFault(error, config);
}

test('error: an unknown database is named, with the fix', async () => {
  const fault = await faultOf((changed) => {
    changed.pathname = '/no_such_ledger';
  });
  expect(fault).toBe(
    `PostgreSQL at ${url.hostname}:${url.port} has no database "no_such_ledger" (3D000). Create it, or correct the name in DATABASE_URL.`,
  );
});

test('error: an unknown role is a fault of the user or password', async () => {
  const fault = await faultOf((changed) => {
    changed.username = 'unknown_role';
    changed.password = 'QXZJ6789';
  });
  expect(fault).toMatch(/rejects the user( name or password)? (of|in) DATABASE_URL \((28000|28P01)\)/);
  expect(fault).not.toMatch(/QXZJ|unknown_role/);
});

test('error: a server without TLS is a fault of TLS', async () => {
  const fault = await faultOf((changed) => changed.searchParams.set('sslmode', 'require'));
  expect(fault).toMatch(/^Cannot connect to PostgreSQL at \S+ with TLS \(NO_TLS\)\. Check sslmode in DATABASE_URL/);
});

test('error: an unreachable server is named without user and password', async () => {
  const fault = await faultOf((changed) => {
    changed.port = '1';
  });
  expect(fault).toBe(
    `Cannot reach PostgreSQL at ${url.hostname}:1 (connection refused). Check DATABASE_URL, and that the server runs.`,
  );
});
