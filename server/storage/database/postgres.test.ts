import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { done, errorOf, type Reply, startPostgresServer } from '../../../tests/support/postgresServer.ts';
import { describeDatabaseFault } from '../../describeDatabaseFault.ts';
import { DatabaseUnavailableError } from './errors.ts';
import { openPostgres } from './postgres.ts';

// A server that speaks PostgreSQL's wire protocol and fails as a test sets. `tests/storage` uses a real server.

const cleanUps: (() => unknown)[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
});

async function startServer(answer: (text: string, count: number) => Reply) {
  const server = await startPostgresServer(answer);
  cleanUps.push(server.close);
  return server;
}
const failing = (reply: Reply) => startServer(() => reply);
const openError = (url: string) => openPostgres(url).catch((error: unknown) => error);

test.each(['08006', '28P01', '3D000', '53300', '57P01', '57P03', '25006'])(
  'SQLSTATE %s is an outage, whose message contains neither host nor user',
  async (code) => {
    const { url, seen } = await failing(errorOf(code));
    const error = await openError(url);
    expect(error).toBeInstanceOf(DatabaseUnavailableError);
    expect(error).toMatchObject({ message: expect.stringContaining(`(${code}).`), isLockTimeout: false });
    expect(String(error)).not.toMatch(/me:|s3cret|127\.0\.0\.1|db\.internal/);
    expect((error as Error).cause).toBeUndefined();
    expect(seen.connections).toBe(1);
  },
);

test('a lock timeout is an outage that leaves the server usable', async () => {
  const { url } = await failing(errorOf('55P03'));
  expect(await openError(url)).toMatchObject({ name: 'DatabaseUnavailableError', isLockTimeout: true });
});

test.each(['42601', '23505', '22P02', '57014'])('SQLSTATE %s is an error of the statement', async (code) => {
  const { url } = await failing(errorOf(code));
  const error = await openError(url);
  expect(error).not.toBeInstanceOf(DatabaseUnavailableError);
  expect(error).toMatchObject({ code });
});

test('a broken connection and a refused one are outages', async () => {
  const { url, close } = await failing('break');
  const broken = await openError(url);
  expect(broken).toBeInstanceOf(DatabaseUnavailableError);
  expect(broken).toMatchObject({ code: 'no reply', message: 'PostgreSQL does not answer (no reply).' });
  expect(String(broken)).not.toMatch(/me|s3cret|127\.0\.0\.1/);
  close();
  const refused = await openError('postgres://me:s3cret@127.0.0.1:1/db');
  expect(refused).toMatchObject({ message: 'PostgreSQL does not answer (ECONNREFUSED).' });
});

test('the session is set before the first statement of a connection, and its failure is reported', async () => {
  // The first statement sets the session, the second one begins the transaction of the migrations.
  const { url, seen } = await startServer((_, count) => (count === 1 ? done : errorOf('57P01')));
  expect(await openError(url)).toBeInstanceOf(DatabaseUnavailableError);
  expect(seen.statements.length).toBeGreaterThan(1);
});

test.each([
  ['3D000', 'PostgreSQL has no database with the name in DATABASE_URL (3D000).'],
  ['28P01', 'PostgreSQL rejects the user name or password in DATABASE_URL (28P01).'],
  ['28000', 'PostgreSQL rejects the user name or password in DATABASE_URL (28000).'],
  ['25006', 'PostgreSQL is read-only (25006).'],
  ['42501', 'PostgreSQL does not answer (42501).'],
])('describes SQLSTATE %s in one sentence', async (code, sentence) => {
  const { url } = await failing(errorOf(code));
  await expect(openPostgres(url)).rejects.toMatchObject({ name: 'DatabaseUnavailableError', code, message: sentence });
});

test.each([
  ...['0800', '57Q01', '25001', '55P04', '42P01'],
  // Of another length.
  ...['080061', 'X08006', '57P011', 'X57P01', '250060', '025006'],
])('SQLSTATE %s is no outage', async (code) => {
  const { url } = await failing(errorOf(code));
  const error = await openPostgres(url).catch((thrown: unknown) => thrown);
  expect(error).not.toBeInstanceOf(DatabaseUnavailableError);
});

test('a server without TLS is an outage with its own code', async () => {
  const server = createServer((socket) => {
    cleanUps.push(() => socket.destroy());
    socket.on('error', () => undefined);
    socket.once('data', () => socket.write('N'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUps.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  const url = `postgres://me:s3cret@127.0.0.1:${port}/db?sslmode=verify-full`;
  await expect(openPostgres(url)).rejects.toMatchObject({ name: 'DatabaseUnavailableError', code: 'NO_TLS' });
});

test('a TLS handshake that fails is an outage with its code', async () => {
  const server = createServer((socket) => {
    cleanUps.push(() => socket.destroy());
    socket.on('error', () => undefined);
    // Accepts TLS, and then speaks something else.
    socket.once('data', () => {
      socket.write('S');
      socket.once('data', () => socket.write('this is no TLS'));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUps.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  const address = `postgres://me:s3cret@127.0.0.1:${port}/db?sslmode=verify-full`;
  const error = await openError(address);
  expect(error).toMatchObject({ name: 'DatabaseUnavailableError', code: 'EPROTO' });
  expect(describeDatabaseFault(error as DatabaseUnavailableError, address)).toContain('with TLS (EPROTO)');
});

test('an error of a statement that mentions a connection is no outage', async () => {
  const { url } = await failing(errorOf('42601', 'connection timeout'));
  expect(await openError(url)).not.toBeInstanceOf(DatabaseUnavailableError);
});
