import { describe, expect, test } from 'vitest';
import { LedgerOrderError } from '../../server/payments/index.ts';
import { databaseKinds } from './bothDatabases.ts';
import { facts, transaction, useLedger } from './useLedger.ts';

// Refused payments, tested with both databases.

describe.each(databaseKinds)('%s: claims after a refusal', (kind) => {
  const store = useLedger(kind);

  test('behavior: a refused payment stays bound to its request; a deleted one does not', async () => {
    const other = { ...facts, fingerprint: 'f2' };
    await store.ledger.claim(facts);
    await store.ledger.refused(facts.key, 'poor');
    expect(await store.ledger.load(facts.key)).toMatchObject({ state: 'refused', transactions: [] });
    expect(await store.ledger.claim(other)).toMatchObject({ won: false, row: { fingerprint: 'f1' } });
    // No transaction was sent, so there is nothing to look up.
    expect(await store.ledger.takeRefused(10, 0)).toEqual([]);
    expect(await store.ledger.claim(facts)).toMatchObject({ won: true, isFirst: false, row: { state: 'refused' } });
    await expect(store.ledger.forget(facts.key)).rejects.toBeInstanceOf(LedgerOrderError);
    await store.ledger.refused(facts.key, 'poor');
    expect(await store.ledger.takeRefused(10, 0)).toEqual([]);

    const key = 'forgotten';
    await store.ledger.claim({ ...facts, key });
    await store.ledger.forget(key);
    expect(await store.ledger.load(key)).toBeUndefined();
    expect(await store.ledger.claim({ ...other, key })).toMatchObject({ won: true, isFirst: true });
  });

  test('behavior: a refused payment keeps its journaled transactions', async () => {
    await store.ledger.claim(facts);
    await store.ledger.journal(facts.key, transaction);
    await store.ledger.refused(facts.key, 'reverted');
    expect(await store.ledger.load(facts.key)).toMatchObject({ state: 'refused', transactions: [transaction] });
    expect(await store.ledger.claim(facts)).toMatchObject({ won: true });
    await store.ledger.settled(facts.key, 'RESPONSE');
    expect(await store.ledger.load(facts.key)).toMatchObject({ state: 'settled' });
  });
});

describe.each(databaseKinds)('%s: lookups of refused payments', (kind) => {
  const store = useLedger(kind);

  test('default: each refused payment is looked up by one caller at a time until it is found paid or expired', async () => {
    store.time = Date.now();
    for (const key of ['paid', 'over', 'open']) {
      await store.ledger.claim({ ...facts, key });
      await store.ledger.journal(key, transaction);
      await store.ledger.refused(key, 'reverted');
    }
    const takeKeys = async (pauseMs = 0) =>
      (await store.ledger.takeRefused(5, pauseMs)).map(({ key }) => key).toSorted();
    const [first] = await store.ledger.takeRefused(1, 60_000);
    expect(first).toMatchObject({ state: 'refused', transactions: [transaction] });
    const rest = await takeKeys(60_000);
    expect([first?.key, ...rest].toSorted()).toEqual(['open', 'over', 'paid']);
    expect(await takeKeys()).toEqual([]);
    expect(await store.ledger.foundPaid('paid', 'RESPONSE')).toBe(true);
    expect(await store.ledger.load('paid')).toMatchObject({ state: 'settled', paymentResponse: 'RESPONSE' });
    expect(await store.ledger.foundPaid('paid', 'AGAIN')).toBe(false);
    await store.ledger.foundExpired('over');
    // A new refusal schedules an immediate lookup.
    for (const key of ['over', 'open']) {
      await store.ledger.claim({ ...facts, key });
      await store.ledger.refused(key, 'again');
    }
    expect(await takeKeys()).toEqual(['open', 'over']);
    await store.ledger.foundExpired('over');
    await expect.poll(() => takeKeys()).toEqual(['open']);
  });

  test('behavior: the time between lookups grows with age, by the database’s clock', async () => {
    const database = store.opened[0]?.database;
    const pause = async () => {
      const row = await database?.read.selectFrom('payments').select('look_at').executeTakeFirst();
      return (row?.look_at ?? 0) - Date.now();
    };
    // This replica's clock is ten hours behind.
    store.time = Date.now() - 36_000_000;
    await store.ledger.claim(facts);
    await store.ledger.journal(facts.key, transaction);
    await store.ledger.refused(facts.key, 'reverted');
    store.time = Date.now();
    expect(await store.ledger.takeRefused(5, 1_000)).toHaveLength(1);
    expect(await pause()).toBeLessThan(30_000);

    await database?.write(async (sql) => {
      await sql
        .updateTable('settlement_transactions')
        .set({ created_at: store.time - 100_000 })
        .execute();
      await sql.updateTable('payments').set({ look_at: 0 }).execute();
    });
    expect(await store.ledger.takeRefused(5, 1_000)).toHaveLength(1);
    expect(await pause()).toBeGreaterThan(90_000);
    expect(await pause()).toBeLessThan(130_000);

    // The newest transaction counts.
    await store.ledger.claim(facts);
    await store.ledger.journal(facts.key, { ...transaction, hash: '0xnext' });
    await store.ledger.refused(facts.key, 'reverted');
    expect(await store.ledger.takeRefused(5, 1_000)).toHaveLength(1);
    expect(await pause()).toBeLessThan(30_000);
  });

  test('behavior: a payment with a retry in progress is not looked up', async () => {
    await store.ledger.claim(facts);
    await store.ledger.journal(facts.key, transaction);
    await store.ledger.refused(facts.key, 'reverted');
    await store.ledger.claim(facts);
    expect(await store.ledger.foundPaid(facts.key, 'RESPONSE')).toBe(false);
    await store.ledger.journal(facts.key, transaction);
    expect(await store.ledger.takeRefused(5, 0)).toEqual([]);
  });
});
