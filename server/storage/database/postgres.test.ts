import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { DatabaseUnavailableError } from './errors.ts';
import { openPostgres } from './postgres.ts';

// A server that speaks PostgreSQL's wire protocol and fails as a test sets. `tests/storage` uses a real server.

const sockets = new Set<Socket>();
let close: (() => void) | undefined;
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  close?.();
});

/** A message of the protocol: its type, its length and its body. */
function message(type: string, body: Buffer = Buffer.alloc(0)): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
}
const errorOf = (code: string) => message('E', Buffer.from(`SERROR\0VERROR\0C${code}\0Mfailed at db.internal\0\0`));
const ready = message('Z', Buffer.from('I'));
const authenticated = Buffer.concat([message('R', Buffer.alloc(4)), ready]);
const done = Buffer.concat([message('1'), message('2'), message('n'), message('C', Buffer.from('SET\0')), ready]);

/** Starts a server. @param answer the reply to each statement; undefined: the connection breaks */
async function startServer(answer: (statement: number) => Buffer | undefined) {
  const seen = { connections: 0, statements: 0 };
  const server = createServer((socket) => {
    sockets.add(socket);
    seen.connections += 1;
    let isStarted = false;
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      if (!isStarted) {
        isStarted = true;
        return void socket.write(authenticated);
      }
      // A terminating client.
      if (data[0] === 0x58) return void socket.end();
      seen.statements += 1;
      const reply = answer(seen.statements);
      if (reply) socket.write(reply);
      else socket.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  close = () => server.close();
  return { url: `postgres://me:s3cret@127.0.0.1:${(server.address() as AddressInfo).port}/db`, seen };
}

const failing = (reply: Buffer | undefined) => startServer(() => reply);
const openError = (url: string) => openPostgres(url).catch((error: unknown) => error);

test.each(['08006', '28P01', '3D000', '53300', '57P01', '57P03', '25006'])(
  'SQLSTATE %s is an outage, whose message contains neither host nor user',
  async (code) => {
    const { url, seen } = await failing(Buffer.concat([errorOf(code), ready]));
    const error = await openError(url);
    expect(error).toBeInstanceOf(DatabaseUnavailableError);
    expect(error).toMatchObject({ message: expect.stringContaining(`(${code}).`), isLockTimeout: false });
    expect(String(error)).not.toMatch(/me:|s3cret|127\.0\.0\.1|db\.internal/);
    expect((error as Error).cause).toBeUndefined();
    expect(seen.connections).toBe(1);
  },
);

test('a lock timeout is an outage that leaves the server usable', async () => {
  const { url } = await failing(Buffer.concat([errorOf('55P03'), ready]));
  expect(await openError(url)).toMatchObject({ name: 'DatabaseUnavailableError', isLockTimeout: true });
});

test.each(['42601', '23505', '22P02', '57014'])('SQLSTATE %s is an error of the statement', async (code) => {
  const { url } = await failing(Buffer.concat([errorOf(code), ready]));
  const error = await openError(url);
  expect(error).not.toBeInstanceOf(DatabaseUnavailableError);
  expect(error).toMatchObject({ code });
});

test('a broken connection and a refused one are outages', async () => {
  const { url } = await failing(undefined);
  const broken = await openError(url);
  expect(broken).toBeInstanceOf(DatabaseUnavailableError);
  expect(String(broken)).not.toMatch(/me|s3cret|127\.0\.0\.1/);
  for (const socket of sockets) socket.destroy();
  close?.();
  const refused = await openError('postgres://me:s3cret@127.0.0.1:1/db');
  expect(refused).toMatchObject({ message: 'PostgreSQL does not answer (ECONNREFUSED).' });
});

test('the session is set before the first statement of a connection, and its failure is reported', async () => {
  // The first statement sets the session, the second one begins the transaction of the migrations.
  const { url, seen } = await startServer((statement) =>
    statement === 1 ? done : Buffer.concat([errorOf('57P01'), ready]),
  );
  expect(await openError(url)).toBeInstanceOf(DatabaseUnavailableError);
  expect(seen.statements).toBeGreaterThan(1);
});
