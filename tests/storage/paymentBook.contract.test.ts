import { describe, expect, test } from 'vitest';
import { openBook } from '../../server/storage/index.ts';
import { databaseKinds } from './bothDatabases.ts';
import { answer, paymentOf, transaction } from './testPayments.ts';
import { useStores } from './useStores.ts';

describe.each(databaseKinds)('%s: payment book', (kind) => {
  const opened = useStores(kind);

  test('default: returns counts by state, credits, and all payments in order', async () => {
    const { ledger } = opened.stores;
    for (const key of ['owed', 'open', 'done', 'free']) {
      opened.time += 1;
      await ledger.claim(paymentOf(key, key === 'free' ? '0xFree' : undefined));
    }
    for (const key of ['owed', 'open', 'done']) await ledger.journal(key, { ...transaction, hash: `0x${key}` });
    for (const key of ['owed', 'done']) await ledger.settled(key, 'R');
    await ledger.answered('done', answer);
    await ledger.failed('owed', 'UPSTREAM_UNAVAILABLE');
    await ledger.claimTrial({ key: 'free', group: 'pretrade', wallet: '0xfree', paymentResponse: 'F' });
    await ledger.answered('free', answer);

    const { book, close } = await openBook(opened.location);
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
    await expect(book.credits()).rejects.toThrow();
  });

  test('behavior: groups open payments, with the age of the oldest one and apart from free calls', async () => {
    const { ledger, book } = opened.stores;
    for (const key of ['one', 'two', 'free']) {
      await ledger.claim(paymentOf(key));
      opened.time += 5;
    }
    for (const key of ['two', 'one']) await ledger.settled(key, 'R');
    await ledger.claimTrial({ key: 'free', group: 'pretrade', wallet: '0xfree', paymentResponse: 'F' });
    const open = await book.open();
    expect(open.toSorted((left, right) => left.payments - right.payments)).toEqual([
      { network: 'eip155:8453', state: 'settled', isFree: true, payments: 1, oldestAt: 1_000_010 },
      { network: 'eip155:8453', state: 'settled', isFree: false, payments: 2, oldestAt: 1_000_000 },
    ]);
    expect((await book.credits()).map(({ key }) => key)).toEqual(['one', 'two']);
  });

  test('behavior: `entries` returns every payment when many have the same timestamp', async () => {
    await Promise.all(Array.from({ length: 1_203 }, (_, n) => opened.stores.ledger.claim(paymentOf(`key ${n}`))));
    const seen = new Set<string>();
    for await (const { key } of opened.stores.book.entries()) seen.add(key);
    expect(seen.size).toBe(1_203);
  });
});
