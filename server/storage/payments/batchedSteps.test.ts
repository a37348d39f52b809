import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { PaymentFacts, PaymentLedger } from '../../payments/index.ts';
import type { Database } from '../database/database.ts';
import { openSqlite } from '../database/sqlite.ts';
import { createLedger } from './ledger.ts';

// A batch that fails runs its payments one by one, with the same result and many more statements. So these tests count.

let folder: string;
let database: Database;
let ledger: PaymentLedger;
/** The rows of each statement, and the number of database transactions. */
let statements: string[][];
let transactions: number;
let reads: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'truefill-batches-'));
  database = openSqlite(join(folder, 'truefill.sqlite'));
  statements = [];
  transactions = 0;
  const counted: Database = {
    ...database,
    read: database.read.withPlugin({
      transformQuery({ node }) {
        reads += 1;
        return node;
      },
      transformResult: async ({ result }) => result,
    }),
    rows(items) {
      statements.push(items.map((item) => String('key' in item ? item.key : 'wallet' in item ? item.wallet : '')));
      return database.rows(items);
    },
    write(work) {
      transactions += 1;
      return database.write(work);
    },
    step(work) {
      transactions += 1;
      return database.step(work);
    },
  };
  ledger = createLedger(counted, { replica: 'own', close: async () => undefined }, () => 1_000);
});
afterEach(async () => {
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

const factsOf = (key: string): PaymentFacts => ({
  key,
  fingerprint: key,
  network: 'eip155:8453',
  payer: '0xFrom',
  paid: 'quote',
  route: 'POST /v1/quote',
  canonicalInput: '{}',
  payload: '{}',
});
const keys = ['c', 'a', 'e', 'b', 'd'];
const sorted = keys.toSorted();
const answer = { status: 200, contentType: 'application/json', body: '{}' };
const reserve = (key: string, wallet: string) =>
  ledger.reserve({ key, wallet, network: 'eip155:8453', amount: 20_000n });

/** The statements and transactions that the work takes. */
async function count(work: () => Promise<unknown>): Promise<{ statements: string[][]; transactions: number }> {
  statements = [];
  transactions = 0;
  await work();
  return { statements, transactions };
}
const claimAll = () => Promise.all(keys.map((key) => ledger.claim(factsOf(key))));

test('claims of many payments are one statement, in the order of their keys', async () => {
  expect(await count(claimAll)).toEqual({ statements: [sorted], transactions: 1 });
  // Known ones are claimed one by one.
  expect((await count(claimAll)).transactions).toBe(1 + 2 * keys.length);
});

test('the same payment twice in one batch is first once', async () => {
  const claims = await Promise.all(['a', 'a', 'b'].map((key) => ledger.claim(factsOf(key))));
  expect(claims.map(({ isFirst }) => isFirst)).toEqual([true, false, true]);
});

test('reservations of many wallets are one transaction, which locks wallets in their order', async () => {
  await claimAll();
  const { statements: made, transactions: writes } = await count(() =>
    Promise.all(keys.map((key) => reserve(key, `wallet ${key}`))),
  );
  expect(writes).toBe(1);
  expect(made[0]).toEqual(sorted.map((key) => `wallet ${key}`));
});

test('settlements of many payments are one transaction, which locks wallets in the same order', async () => {
  await claimAll();
  for (const key of keys) await reserve(key, `wallet ${key}`);
  const { statements: made, transactions: writes } = await count(() =>
    Promise.all(keys.map((key) => ledger.settled(key, `response of ${key}`))),
  );
  expect(writes).toBe(1);
  expect(made).toEqual([keys, sorted.map((key) => `wallet ${key}`), keys]);
  for (const key of keys) expect((await ledger.load(key))?.paymentResponse).toBe(`response of ${key}`);
});

test('settlements of payments without a wallet count for none', async () => {
  await claimAll();
  const { statements: made, transactions: writes } = await count(() =>
    Promise.all(keys.map((key) => ledger.settled(key, 'RESPONSE'))),
  );
  expect([made, writes]).toEqual([[keys, keys], 1]);
});

test('answers of many payments are one transaction, each with its own body and receipt', async () => {
  await claimAll();
  await Promise.all(keys.map((key) => ledger.settled(key, 'RESPONSE')));
  const { statements: made, transactions: writes } = await count(() =>
    Promise.all(
      keys.map((key) =>
        ledger.answered(key, { ...answer, body: key, ...(key === 'a' && { paymentResponse: 'RECEIPT' }) }),
      ),
    ),
  );
  expect([made, writes]).toEqual([[keys, keys], 1]);
  const rows = await Promise.all(keys.map((key) => ledger.load(key)));
  expect(rows.map((row) => row?.answer)).toEqual(keys.map((key) => ({ ...answer, body: key })));
  expect(rows.map((row) => row?.paymentResponse)).toEqual(keys.map((key) => (key === 'a' ? 'RECEIPT' : 'RESPONSE')));
});

test('many payments are read with one query for the rows and one for their transactions', async () => {
  const [claimed] = await claimAll();
  expect(claimed).toEqual({
    won: true,
    isFirst: true,
    row: {
      ...factsOf('c'),
      state: 'claimed',
      transactions: [],
      mayStillPay: false,
      paymentResponse: undefined,
      answer: undefined,
      answeredAt: undefined,
      trialGroup: undefined,
    },
  });
  const transaction = { hash: '0x01', raw: '0x02', nonce: 1, fromBlock: 1n };
  await ledger.journal('a', transaction);
  reads = 0;
  const { statements: made } = await count(async () => {
    const rows = await Promise.all([...keys, 'a'].map((key) => ledger.load(key)));
    expect(rows[0]).toEqual(claimed?.row);
    expect(rows.at(-1)).toMatchObject({ state: 'sent', transactions: [transaction] });
  });
  expect([made, reads]).toEqual([[keys, ['a']], 2]);
  reads = 0;
  const unsent = await count(() => Promise.all(['b', 'c'].map((key) => ledger.load(key))));
  expect([unsent.statements, reads]).toEqual([[['b', 'c']], 1]);
});
