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
