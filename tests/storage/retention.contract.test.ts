import { setTimeout as sleep } from 'node:timers/promises';
import { sql as raw } from 'kysely';
import { describe, expect, test } from 'vitest';
import { forgetOld } from '../../server/storage/index.ts';
import { databaseKinds } from './bothDatabases.ts';
import { answer, paymentOf, transaction } from './testPayments.ts';
import { useStores } from './useStores.ts';

const day = 86_400_000;
const retention = { answersMs: 90 * day, refusedMs: 30 * day };

describe.each(databaseKinds)('%s: retention', (kind) => {
  const opened = useStores(kind);

  test('behavior: deletes old answers and refusals, but never settled keys and used free calls', async () => {
    const { ledger } = opened.stores;
    for (const key of ['done', 'refused', 'owed', 'free']) await ledger.claim(paymentOf(key));
    for (const key of ['done', 'refused', 'owed']) await ledger.journal(key, transaction);
    await ledger.settled('done', 'R');
    await ledger.answered('done', answer);
    await ledger.settled('owed', 'R');
    await ledger.refused('refused', 'reverted');
    await ledger.claimTrial({ key: 'free', group: 'pretrade', wallet: '0xfree', paymentResponse: 'F' });
    await ledger.answered('free', answer);
    const forget = () => forgetOld(opened.stores.database, opened.time, retention);

    opened.time += 29 * day;
    await forget();
    expect(await ledger.load('refused')).toBeDefined();
    expect(await ledger.load('done')).toMatchObject({ answer });
    opened.time += 900 * day;
    await forget();
    expect(await ledger.load('refused')).toBeUndefined();
    expect(await ledger.load('done')).toMatchObject({ state: 'answered', answer: undefined, paymentResponse: 'R' });
    expect(await ledger.claim(paymentOf('done'))).toMatchObject({ won: false });
    expect(await ledger.load('owed')).toMatchObject({ state: 'settled', transactions: [transaction] });
    expect(await ledger.hasTrial('pretrade', '0xfree')).toBe(true);
  });

  test('behavior: a refusal without a sent transaction is deleted after an hour', async () => {
    const { ledger, database } = opened.stores;
    await ledger.claim(paymentOf('unsent'));
    await ledger.refused('unsent', 'poor');
    const forget = () => forgetOld(database, opened.time, retention);
    opened.time += day / 24 - 1;
    await forget();
    expect(await ledger.load('unsent')).toMatchObject({ state: 'refused' });
    opened.time += 2;
    await forget();
    expect(await ledger.load('unsent')).toBeUndefined();
  });

  test('security: a wallet without a failure or a pause is deleted after an hour; a paused one stays', async () => {
    const { ledger, database } = opened.stores;
    for (const wallet of ['0xidle', '0xpaused']) {
      await ledger.claim(paymentOf(wallet));
      await ledger.reserve({ key: wallet, wallet, network: 'eip155:8453', amount: 20_000n });
      await ledger.refused(wallet, 'poor');
    }
    await ledger.pausePayer('0xpaused');
    // The database's clock sets the times of wallets.
    await forgetOld(database, Date.now() + day / 12, retention);
    const kept = await database.read.selectFrom('payers').select('wallet').execute();
    expect(kept).toEqual([{ wallet: '0xpaused' }]);
  });
});

describe.each(databaseKinds)('%s: limits of retention', (kind) => {
  const opened = useStores(kind);
  const hour = day / 24;
  const forget = () => forgetOld(opened.stores.database, opened.time, retention);

  test('behavior: deletes only rows that are older than their retention', async () => {
    const { ledger } = opened.stores;
    for (const key of ['done', 'sent']) await ledger.claim(paymentOf(key));
    await ledger.settled('done', 'R');
    await ledger.answered('done', answer);
    await ledger.journal('sent', transaction);
    await ledger.refused('sent', 'reverted');
    opened.time += 30 * day;
    await forget();
    expect(await ledger.load('sent')).toBeDefined();
    opened.time += 1;
    await forget();
    expect(await ledger.load('sent')).toBeUndefined();
    opened.time += 60 * day - 1;
    await forget();
    expect(await ledger.load('done')).toMatchObject({ answer });
    opened.time += 1;
    await forget();
    expect(await ledger.load('done')).toMatchObject({ answer: undefined });
  });

  test('behavior: keeps a refusal that a replica is settling again, and every other state', async () => {
    const { ledger } = opened.stores;
    for (const key of ['claimed', 'sent', 'settled', 'retried']) await ledger.claim(paymentOf(key));
    await ledger.journal('sent', transaction);
    await ledger.settled('settled', 'R');
    await ledger.refused('retried', 'poor');
    await ledger.claim(paymentOf('retried'));
    for (const key of ['claimed', 'sent', 'settled']) await ledger.release(key);
    opened.time += 900 * day;
    await forget();
    for (const key of ['claimed', 'sent', 'settled', 'retried']) expect(await ledger.load(key)).toBeDefined();
  });

  test('behavior: the bytes of a group stay until its last payment is deleted; identifiers can be used again', async () => {
    const { ledger, database } = opened.stores;
    const identifierOf = (key: string) => ({ key, wallet: '0xfrom', identifier: 'order-0000000001' });
    for (const key of ['one', 'two', 'paid', 'alone']) await ledger.claim(paymentOf(key));
    await ledger.claimIdentifier(identifierOf('one'));
    await ledger.journalAll(['one', 'two'], { ...transaction, hash: '0xrefused' });
    await ledger.journalAll(['alone', 'paid'], { ...transaction, hash: '0xpaid' });
    for (const key of ['one', 'alone']) await ledger.refused(key, 'reverted');
    await ledger.settled('paid', 'R');
    opened.time += 20 * day;
    await ledger.refused('two', 'reverted');
    const groups = async () =>
      (await database.read.selectFrom('group_transactions').select('hash').orderBy('hash').execute()).map(
        ({ hash }) => hash,
      );
    opened.time += 11 * day;
    await forget();
    expect(await ledger.load('one')).toBeUndefined();
    expect(await groups()).toEqual(['0xpaid', '0xrefused']);
    opened.time += 20 * day;
    await forget();
    expect(await ledger.load('two')).toBeUndefined();
    expect(await groups()).toEqual(['0xpaid']);
    const sent = await database.read.selectFrom('settlement_transactions').select('payment_key').execute();
    expect(sent).toEqual([{ payment_key: 'paid' }]);
    expect(await database.read.selectFrom('payment_identifiers').selectAll().execute()).toEqual([]);
  });

  test('behavior: deletes more refusals than fit into one statement', async () => {
    const { ledger, database } = opened.stores;
    const keys = Array.from({ length: 501 }, (_, index) => `key ${index}`);
    await Promise.all(keys.map((key) => ledger.claim(paymentOf(key))));
    await database.write((sql) => sql.updateTable('payments').set({ state: 'refused', holder: null }).execute());
    opened.time += hour + 1;
    await forget();
    expect(await database.read.selectFrom('payments').selectAll().execute()).toEqual([]);
  });
});

describe.each(databaseKinds)('%s: retention of wallets', (kind) => {
  const opened = useStores(kind);
  const hour = day / 24;

  test('security: keeps a wallet with settlements, with a pause, or with a failure of the last 30 days', async () => {
    const { database } = opened.stores;
    const at = opened.time;
    const wallets = {
      idle: {},
      recent: { updated_at: at - hour },
      settled: { settled: 1 },
      paused: { paused_until: at },
      failed: { failures: 1, updated_at: at - 30 * day },
      'failed long ago': { failures: 1, updated_at: at - 30 * day - 1 },
    };
    await database.write(async (sql) => {
      for (const [wallet, changes] of Object.entries(wallets)) {
        const row = { wallet, failures: 0, settled: 0, paused_until: 0, updated_at: at - hour - 1, ...changes };
        await sql.insertInto('payers').values(row).execute();
      }
    });
    await forgetOld(database, at, retention);
    const kept = await database.read.selectFrom('payers').select('wallet').orderBy('wallet').execute();
    expect(kept.map(({ wallet }) => wallet)).toEqual(['failed', 'paused', 'recent', 'settled']);
  });
});

describe('postgres: retention and concurrent claims', () => {
  const opened = useStores('postgres');

  test('behavior: a refusal that is retried during its deletion keeps its transactions', async () => {
    const { database, ledger } = opened.stores;
    await ledger.claim(paymentOf('again'));
    await ledger.journal('again', transaction);
    await ledger.refused('again', 'reverted');
    opened.time += 31 * day;

    let releaseClaim = () => {};
    const held = new Promise<void>((resolve) => {
      releaseClaim = resolve;
    });
    let signalTaken = () => {};
    const isTaken = new Promise<void>((resolve) => {
      signalTaken = resolve;
    });
    const retaken = database.write(async (sql) => {
      await sql.updateTable('payments').set({ holder: 'another replica' }).where('payment_key', '=', 'again').execute();
      signalTaken();
      await held;
    });
    await isTaken;
    const forgetting = forgetOld(database, opened.time, retention);
    // Wait until `forgetOld` waits for the locked row.
    const waiting = raw<{ count: number }>`SELECT count(*)::int AS count FROM pg_locks WHERE NOT granted`;
    while ((await waiting.execute(database.read)).rows[0]?.count === 0) await sleep(10);
    releaseClaim();
    await Promise.all([retaken, forgetting]);
    expect(await ledger.load('again')).toMatchObject({ state: 'refused', transactions: [transaction] });
  });
});
