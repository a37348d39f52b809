import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openTemporaryStores } from '../../tests/support/temporaryStores.ts';
import { deleteExpiredRows } from './deleteExpiredRows.ts';
import type { Stores } from './openStores.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const answersMs = 90 * day;
const payment = {
  fingerprint: 'f',
  network: 'eip155:8453',
  payer: '0xFrom',
  paid: 'quote',
  route: 'POST /v1/quote',
  canonicalInput: '{}',
  payload: '{}',
};

let time: number;
let stores: Stores;
let faults: unknown[];
beforeEach(async () => {
  time = 1_000 * day;
  faults = [];
  stores = await openTemporaryStores(() => time);
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterEach(async () => {
  vi.useRealTimers();
  await stores.close();
});

const start = (changes: Partial<Stores> = {}) =>
  deleteExpiredRows({ ...stores, ...changes }, { now: () => time, answersMs, onFault: (error) => faults.push(error) });
/** The database as several replicas use it. */
const shared = () => ({ ...stores.database, isShared: true });

async function pass(ms: number): Promise<void> {
  vi.advanceTimersByTime(ms);
  // The jobs run several statements one after another.
  for (let turn = 0; turn < 5; turn += 1) await stores.database.write(async () => undefined);
}
const rows = async (table: 'answers' | 'rate_counts' | 'shared_answers' | 'payments') =>
  (await stores.database.read.selectFrom(table).selectAll().execute()).length;

/** Stores an answer and a refusal after a sent transaction. */
async function settleAndRefuse(): Promise<void> {
  const { ledger } = stores;
  for (const key of ['paid', 'refused']) await ledger.claim({ ...payment, key });
  await ledger.settled('paid', 'RESPONSE');
  await ledger.answered('paid', { status: 200, contentType: 'application/json', body: '{}' });
  await ledger.journal('refused', { hash: '0x01', raw: '0x02', nonce: 1, fromBlock: 1n });
  await ledger.refused('refused', 'reverted');
}

test('deletes refusals after 30 days and answers after their retention, once an hour', async () => {
  await settleAndRefuse();
  const job = start();
  time += 30 * day + 1;
  await pass(hour - 1);
  expect(await rows('payments')).toBe(2);
  await pass(1);
  expect(await rows('payments')).toBe(1);
  time += answersMs - 30 * day - 2;
  await pass(hour);
  expect(await rows('answers')).toBe(1);
  time += 2;
  await pass(hour);
  expect(await rows('answers')).toBe(0);
  job.close();
});

test('replicas on one database delete counts and shared answers once a minute', async () => {
  const job = start({ database: shared() });
  await stores.rates.add(time, [{ subject: 'a', hits: 1 }]);
  await stores.answers.save('q', { answer: 'a', validUntil: time });
  time += minute;
  await pass(minute);
  expect([await rows('rate_counts'), await rows('shared_answers')]).toEqual([1, 1]);
  time += 1;
  await pass(minute);
  expect([await rows('rate_counts'), await rows('shared_answers')]).toEqual([1, 0]);
  time += minute;
  await pass(minute);
  expect([await rows('rate_counts'), await rows('shared_answers')]).toEqual([0, 0]);
  job.close();
});

test('an embedded database has neither counts nor shared answers to delete', async () => {
  const job = start();
  // One for payments, one for rows that earlier releases kept in its file.
  expect(vi.getTimerCount()).toBe(2);
  job.close();
  expect(vi.getTimerCount()).toBe(0);
});

test('closing stops all jobs', () => {
  start({ database: shared() }).close();
  expect(vi.getTimerCount()).toBe(0);
});

test('a failed round is reported, and the next one runs', async () => {
  await settleAndRefuse();
  time += answersMs + 1;
  const failure = new Error('PostgreSQL does not answer.');
  let fails = true;
  const write: Stores['database']['write'] = (work) => (fails ? Promise.reject(failure) : stores.database.write(work));
  const database = { ...stores.database, write };
  const job = start({ database, pools: database });
  await pass(hour);
  expect(faults).toEqual([failure]);
  fails = false;
  await pass(hour);
  expect(await rows('answers')).toBe(0);
  job.close();
});

test('deletes indexes that an earlier release kept in the ledger’s file, in steps, and nothing in the file of the indexes', async () => {
  const first = { scannedTo: 9, anchor: undefined, transfers: 0, holders: 0, overgrown: false, first: undefined };
  const log = { chain: 'base', token: '0x1', scanned_to: 9, transfers: 0, holders: 0, overgrown: 0 } as const;
  const empty = { anchor_block: null, anchor_hash: null, first_block: null, first_transaction: null };
  const old = Array.from({ length: 5_001 }, (_, at) => ({
    chain: 'base',
    token: '0x1',
    holder: `0x${at}`,
    balance: '1',
  }));
  await stores.database.write(async (sql) => {
    await sql
      .insertInto('log_indexes')
      .values({ ...log, ...empty })
      .execute();
    for (let at = 0; at < old.length; at += 500)
      await sql
        .insertInto('log_holders')
        .values(old.slice(at, at + 500).map((row) => ({ ...row, last_sent_block: null })))
        .execute();
  });
  const { logIndexes } = stores.facts('base');
  await logIndexes.save('0x0000000000000000000000000000000000000001', undefined, first, []);
  const left = async () => (await stores.database.read.selectFrom('log_holders').select('holder').execute()).length;
  const job = start();
  await pass(minute);
  expect(await left()).toBe(5_001);
  await pass(minute);
  expect(await left()).toBe(1);
  await pass(minute);
  expect(await left()).toBe(0);
  await pass(minute);
  expect(await stores.database.read.selectFrom('log_indexes').select('token').execute()).toEqual([]);
  expect(await logIndexes.load('0x0000000000000000000000000000000000000001')).toEqual(first);
  job.close();
  expect(faults).toEqual([]);
});
