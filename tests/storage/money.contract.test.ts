import { describe, expect, test } from 'vitest';
import { openBook } from '../../server/storage/index.ts';
import { databaseKinds } from './bothDatabases.ts';
import { answer, paymentOf, transaction } from './testPayments.ts';
import { useStores } from './useStores.ts';

const day = 86_400_000;
const terms = { amount: 20_000, asset: '0xusdc', payTo: '0xpayee' };
const all = { from: 0, to: 10 * day };

/** Claims one payment, or several in one batch, which uses other statements. */
async function claimIn(
  { stores: { ledger } }: ReturnType<typeof useStores>,
  keys: readonly string[],
  change: object = { terms },
): Promise<void> {
  await Promise.all(keys.map((key) => ledger.claim({ ...paymentOf(key), ...change })));
}

describe.each(databaseKinds)('%s: money of payments', (kind) => {
  const opened = useStores(kind);

  const claim = (keys: readonly string[], change?: object) => claimIn(opened, keys, change);
  const entryOf = async (key: string) => (await opened.stores.book.find(key))[0];

  test.each([1, 3])('a ledger stores terms and gas of %i payments in one step', async (payments) => {
    const { ledger } = opened.stores;
    const keys = Array.from({ length: payments }, (_, index) => `key ${index}`);
    await claim(keys);
    await Promise.all(keys.map((key) => ledger.settled(key, 'R', { used: 48_200, microUsd: 120 })));
    for (const key of keys) {
      expect(await entryOf(key)).toMatchObject({
        ...terms,
        ...{ gasUsed: 48_200, gasMicroUsd: 120, gasUnknown: null },
      });
    }
  });

  test.each([1, 2])('gas that is not known is null, with its reason, for %i payments', async (payments) => {
    const { ledger } = opened.stores;
    const keys = Array.from({ length: payments }, (_, index) => `key ${index}`);
    await claim(keys, {});
    await Promise.all(keys.map((key) => ledger.settled(key, 'R', { used: 5, unknown: 'no_price' })));
    for (const key of keys) {
      expect(await entryOf(key)).toMatchObject({
        ...{ amount: null, asset: null, payTo: null },
        ...{ gasUsed: 5, gasMicroUsd: null, gasUnknown: 'no_price' },
      });
    }
  });

  test('the gas of failed attempts is added, and a part that is not known keeps its reason', async () => {
    const { ledger } = opened.stores;
    await claim(['one', 'two', 'three']);
    for (const key of ['one', 'two', 'three']) await ledger.journal(key, { ...transaction, hash: `0x${key}` });
    await ledger.refused('one', 'failed', { microUsd: 300 });
    await ledger.refused('two', 'failed', { unknown: 'no_price' });
    await ledger.refused('three', 'failed', { microUsd: 7 });
    await ledger.settled('one', 'R', { used: 9, microUsd: 100 });
    await Promise.all([
      ledger.settled('two', 'R', { used: 9, microUsd: 100 }),
      ledger.settled('three', 'R', { unknown: 'not_read' }),
    ]);
    expect(await entryOf('one')).toMatchObject({ gasUsed: 9, gasMicroUsd: 400, gasUnknown: null });
    expect(await entryOf('two')).toMatchObject({ gasUsed: 9, gasMicroUsd: 100, gasUnknown: 'no_price' });
    expect(await entryOf('three')).toMatchObject({ gasUsed: null, gasMicroUsd: 7, gasUnknown: 'not_read' });
  });
});

describe.each(databaseKinds)('%s: totals of payments', (kind) => {
  const opened = useStores(kind);
  const claim = (keys: readonly string[], change?: object) => claimIn(opened, keys, change);

  test('totals count payments by UTC day, product and network, and add money that was received', async () => {
    const { ledger } = opened.stores;
    opened.time = day - 1;
    await claim(['late']);
    await ledger.settled('late', 'R', { used: 50_000, microUsd: 100 });
    opened.time = day;
    await claim(['done', 'redeemed', 'owed', 'lost', 'refused', 'open', 'free']);
    await claim(['check'], { terms, paid: 'pretradeCheck', network: 'eip155:137' });
    for (const key of ['done', 'redeemed', 'owed', 'lost', 'check'])
      await ledger.settled(key, 'R', { used: 1_000, microUsd: 10 });
    await ledger.failed('redeemed', 'UPSTREAM_UNAVAILABLE');
    for (const key of ['late', 'done', 'redeemed', 'lost', 'check']) await ledger.answered(key, answer);
    await ledger.lost('lost');
    await ledger.journal('refused', transaction);
    await ledger.refused('refused', 'failed', { microUsd: 1_000 });
    await ledger.claimTrial({ key: 'free', group: 'pretrade', wallet: '0xfree', paymentResponse: 'F' });

    const { book, close } = await openBook(opened.location);
    const none = { not_read: 0, no_price: 0, remote: 0, earlier_version: 0 };
    const zero = {
      redeemedCredits: 0,
      unserved: 0,
      freeCalls: 0,
      refused: 0,
      unfinished: 0,
      lost: 0,
      unknownAmounts: 0,
    };
    const quote = { product: 'quote', network: 'eip155:8453', unknownGas: none };
    const first = { ...zero, ...quote, day: 0, answered: 1, revenue: 20_000, gasUsed: 50_000, gasMicroUsd: 100 };
    const second = {
      ...{
        ...quote,
        day,
        answered: 3,
        redeemedCredits: 1,
        unserved: 1,
        freeCalls: 1,
        refused: 1,
        unfinished: 1,
        lost: 1,
      },
      ...{ unknownAmounts: 0, revenue: 60_000, gasUsed: 4_000, gasMicroUsd: 1_040 },
    };
    const check = {
      ...{ ...zero, day, product: 'pretradeCheck', network: 'eip155:137', answered: 1 },
      ...{ revenue: 20_000, gasUsed: 1_000, gasMicroUsd: 10, unknownGas: none },
    };
    expect(await book.dayTotals(all)).toEqual([first, check, second]);
    expect(await book.dayTotals({ from: 0, to: day })).toEqual([first]);
    expect(await book.dayTotals({ from: day, to: 2 * day })).toEqual([check, second]);
    expect(await book.paid('eip155:137', all)).toMatchObject([{ key: 'check', amount: 20_000, payTo: '0xpayee' }]);
    await close();
  });

  test('payments of an earlier version have an unknown amount and unknown gas, not zero', async () => {
    const { ledger, database } = opened.stores;
    await claim(['old'], {});
    await ledger.settled('old', 'R');
    await database.write((sql) => sql.updateTable('payments').set({ gas_unknown: null }).execute());
    expect(await opened.stores.book.dayTotals(all)).toMatchObject([
      { unserved: 1, revenue: 0, unknownAmounts: 1, gasMicroUsd: 0, unknownGas: { earlier_version: 1 } },
    ]);
  });
});
