import { describe, expect, test } from 'vitest';
import { databaseKinds } from './bothDatabases.ts';
import { earnedOn, facts, reserving, transaction, useLedger } from './useLedger.ts';

// Reservations, pauses, earned payments and gas budgets, tested with both databases.

describe.each(databaseKinds)('%s: reservations', (kind) => {
  const store = useLedger(kind);

  test('behavior: each of several concurrent reservations sees all earlier ones', async () => {
    const keys = await store.claimAll(12);
    const reserved = await Promise.all(keys.map((key) => store.ledger.reserve({ ...reserving, key })));
    const seen = reserved.map((result) => (result.kind === 'reserved' ? result.before.length : -1));
    expect(seen.toSorted((left, right) => left - right)).toEqual(keys.map((_, index) => index));
  });

  test('behavior: a reservation ends when its payment settles, is refused or is deleted', async () => {
    const [settled = '', refused = '', forgotten = '', sent = ''] = await store.claimAll(4);
    for (const key of [settled, refused, forgotten, sent]) await store.ledger.reserve({ ...reserving, key });
    for (const key of [settled, refused, sent]) await store.ledger.journal(key, transaction);
    await store.ledger.settled(settled, 'RESPONSE');
    await store.ledger.refused(refused, 'failed');
    await store.ledger.refused(forgotten, 'never sent');
    // A sent payment that its lease owner released may still pay.
    await store.ledger.release(sent);
    expect(await store.ledger.loadReserved([settled, refused, forgotten, sent])).toEqual([
      { key: sent, amount: 20_000n, hashes: [transaction.hash] },
    ]);
    await store.ledger.claim({ ...facts, key: 'next' });
    expect(await store.ledger.reserve({ ...reserving, key: 'next' })).toMatchObject({ before: [{ key: sent }] });
    await store.ledger.claim({ ...facts, key: 'elsewhere' });
    expect(await store.ledger.reserve({ ...reserving, key: 'elsewhere', network: 'eip155:137' })).toMatchObject({
      before: [],
    });
  });

  test('behavior: an open payment on a network that is no longer configured does not count against its wallet', async () => {
    const [next = '', other = ''] = await store.claimAll(2);
    const left = { ...reserving, key: 'stuck', network: 'eip155:10' };
    await store.ledger.claim({ ...facts, key: left.key, network: left.network });
    expect((await store.ledger.reserve({ ...left, earnedOn: ['eip155:10', ...earnedOn] })).kind).toBe('reserved');
    await store.ledger.journal(left.key, transaction);
    expect((await store.ledger.reserve({ ...reserving, key: next, earnedOn })).kind).toBe('reserved');
    expect((await store.ledger.reserve({ ...reserving, key: other, earnedOn })).kind).toBe('full');
  });
});

describe.each(databaseKinds)('%s: pauses and earned payments', (kind) => {
  const store = useLedger(kind);

  test('behavior: each failure on chain doubles the pause, up to a day; a success resets it', async () => {
    await store.claimAll(1);
    const pauses: number[] = [];
    for (let turn = 0; turn < 13; turn += 1) pauses.push(await store.ledger.pausePayer('0xfrom'));
    expect(pauses.slice(0, 4)).toEqual([60_000, 120_000, 240_000, 480_000]);
    expect(pauses.at(-1)).toBe(86_400_000);
    await store.restart();
    expect(await store.ledger.reserve({ ...reserving, key: 'key 0' })).toMatchObject({ kind: 'paused' });
    expect(await store.ledger.reserve({ ...reserving, key: 'key 0', wallet: '0xother' })).toMatchObject({
      kind: 'reserved',
    });
    await store.endPauses();
    await store.ledger.reserve({ ...reserving, key: 'key 0' });
    await store.ledger.settled('key 0', 'RESPONSE');
    expect(await store.ledger.pausePayer('0xfrom')).toBe(60_000);
  });

  test('behavior: each settlement earns a wallet one more concurrent payment, on all networks, until one fails', async () => {
    const keys = await store.claimAll(9);
    const reserve = async (index: number, network = 'eip155:8453') =>
      (await store.ledger.reserve({ ...reserving, network, key: keys[index] ?? '', earnedOn })).kind;
    expect(await reserve(0)).toBe('reserved');
    expect(await reserve(1)).toBe('full');
    // Without `earnedOn` there is no limit, as on networks where a failed settlement costs this service nothing.
    expect(await store.ledger.reserve({ ...reserving, key: keys[1] ?? '' })).toMatchObject({ kind: 'reserved' });
    for (const index of [0, 1]) await store.ledger.settled(keys[index] ?? '', 'RESPONSE');
    await expect(store.ledger.settled(keys[1] ?? '', 'RESPONSE')).rejects.toThrow();
    await store.restart();
    await store.claimAll(9);
    expect(await reserve(2)).toBe('reserved');
    expect(await reserve(3, 'eip155:137')).toBe('reserved');
    expect(await reserve(4)).toBe('reserved');
    expect(await reserve(5, 'eip155:42161')).toBe('full');
    // A payment that is not reserved does not count.
    expect(await reserve(6)).toBe('full');
    await store.ledger.pausePayer('0xfrom');
    await store.endPauses();
    for (const index of [2, 3, 4]) await store.ledger.refused(keys[index] ?? '', 'failed');
    expect(await reserve(6)).toBe('reserved');
    expect(await reserve(7)).toBe('full');
  });

  test('behavior: a lost settlement reduces the earned payments once', async () => {
    const keys = await store.claimAll(5);
    const reserve = async (index: number) =>
      (await store.ledger.reserve({ ...reserving, key: keys[index] ?? '', earnedOn })).kind;
    for (const index of [0, 1]) {
      expect(await reserve(index)).toBe('reserved');
      await store.ledger.settled(keys[index] ?? '', 'RESPONSE');
    }
    for (let turn = 0; turn < 2; turn += 1) await store.ledger.lost(keys[0] ?? '');
    expect(await reserve(2)).toBe('reserved');
    expect(await reserve(3)).toBe('reserved');
    expect(await reserve(4)).toBe('full');
  });
});

describe.each(databaseKinds)('%s: wallets', (kind) => {
  const store = useLedger(kind);
  const payer = async (wallet: string) =>
    store.opened[0]?.database.read.selectFrom('payers').selectAll().where('wallet', '=', wallet).executeTakeFirst();

  test('behavior: a reservation is repeated for the same payment, and counts other payments only', async () => {
    const [own = '', other = ''] = await store.claimAll(2);
    const reserve = (key: string, amount: bigint) => store.ledger.reserve({ ...reserving, key, amount, earnedOn });
    expect(await reserve(own, 5n)).toEqual({ kind: 'reserved', before: [] });
    expect(await reserve(own, 7n)).toEqual({ kind: 'reserved', before: [] });
    expect(await store.ledger.loadReserved([own])).toEqual([{ key: own, amount: 7n, hashes: [] }]);
    expect(await store.ledger.loadReserved([])).toEqual([]);
    expect(await store.ledger.loadReserved([other])).toEqual([]);
    expect(await reserve(other, 5n)).toEqual({ kind: 'full' });
    // In one batch: the first of two payments of a new wallet is reserved.
    const [first, second] = await Promise.all(
      [own, other].map((key) => store.ledger.reserve({ ...reserving, key, wallet: '0xnew', earnedOn })),
    );
    expect([first?.kind, second?.kind]).toEqual(['reserved', 'full']);
    expect((await store.ledger.loadReserved([own, other])).map(({ key }) => key)).toEqual([own]);
  });

  test('behavior: a payment that reserves again does not count twice for the next one of its batch', async () => {
    const [paid = '', open = '', next = ''] = await store.claimAll(3);
    await store.ledger.reserve({ ...reserving, key: paid });
    await store.ledger.settled(paid, 'RESPONSE');
    await store.ledger.reserve({ ...reserving, key: open });
    const reserved = await Promise.all(
      [open, next].map((key) => store.ledger.reserve({ ...reserving, key, earnedOn })),
    );
    expect(reserved).toMatchObject([
      { kind: 'reserved', before: [] },
      { kind: 'reserved', before: [{ key: open }] },
    ]);
  });

  test('behavior: a refused payment counts while it is settled again', async () => {
    const [retried = '', next = ''] = await store.claimAll(2);
    await store.ledger.refused(retried, 'poor');
    await store.ledger.claim({ ...facts, key: retried });
    await store.ledger.reserve({ ...reserving, key: retried, earnedOn });
    expect(await store.ledger.reserve({ ...reserving, key: next, earnedOn })).toEqual({ kind: 'full' });
    expect(await store.ledger.loadReserved([retried])).toHaveLength(1);
    await store.ledger.release(retried);
    expect(await store.ledger.loadReserved([retried])).toEqual([]);
    expect(await store.ledger.reserve({ ...reserving, key: next, earnedOn })).toMatchObject({ kind: 'reserved' });
  });

  test('behavior: a settlement counts for its own wallet, and a pause names the remaining time', async () => {
    const [own = '', other = ''] = await store.claimAll(2);
    await store.ledger.reserve({ ...reserving, key: own });
    await store.ledger.reserve({ ...reserving, key: other, wallet: '0xother' });
    await store.ledger.settled(own, 'RESPONSE');
    expect(await payer('0xfrom')).toMatchObject({ settled: 1, failures: 0 });
    expect(await payer('0xother')).toMatchObject({ settled: 0 });
    expect(await store.ledger.pausePayer('0xfrom')).toBe(60_000);
    expect(await payer('0xfrom')).toMatchObject({ settled: 0, failures: 1 });
    expect(await payer('0xother')).toMatchObject({ failures: 0, paused_until: 0 });
    const paused = await store.ledger.reserve({ ...reserving, key: own });
    expect(paused).toMatchObject({ kind: 'paused' });
    const { forMs } = paused as { forMs: number };
    expect(forMs).toBeGreaterThan(50_000);
    expect(forMs).toBeLessThanOrEqual(60_000);
  });
});

describe.each(databaseKinds)('%s: settlements of wallets', (kind) => {
  const store = useLedger(kind);
  const payer = async (wallet: string) =>
    store.opened[0]?.database.read.selectFrom('payers').selectAll().where('wallet', '=', wallet).executeTakeFirst();

  test('behavior: of several settlements in one batch each counts, and ends the failures of its wallet', async () => {
    const keys = await store.claimAll(4);
    for (const [index, key] of keys.entries()) {
      await store.ledger.reserve({ ...reserving, key, wallet: index === 3 ? '0xother' : '0xfrom' });
    }
    await store.ledger.pausePayer('0xfrom');
    await Promise.all(keys.map((key) => store.ledger.settled(key, `response of ${key}`)));
    expect(await payer('0xfrom')).toMatchObject({ settled: 3, failures: 0 });
    expect(await payer('0xother')).toMatchObject({ settled: 1, failures: 0 });
    expect((await store.ledger.load(keys[2] ?? ''))?.paymentResponse).toBe(`response of ${keys[2]}`);
  });

  test('behavior: a lost settlement is recorded with its time, and never counts below zero', async () => {
    const [lost = '', other = ''] = await store.claimAll(2);
    for (const key of [lost, other]) await store.ledger.reserve({ ...reserving, key, wallet: `wallet of ${key}` });
    for (const key of [lost, other]) await store.ledger.settled(key, 'RESPONSE');
    store.time += 5;
    await store.ledger.lost(lost);
    expect(await payer(`wallet of ${lost}`)).toMatchObject({ settled: 0 });
    store.time += 5;
    await store.ledger.lost(lost);
    expect(await payer(`wallet of ${lost}`)).toMatchObject({ settled: 0 });
    expect(await payer(`wallet of ${other}`)).toMatchObject({ settled: 1 });
    const book = store.opened[0]?.book;
    expect(await book?.find(lost)).toMatchObject([{ lostAt: 1_005, state: 'settled' }]);
    expect(await book?.find(other)).toMatchObject([{ lostAt: null }]);
    // The wallet failed since, so its count is zero already.
    await store.ledger.pausePayer(`wallet of ${other}`);
    await store.ledger.lost(other);
    expect(await payer(`wallet of ${other}`)).toMatchObject({ settled: 0 });
  });
});

describe.each(databaseKinds)('%s: gas budgets', (kind) => {
  const store = useLedger(kind);

  test('behavior: a gas budget can be exhausted, refills over time, and survives a restart', async () => {
    const budget = { class: 'contract wallets', perHour: 3_600_000 };
    const taken = await Promise.all(Array.from({ length: 12 }, () => store.ledger.takeGas(budget, 360_000)));
    expect(taken.filter((wait) => wait === undefined)).toHaveLength(10);
    await store.restart();
    const wait = (await store.ledger.takeGas(budget, 360_000)) ?? 0;
    // A tenth of the budget refills in six minutes.
    expect(wait).toBeGreaterThan(340_000);
    expect(wait).toBeLessThanOrEqual(360_000);
    await store.ledger.returnGas(budget, 360_000);
    expect(await store.ledger.takeGas(budget, 360_000)).toBeUndefined();
    await store.ledger.returnGas(budget, 1_000_000_000);
    expect(await store.ledger.takeGas(budget, 3_600_000)).toBeUndefined();
  });

  test('behavior: the wait is that of the missing part, and budgets are separate', async () => {
    const budget = { class: 'one', perHour: 3_600_000 };
    expect(await store.ledger.takeGas(budget, 3_600_000)).toBeUndefined();
    // Nothing was taken by a call that must wait.
    const waits = [await store.ledger.takeGas(budget, 1_800_000), await store.ledger.takeGas(budget, 1_800_000)];
    for (const wait of waits) {
      expect(wait).toBeGreaterThan(1_780_000);
      expect(wait).toBeLessThanOrEqual(1_800_000);
    }
    expect(await store.ledger.takeGas({ ...budget, class: 'other' }, 3_600_000)).toBeUndefined();
    expect(await store.ledger.takeGas({ ...budget, class: 'other' }, 3_600_001)).toBeGreaterThan(3_500_000);
    const database = store.opened[0]?.database;
    const setAge = (ms: number) =>
      database?.write((sql) =>
        sql
          .updateTable('gas_budgets')
          .set({ updated_at: Date.now() - ms })
          .where('class', '=', 'one')
          .execute(),
      );
    await setAge(1_800_000);
    expect(await store.ledger.takeGas(budget, 1_900_000)).toBeGreaterThan(80_000);
    expect(await store.ledger.takeGas(budget, 1_700_000)).toBeUndefined();
    // A part is returned, and no more.
    await store.ledger.returnGas(budget, 500_000);
    expect(await store.ledger.takeGas(budget, 800_000)).toBeGreaterThan(100_000);
    // A clock that was set back does not take from the budget.
    await store.ledger.returnGas(budget, 3_600_000);
    await setAge(-7_200_000);
    expect(await store.ledger.takeGas(budget, 3_600_000)).toBeUndefined();
  });
});
