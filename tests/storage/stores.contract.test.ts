import { setTimeout as sleep } from 'node:timers/promises';
import { sql as raw } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { PaymentFacts } from '../../server/payments/index.ts';
import {
  createAnswerShare,
  createStoreProbe,
  type DatabasePlace,
  forgetOld,
  openBook,
  openStores,
  type Stores,
} from '../../server/storage/index.ts';
import { type DatabaseMaker, databaseKinds, openDatabaseMaker } from './bothDatabases.ts';

const day = 86_400_000;
const paymentOf = (key: string, payer = '0xPayer'): PaymentFacts => ({
  key,
  fingerprint: key,
  network: 'eip155:8453',
  payer,
  paid: 'quote',
  route: 'POST /v1/quote',
  canonicalInput: '{}',
  payload: '{}',
});
const transaction = { hash: '0xhash', raw: '0x', nonce: 1, fromBlock: 1n };
const answer = { status: 200, contentType: 'application/json', body: '{}' };

describe.each(databaseKinds)('%s', (kind) => {
  let maker: DatabaseMaker;
  let place: DatabasePlace;
  let stores: Stores;
  let time = 0;
  beforeAll(async () => {
    maker = await openDatabaseMaker(kind);
  });
  afterAll(() => maker?.close());
  beforeEach(async () => {
    time = 1_000_000;
    place = await maker.newPlace();
    stores = await openStores(place, () => time);
  });
  afterEach(() => stores.close());

  test('default: adds up the counts of a window, and deletes old windows', async () => {
    const { rates } = stores;
    expect(
      await rates.add(0, [
        { subject: 'b', hits: 2 },
        { subject: 'a', hits: 1 },
      ]),
    ).toEqual(
      expect.arrayContaining([
        { subject: 'a', hits: 1 },
        { subject: 'b', hits: 2 },
      ]),
    );
    await Promise.all(
      Array.from({ length: 20 }, () =>
        rates.add(0, [
          { subject: 'a', hits: 1 },
          { subject: 'b', hits: 1 },
        ]),
      ),
    );
    expect(await rates.add(0, [{ subject: 'a', hits: 1 }])).toEqual([{ subject: 'a', hits: 22 }]);
    expect(await rates.add(60_000, [{ subject: 'a', hits: 1 }])).toEqual([{ subject: 'a', hits: 1 }]);
    await rates.forgetBefore(60_000);
    expect(await rates.add(0, [{ subject: 'b', hits: 1 }])).toEqual([{ subject: 'b', hits: 1 }]);
  });

  test('default: one replica reads, and its first answer stays until it expires', async () => {
    const { answers } = stores;
    const begun = await Promise.all(Array.from({ length: 10 }, () => answers.beginReading('q', 5_000)));
    expect(begun.filter(Boolean)).toHaveLength(1);
    expect(await answers.load('q')).toBeUndefined();
    const first = { answer: 'é', validUntil: time + 100 };
    expect(await answers.save('q', first)).toEqual(first);
    expect(await answers.save('q', { answer: 'later', validUntil: time + 200 })).toEqual(first);
    expect(await answers.load('q')).toEqual(first);
    expect(await answers.beginReading('q', 5_000)).toBe(false);
    time += 100;
    expect(await answers.load('q')).toBeUndefined();
    expect(await answers.beginReading('q', 5_000)).toBe(true);
  });

  test('behavior: after a replica gives up or takes too long, another one reads', async () => {
    const { answers } = stores;
    await answers.beginReading('q', 5_000);
    await answers.giveUp('q');
    expect(await answers.beginReading('q', 5_000)).toBe(true);
    expect(await answers.beginReading('q', 5_000)).toBe(false);
    time += 5_000;
    expect(await answers.beginReading('q', 5_000)).toBe(true);
  });

  test('behavior: versions of the service do not share answers', async () => {
    const [old, young] = ['1', '2'].map((version) => createAnswerShare(stores.answers, version, () => undefined));
    await old?.save('q', { answer: 'old', validUntil: time + 100 });
    expect(await young?.load('q')).toBeUndefined();
  });

  test('default: the book lists counts by state, credits, and all payments in order', async () => {
    const { ledger } = stores;
    for (const key of ['owed', 'open', 'done', 'free']) {
      time += 1;
      await ledger.claim(paymentOf(key, key === 'free' ? '0xFree' : undefined));
    }
    for (const key of ['owed', 'open', 'done']) await ledger.journal(key, { ...transaction, hash: `0x${key}` });
    for (const key of ['owed', 'done']) await ledger.settled(key, 'R');
    await ledger.answered('done', answer);
    await ledger.failed('owed', 'UPSTREAM_UNAVAILABLE');
    await ledger.claimTrial({ key: 'free', group: 'pretrade', wallet: '0xfree', paymentResponse: 'F' });
    await ledger.answered('free', answer);

    const { book, close } = await openBook(place);
    const keysOf = (entries: readonly { key: string }[]) => entries.map(({ key }) => key);
    expect(keysOf(await book.credits())).toEqual(['owed']);
    expect(await book.credits()).toMatchObject([
      { transaction: '0xowed', failures: 1, reason: 'UPSTREAM_UNAVAILABLE' },
    ]);
    expect(keysOf(await book.unfinished())).toEqual(['open']);
    expect(keysOf(await book.find('0xPayer'))).toEqual(['done', 'open', 'owed']);
    expect(keysOf(await book.find('0xdone'))).toEqual(['done']);
    expect(keysOf(await book.find('free'))).toEqual(['free']);
    expect(await book.counts()).toEqual(
      expect.arrayContaining([
        { network: 'eip155:8453', state: 'answered', isFree: true, payments: 1 },
        { network: 'eip155:8453', state: 'answered', isFree: false, payments: 1 },
        { network: 'eip155:8453', state: 'settled', isFree: false, payments: 1 },
      ]),
    );
    expect(await book.open()).toEqual(
      expect.arrayContaining([
        { network: 'eip155:8453', state: 'settled', isFree: false, payments: 1, oldestAt: 1_000_001 },
        { network: 'eip155:8453', state: 'sent', isFree: false, payments: 1, oldestAt: 1_000_002 },
      ]),
    );
    expect(await book.open()).toHaveLength(2);
    const all: string[] = [];
    for await (const { key } of book.entries()) all.push(key);
    expect(all).toEqual(['owed', 'open', 'done', 'free']);
    await close();
  });

  test('default: the probe reports an available database, with one query for any number of callers', async () => {
    const { database } = stores;
    let asked = 0;
    const read = database.read.withPlugin({
      transformQuery: ({ node }) => {
        asked += 1;
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    const probe = createStoreProbe(read, () => time);
    expect(await Promise.all(Array.from({ length: 50 }, probe))).toEqual(Array(50).fill(true));
    expect(await probe()).toBe(true);
    expect(asked).toBe(1);
    time += 1_001;
    expect(await probe()).toBe(true);
    expect(asked).toBe(2);
  });

  test('behavior: the book’s pages are complete, also for many payments in one millisecond', async () => {
    await Promise.all(Array.from({ length: 1_203 }, (_, n) => stores.ledger.claim(paymentOf(`key ${n}`))));
    const seen = new Set<string>();
    for await (const { key } of stores.book.entries()) seen.add(key);
    expect(seen.size).toBe(1_203);
  });

  test('behavior: old answers and refusals are deleted; settled keys and used free calls never', async () => {
    const { ledger } = stores;
    for (const key of ['done', 'refused', 'owed', 'free']) await ledger.claim(paymentOf(key));
    for (const key of ['done', 'refused', 'owed']) await ledger.journal(key, transaction);
    await ledger.settled('done', 'R');
    await ledger.answered('done', answer);
    await ledger.settled('owed', 'R');
    await ledger.refused('refused', 'reverted');
    await ledger.claimTrial({ key: 'free', group: 'pretrade', wallet: '0xfree', paymentResponse: 'F' });
    await ledger.answered('free', answer);
    const forget = () => forgetOld(stores.database, time, { answersMs: 90 * day, refusedMs: 30 * day });

    time += 29 * day;
    await forget();
    expect(await ledger.load('refused')).toBeDefined();
    expect(await ledger.load('done')).toMatchObject({ answer });
    time += 900 * day;
    await forget();
    expect(await ledger.load('refused')).toBeUndefined();
    expect(await ledger.load('done')).toMatchObject({ state: 'answered', answer: undefined, paymentResponse: 'R' });
    expect(await ledger.claim(paymentOf('done'))).toMatchObject({ won: false });
    expect(await ledger.load('owed')).toMatchObject({ state: 'settled', transactions: [transaction] });
    expect(await ledger.hasTrial('pretrade', '0xfree')).toBe(true);
  });

  test('behavior: a refusal without a sent transaction is deleted after an hour', async () => {
    const { ledger, database } = stores;
    await ledger.claim(paymentOf('unsent'));
    await ledger.refused('unsent', 'poor');
    const forget = () => forgetOld(database, time, { answersMs: 90 * day, refusedMs: 30 * day });
    time += day / 24 - 1;
    await forget();
    expect(await ledger.load('unsent')).toMatchObject({ state: 'refused' });
    time += 2;
    await forget();
    expect(await ledger.load('unsent')).toBeUndefined();
  });

  test('security: a wallet without a failure or a pause is deleted after an hour; a paused one stays', async () => {
    const { ledger, database } = stores;
    for (const wallet of ['0xidle', '0xpaused']) {
      await ledger.claim(paymentOf(wallet));
      await ledger.reserve({ key: wallet, wallet, network: 'eip155:8453', amount: 20_000n });
      await ledger.refused(wallet, 'poor');
    }
    await ledger.pausePayer('0xpaused');
    const retention = { answersMs: 90 * day, refusedMs: 30 * day };
    // Wallets are dated by the database's clock.
    await forgetOld(database, Date.now() + day / 12, retention);
    const kept = await database.read.selectFrom('payers').select('wallet').execute();
    expect(kept).toEqual([{ wallet: '0xpaused' }]);
  });

  test('behavior: a refusal that is retried during its deletion keeps its transactions', {
    skip: kind === 'sqlite',
  }, async () => {
    const { database, ledger } = stores;
    await ledger.claim(paymentOf('again'));
    await ledger.journal('again', transaction);
    await ledger.refused('again', 'reverted');
    time += 31 * day;

    let releaseClaim = () => {};
    const held = new Promise<void>((resolve) => {
      releaseClaim = resolve;
    });
    let taken = () => {};
    const isTaken = new Promise<void>((resolve) => {
      taken = resolve;
    });
    const retaken = database.write(async (sql) => {
      await sql.updateTable('payments').set({ holder: 'another replica' }).where('payment_key', '=', 'again').execute();
      taken();
      await held;
    });
    await isTaken;
    const forgetting = forgetOld(database, time, { answersMs: 90 * day, refusedMs: 30 * day });
    // It now waits for the locked row.
    const waiting = raw<{ count: number }>`SELECT count(*)::int AS count FROM pg_locks WHERE NOT granted`;
    while ((await waiting.execute(database.read)).rows[0]?.count === 0) await sleep(10);
    releaseClaim();
    await Promise.all([retaken, forgetting]);
    expect(await ledger.load('again')).toMatchObject({ state: 'refused', transactions: [transaction] });
  });
});

test('error: DatabaseUnavailableError names neither host, user nor password', async () => {
  const opening = openStores({ url: 'postgres://me:s3cret@127.0.0.1:1/none' }, Date.now);
  await expect(opening).rejects.toMatchObject({ name: 'DatabaseUnavailableError' });
  await expect(opening).rejects.not.toThrow(/s3cret|127\.0\.0\.1|me:/);
});
