import { describe, expect, test } from 'vitest';
import { LedgerOrderError } from '../../server/payments/index.ts';
import { databaseKinds } from './bothDatabases.ts';
import { answer, facts, transaction, trial, useLedger } from './useLedger.ts';

// Journaled transactions of single payments and of groups, tested with both databases.

const account = { name: 'eip155:8453|0xkey', from: 7 };
const signed = (hash: string, nonce: number) => ({
  ...transaction,
  hash,
  raw: `raw of ${hash}`,
  account: account.name,
  nonce,
});

describe.each(databaseKinds)('%s: transactions of payments', (kind) => {
  const store = useLedger(kind);
  const journalGroup = (keys: readonly string[], hash: string) =>
    store.ledger.journalNext(keys, account, (nonce) => signed(hash, nonce));

  test('default: a payment keeps its transactions in the order in which they were sent', async () => {
    const [own = '', other = ''] = await store.claimAll(2);
    const sent = [
      { ...transaction, hash: 'zz' },
      { ...transaction, hash: 'aa', account: 'eip155:8453|0xkey', nonce: 9 },
      { ...transaction, hash: 'mm', fromBlock: 3n },
    ];
    for (const each of sent) {
      await store.ledger.journal(own, each);
      await store.ledger.journal(other, { ...each, hash: `${each.hash} of the other` });
    }
    expect((await store.ledger.load(own))?.transactions).toEqual(sent);
    // Several payments are loaded by another statement.
    const [first, second] = await Promise.all([own, other].map((key) => store.ledger.load(key)));
    expect(first?.transactions).toEqual(sent);
    expect(second?.transactions.map(({ hash }) => hash)).toEqual(sent.map(({ hash }) => `${hash} of the other`));
  });

  test('behavior: the bytes of a group are stored once, and each of its payments has them', async () => {
    const keys = await store.claimAll(3);
    const [alone = '', ...group] = keys;
    const together = await journalGroup(group, '0xgroup');
    const single = await journalGroup([alone], '0xsingle');
    expect([together.nonce, single.nonce]).toEqual([7, 8]);
    const rows = await Promise.all(keys.map((key) => store.ledger.load(key)));
    expect(rows.map((row) => row?.transactions)).toEqual([[single], [together], [together]]);
    for (const key of group) expect((await store.ledger.load(key))?.transactions).toEqual([together]);
    const database = store.opened[0]?.database;
    expect(await database?.read.selectFrom('group_transactions').selectAll().execute()).toEqual([
      { hash: '0xgroup', raw: 'raw of 0xgroup' },
    ]);
    const stored = await database?.read
      .selectFrom('settlement_transactions')
      .select(['payment_key', 'raw'])
      .orderBy('payment_key')
      .execute();
    expect(stored?.map(({ raw }) => raw)).toEqual(['raw of 0xsingle', '', '']);
    // The same transaction is journaled again before it is broadcast again.
    await store.ledger.journalAll(group, together);
    expect((await store.ledger.load(group[0] ?? ''))?.transactions).toEqual([together, together]);
  });

  test('error: LedgerOrderError for a group with a payment that occurs twice or is settled', async () => {
    const [a = '', b = ''] = await store.claimAll(2);
    await expect(store.ledger.journalAll([a, a], transaction)).rejects.toThrow(LedgerOrderError);
    await store.ledger.settled(b, 'RESPONSE');
    await expect(store.ledger.journalAll([a, b], transaction)).rejects.toThrow(LedgerOrderError);
    expect(await store.ledger.load(a)).toMatchObject({ state: 'claimed', transactions: [] });
  });

  test('behavior: a payment that is sent again is no longer rechecked as refused', async () => {
    const [key = ''] = await store.claimAll(1);
    await store.ledger.journal(key, transaction);
    await store.ledger.refused(key, 'reverted');
    await store.ledger.claim({ ...facts, key });
    await store.ledger.journal(key, transaction);
    const row = await store.opened[0]?.database.read.selectFrom('payments').selectAll().executeTakeFirst();
    expect(row).toMatchObject({ state: 'sent', look_at: null, reason: 'reverted' });
  });
});

describe.each(databaseKinds)('%s: nonces of an account', (kind) => {
  const store = useLedger(kind);
  const journalNext = (key: string) => store.ledger.journalNext([key], account, (nonce) => signed(key, nonce));

  test('behavior: the open transactions of an account are the newest of each nonce, in the order of nonces', async () => {
    const [a = '', b = '', c = '', d = '', e = ''] = await store.claimAll(5);
    const journal = (key: string, hash: string, nonce: number) => store.ledger.journal(key, signed(hash, nonce));
    await journal(b, 'second', 8);
    await journal(a, 'first', 7);
    await journal(c, 'third', 9);
    await journal(d, 'finished', 10);
    await store.ledger.settled(d, 'RESPONSE');
    await store.ledger.journal(e, { ...signed('elsewhere', 7), account: 'eip155:137|0xkey' });
    const database = store.opened[0]?.database;
    await database?.write((sql) => sql.updateTable('settlement_transactions').set({ created_at: 5 }).execute());
    await journal(a, 'replacement', 7);
    const open = async (from: number, below: number) =>
      (await store.ledger.loadOpenTransactions(account.name, { from, below })).map(({ hash, nonce }) => [hash, nonce]);
    expect(await open(7, 11)).toEqual([
      ['replacement', 7],
      ['second', 8],
      ['third', 9],
    ]);
    expect(await open(8, 9)).toEqual([['second', 8]]);
    expect(await open(10, 99)).toEqual([]);
  });

  test('behavior: a nonce is assigned in the gap that a finished transaction left', async () => {
    const [a = '', b = '', c = '', d = ''] = await store.claimAll(4);
    await store.ledger.journal(a, signed('a', 7));
    await store.ledger.journal(b, signed('b', 9));
    expect((await journalNext(c)).nonce).toBe(8);
    expect((await journalNext(d)).nonce).toBe(10);
  });

  test('error: if `sign` throws, nothing is journaled and the nonce stays free', async () => {
    const [key = ''] = await store.claimAll(1);
    const failing = store.ledger.journalNext([key], account, () => {
      throw new RangeError('cannot sign');
    });
    await expect(failing).rejects.toThrow('cannot sign');
    expect(await store.ledger.load(key)).toMatchObject({ state: 'claimed', transactions: [] });
    expect((await journalNext(key)).nonce).toBe(7);
  });
});

describe.each(databaseKinds)('%s: transactions of paid payments', (kind) => {
  const store = useLedger(kind);

  test('default: includes the bytes of groups, and all transactions in order', async () => {
    const [alone = '', ...group] = await store.claimAll(4);
    const first = { ...signed('first', 1), fromBlock: 1n };
    const second = signed('second', 2);
    const together = signed('together', 3);
    await store.ledger.journal(alone, first);
    await store.ledger.journal(alone, second);
    await store.ledger.journalAll(group, together);
    for (const key of [alone, ...group]) await store.ledger.settled(key, `response of ${key}`);
    const paid = await store.ledger.loadPaid(0);
    const transactionsOf = Object.fromEntries(paid.map(({ key, transactions }) => [key, transactions]));
    expect(transactionsOf).toEqual({
      [alone]: [first, second],
      ...Object.fromEntries(group.map((key) => [key, [together]])),
    });
  });

  test('behavior: a payment that changed at the limit is not included; one that changed later is', async () => {
    const [at = '', after = ''] = await store.claimAll(2);
    await store.ledger.settled(at, 'RESPONSE');
    store.time += 1;
    await store.ledger.settled(after, 'RESPONSE');
    expect((await store.ledger.loadPaid(1_000)).map(({ key }) => key)).toEqual([after]);
    await store.ledger.claim({ ...facts, key: 'free' });
    await store.ledger.claimTrial({ ...trial, key: 'free' });
    await store.ledger.answered('free', answer);
    expect((await store.ledger.loadPaid(999)).map(({ key }) => key).toSorted()).toEqual([at, after].toSorted());
  });

  test('behavior: a request to a remote facilitator has neither hash nor bytes', async () => {
    const [key = ''] = await store.claimAll(1);
    const request = { hash: '', raw: '', nonce: 0, fromBlock: 5n };
    await store.ledger.journal(key, request);
    await store.ledger.settled(key, 'RESPONSE');
    expect(await store.ledger.loadPaid(0)).toMatchObject([{ key, transactions: [request] }]);
  });
});
