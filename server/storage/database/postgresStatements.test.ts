import { sql as raw } from 'kysely';
import { afterEach, expect, test } from 'vitest';
import { done, errorOf, type Reply, rowOf, startPostgresServer } from '../../../tests/support/postgresServer.ts';
import { DatabaseTooNewError, DatabaseUnavailableError } from './errors.ts';
import { migrations } from './migrations.ts';
import { openPostgres } from './postgres.ts';

// The statements that the service sends, and what it makes of the replies of a server that a test scripts. Locks and
// concurrency are tested on a real server in tests/storage.

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

/** Starts a server whose schema has this version. @param change replaces the reply to a statement */
async function startServer(version: string | null, change: (text: string) => Reply | undefined = () => undefined) {
  const server = await startPostgresServer(
    (text) => change(text) ?? (/max\(version\)/.test(text) ? rowOf(version) : done),
  );
  cleanUps.push(server.close);
  return server;
}
async function open(version: string | null = String(migrations.length), change?: Parameters<typeof startServer>[1]) {
  const { url, seen, sockets, breakConnections } = await startServer(version, change);
  const database = await openPostgres(url);
  cleanUps.unshift(() => database.close());
  const migrating = [...seen.statements];
  seen.statements.length = 0;
  return { database, seen, migrating, sockets, breakConnections };
}
const session = "SET synchronous_commit = on; SET idle_in_transaction_session_timeout = '30s'; SET lock_timeout = '8s'";

const insert = 'INSERT INTO migrations (version) VALUES ($1)';
/** The statements of one transaction of a migration. */
const inOneTransaction = (statements: readonly string[]) => [
  'begin',
  'SET LOCAL lock_timeout = 0',
  'SELECT pg_advisory_xact_lock(7230114020)',
  "SET LOCAL lock_timeout = '8s'",
  'CREATE TABLE IF NOT EXISTS migrations (version BIGINT PRIMARY KEY)',
  'SELECT max(version) AS version FROM migrations',
  ...statements,
  'commit',
];

/** Opens a database whose version grows with each migration. */
function openAt(version: number) {
  let current = version;
  return open(null, (text) => {
    if (text === insert) current += 1;
    return /max\(version\)/.test(text) ? rowOf(current === 0 ? null : String(current)) : undefined;
  });
}

test('creates the tables of an empty database under a lock, each version in a transaction of its own', async () => {
  const { database, migrating, seen } = await openAt(0);
  expect(database).toMatchObject({ isShared: true, origin: 'created' });
  const versions = migrations.flatMap((statements) => inOneTransaction([...statements, insert]));
  expect(migrating).toEqual([session, ...versions, ...inOneTransaction([])]);
  expect(seen.values).toEqual(migrations.map((_, index) => String(index + 1)));
});

test('runs only the migrations that an older database lacks', async () => {
  const { database, migrating } = await openAt(migrations.length - 1);
  expect(database.origin).toBe('existing');
  const last = inOneTransaction([...(migrations.at(-1) ?? []), insert]);
  expect(migrating).toEqual([session, ...last, ...inOneTransaction([])]);
  expect((await open()).migrating).toHaveLength(8);
});

test('error: a newer version created the tables', async () => {
  const { url, seen } = await startServer(String(migrations.length + 1));
  await expect(openPostgres(url)).rejects.toThrow(DatabaseTooNewError);
  expect(seen.statements.at(-1)).toBe('rollback');
  await expect.poll(() => seen.open).toBe(0);
});

test('sets the session once for each connection, and reads BIGINT as a number', async () => {
  const { database, seen } = await open(undefined, (text) => {
    if (text === 'SELECT 7') return rowOf('7');
    return text === 'SELECT 8' ? rowOf('8', 25) : undefined;
  });
  expect((await raw`SELECT 7`.execute(database.read)).rows).toEqual([{ version: 7 }]);
  expect((await raw`SELECT 8`.execute(database.read)).rows).toEqual([{ version: '8' }]);
  expect(seen.statements).toEqual([session, 'SELECT 7', 'SELECT 8']);
});

test('writes in a transaction, and in a single statement', async () => {
  const { database, seen } = await open();
  await database.write(async (sql) => {
    await database.lock(sql, 'wallet');
    await raw`UPDATE a`.execute(sql);
  });
  await database.step((sql) => raw`UPDATE b`.execute(sql));
  expect(seen.statements).toEqual([
    session,
    'begin',
    'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))',
    'UPDATE a',
    'commit',
    'UPDATE b',
  ]);
});

test.each(['40001', '40P01'])('retries a write up to five times after SQLSTATE %s', async (code) => {
  let failures = 4;
  const { database, seen } = await open(undefined, (text) =>
    text === 'UPDATE a' && failures-- > 0 ? errorOf(code) : undefined,
  );
  const update = () => database.write((sql) => raw`UPDATE a`.execute(sql));
  await update();
  expect(seen.statements.filter((text) => text === 'UPDATE a')).toHaveLength(5);
  failures = 9;
  await expect(update()).rejects.toMatchObject({ code });
  expect(seen.statements.filter((text) => text === 'UPDATE a')).toHaveLength(10);
  failures = 1;
  await database.step((sql) => raw`UPDATE a`.execute(sql));
  expect(seen.statements.filter((text) => text === 'UPDATE a')).toHaveLength(12);
});

test.each(['23505', '57P01'])('does not retry a write after SQLSTATE %s', async (code) => {
  const { database, seen } = await open(undefined, (text) => (text === 'UPDATE a' ? errorOf(code) : undefined));
  await expect(database.write((sql) => raw`UPDATE a`.execute(sql))).rejects.toMatchObject({ code });
  expect(seen.statements.filter((text) => text === 'UPDATE a')).toHaveLength(1);
});

test('error: a fault of our own in a transaction is not retried', async () => {
  const { database } = await open();
  let runs = 0;
  const failing = database.write(async () => {
    runs += 1;
    throw new TypeError('a bug');
  });
  await expect(failing).rejects.toThrow('a bug');
  expect(runs).toBe(1);
});

test.each([
  ['57P01', 2],
  ['23505', 1],
])('a connection with SQLSTATE %s is replaced, or used again: %d connections', async (code, connections) => {
  const { database, seen } = await open(undefined, (text) => (text === 'SELECT 1' ? errorOf(code) : undefined));
  const before = seen.connections;
  await expect(raw`SELECT 1`.execute(database.read)).rejects.toThrow();
  await raw`SELECT 2`.execute(database.read);
  expect(seen.connections - before).toBe(connections);
});

test('a connection that breaks is replaced, and its statement is reported as an outage', async () => {
  const { database, seen } = await open(undefined, (text) => (text === 'SELECT 1' ? 'break' : undefined));
  await expect(raw`SELECT 1`.execute(database.read)).rejects.toThrow(DatabaseUnavailableError);
  await raw`SELECT 2`.execute(database.read);
  expect(seen.statements).toEqual([session, 'SELECT 1', session, 'SELECT 2']);
});

test('an idle connection that breaks does not end the process', async () => {
  const { database, seen, breakConnections } = await open();
  await raw`SELECT 1`.execute(database.read);
  breakConnections();
  await expect.poll(() => seen.open).toBe(0);
  await expect
    .poll(() =>
      raw`SELECT 2`.execute(database.read).then(
        () => 'read',
        () => 'failed',
      ),
    )
    .toBe('read');
});

test('uses at most ten connections for statements, and six for turns', async () => {
  let isHeld = true;
  const { database, seen, sockets } = await open(undefined, (text) =>
    isHeld && /SELECT 1|hashtextextended/.test(text) ? 'silence' : undefined,
  );
  const { connections } = seen;
  const read = () => raw`SELECT 1`.execute(database.read);
  const waiting: Promise<unknown>[] = Array.from({ length: 12 }, read);
  await expect.poll(() => seen.connections - connections).toBe(10);
  waiting.push(...Array.from({ length: 8 }, () => database.inTurn('name', async () => undefined)));
  const held = () => seen.statements.filter((text) => /SELECT 1|hashtextextended/.test(text)).length;
  await expect.poll(held).toBe(16);
  expect(seen.connections - connections).toBe(16);
  isHeld = false;
  for (const socket of sockets) socket.write(done);
  await Promise.all(waiting);
  expect(seen.connections - connections).toBe(16);
});

test('runs work in its turn, in a transaction that holds the lock, with a second connection', async () => {
  const { database, seen } = await open();
  const result = await database.inTurn('name', async () => {
    expect(seen.statements.at(-1)).toBe('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))');
    await raw`UPDATE a`.execute(database.read);
    return 'result';
  });
  expect(result).toBe('result');
  expect(seen.statements).toEqual([
    ...[session, 'begin', 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))'],
    ...[session, 'UPDATE a', 'commit'],
  ]);
});

test('work that has begun keeps its result if the transaction of its turn fails', async () => {
  let isOpen = false;
  const opened = await open(undefined, (text) => (isOpen && text === 'commit' ? errorOf('57P01') : undefined));
  isOpen = true;
  expect(await opened.database.inTurn('name', async () => 'result')).toBe('result');
  const failing = opened.database.inTurn('name', () => Promise.reject(new TypeError('a bug')));
  await expect(failing).rejects.toThrow('a bug');
});

test('error: the lock of a turn cannot be taken, so the work does not begin', async () => {
  const { database } = await open(undefined, (text) =>
    text.includes('hashtextextended') ? errorOf('55P03') : undefined,
  );
  let runs = 0;
  const turn = database.inTurn('name', async () => {
    runs += 1;
  });
  await expect(turn).rejects.toMatchObject({ name: 'DatabaseUnavailableError', isLockTimeout: true });
  expect(runs).toBe(0);
});

test('reads the clock of the server, and passes rows as one parameter', async () => {
  const { database, seen } = await open();
  await raw`SELECT ${database.clock} FROM ${database.rows([{ name: 'a' }])} AS each`.execute(database.read);
  expect(seen.statements.at(-1)).toBe(
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint FROM json_array_elements($1::json) AS each',
  );
});

test('closes all connections', async () => {
  const { database, seen } = await open();
  await raw`SELECT 1`.execute(database.read);
  await database.inTurn('name', async () => undefined);
  await expect.poll(() => seen.open).toBe(2);
  await database.close();
  cleanUps.shift();
  await expect.poll(() => seen.open).toBe(0);
});

test('a session that cannot be set uses up no connection', async () => {
  let failures = 0;
  const { database } = await open(undefined, (text) =>
    text === session && failures-- > 0 ? errorOf('57P01') : undefined,
  );
  failures = 12;
  for (let attempt = 0; attempt < 12; attempt += 1) {
    await expect(raw`SELECT 1`.execute(database.read)).rejects.toThrow(DatabaseUnavailableError);
  }
  await raw`SELECT 1`.execute(database.read);
});
