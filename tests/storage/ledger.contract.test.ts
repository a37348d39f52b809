import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { LedgerOrderError, type PaymentFacts, type PaymentLedger } from '../../server/payments/index.ts';
import { type DatabasePlace, openStores, type Stores } from '../../server/storage/index.ts';
import { type DatabaseMaker, databaseKinds, openDatabaseMaker } from './bothDatabases.ts';

// What the payment service may rely on, held against both databases.

const facts: PaymentFacts = {
  key: 'eip155:8453|0xasset|0xfrom|0xnonce',
  fingerprint: 'f1',
  network: 'eip155:8453',
  payer: '0xFrom',
  paid: 'quote',
  route: 'POST /v1/quote',
  canonicalInput: '{"a":"é"}',
  payload: '{}',
};
const transaction = { hash: '0x01', raw: '0x02', nonce: 7, fromBlock: 2n ** 60n } as const;
const answer = { status: 200, contentType: 'application/json', body: '{ "é":\t1 }\n' };

const trial = { key: facts.key, group: 'pretrade', wallet: '0xfrom', paymentResponse: 'FREE' };

describe.each(databaseKinds)('%s', (kind) => {
  let maker: DatabaseMaker;
  let place: DatabasePlace;
  let opened: Stores[] = [];
  let ledger: PaymentLedger;
  let time = 0;
  const open = async (): Promise<Stores> => {
    const stores = await openStores(place, () => time);
    opened.push(stores);
    ledger = stores.ledger;
    return stores;
  };
  /** The state after a kill: on PostgreSQL the last heartbeat, on SQLite no file lock. */
  const restart = async (): Promise<Stores> => {
    const dead = opened.pop();
    await dead?.close();
    time += 21_000;
    const stores = await open();
    if (kind === 'postgres' && dead) {
      const row = { replica: dead.replica, alive_until: Date.now() - 1_000, started_at: 0 };
      await stores.database.write((sql) => sql.insertInto('replicas').values(row).execute());
    }
    return stores;
  };

  const endPauses = async (): Promise<void> => {
    await opened.at(-1)?.database.write((sql) => sql.updateTable('payers').set({ paused_until: 0 }).execute());
  };

  beforeAll(async () => {
    maker = await openDatabaseMaker(kind);
  });
  afterAll(() => maker?.close());
  beforeEach(async () => {
    time = 1_000;
    place = await maker.newPlace();
    await open();
  });
  afterEach(async () => {
    for (const stores of opened) await stores.close();
    opened = [];
  });

  test('default: a payment proceeds from claim to answer, and all its data survives reopening', async () => {
    await ledger.claim(facts);
    await ledger.journal(facts.key, transaction);
    await ledger.settled(facts.key, 'RESPONSE');
    await ledger.answered(facts.key, answer);
    await restart();
    expect(await ledger.load(facts.key)).toEqual({
      ...facts,
      state: 'answered',
      transactions: [transaction],
      paymentResponse: 'RESPONSE',
      answer,
      answeredAt: expect.any(Number),
      trialGroup: undefined,
    });
  });

  test('one transaction of several payments is journaled for each, all or none', async () => {
    const keys = await claimAll(3);
    const account = { name: 'eip155:8453|0xkey', from: 7 };
    const sign = (nonce: number) => ({ ...transaction, account: account.name, nonce });
    const signed = await ledger.journalNext(keys, account, sign);
    expect(signed.nonce).toBe(7);
    for (const key of keys) {
      expect(await ledger.load(key)).toMatchObject({ state: 'sent', transactions: [signed] });
    }
    expect(await ledger.loadOpenTransactions(account.name, { from: 0, below: 100 })).toEqual([signed]);

    const next = await ledger.journalNext(keys.slice(0, 1), account, (nonce) => ({ ...sign(nonce), hash: '0xnext' }));
    expect(next.nonce).toBe(8);
    await ledger.claim({ ...facts, key: 'claimed' });
    await expect(ledger.journalNext(['claimed', 'unknown'], account, sign)).rejects.toThrow(LedgerOrderError);
    expect(await ledger.load('claimed')).toMatchObject({ state: 'claimed', transactions: [] });
  });

  test('concurrent transactions of one account get nonces of their own', async () => {
    const keys = await claimAll(20);
    const account = { name: 'eip155:8453|0xkey', from: 3 };
    const all = await Promise.all(
      keys.map((key) =>
        ledger.journalNext([key], account, (nonce) => ({ ...transaction, hash: key, account: account.name, nonce })),
      ),
    );
    expect(all.map(({ nonce }) => nonce).toSorted((left, right) => left - right)).toEqual(keys.map((_, n) => 3 + n));
  });

  const reserving = { wallet: '0xfrom', network: facts.network, amount: 20_000n };
  const claimAll = async (count: number) => {
    const keys = Array.from({ length: count }, (_, index) => `key ${index}`);
    for (const key of keys) await ledger.claim({ ...facts, key });
    return keys;
  };

  test('behavior: each of several concurrent reservations sees all earlier ones', async () => {
    const keys = await claimAll(12);
    const reserved = await Promise.all(keys.map((key) => ledger.reserve({ ...reserving, key })));
    const seen = reserved.map((result) => (result.kind === 'reserved' ? result.before.length : -1));
    expect(seen.toSorted((left, right) => left - right)).toEqual(keys.map((_, index) => index));
  });

  test('behavior: a reservation ends when its payment settles, is refused or is deleted', async () => {
    const [settled = '', refused = '', forgotten = '', sent = ''] = await claimAll(4);
    for (const key of [settled, refused, forgotten, sent]) await ledger.reserve({ ...reserving, key });
    for (const key of [settled, refused, sent]) await ledger.journal(key, transaction);
    await ledger.settled(settled, 'RESPONSE');
    await ledger.refused(refused, 'failed');
    await ledger.refused(forgotten, 'never sent');
    // A sent payment that its lease owner released may still pay.
    await ledger.release(sent);
    expect(await ledger.loadReserved([settled, refused, forgotten, sent])).toEqual([
      { key: sent, amount: 20_000n, hashes: [transaction.hash] },
    ]);
    await ledger.claim({ ...facts, key: 'next' });
    expect(await ledger.reserve({ ...reserving, key: 'next' })).toMatchObject({ before: [{ key: sent }] });
    await ledger.claim({ ...facts, key: 'elsewhere' });
    expect(await ledger.reserve({ ...reserving, key: 'elsewhere', network: 'eip155:137' })).toMatchObject({
      before: [],
    });
  });

  test('behavior: each failure on chain doubles the pause, up to a day; a success starts over', async () => {
    await claimAll(1);
    const pauses: number[] = [];
    for (let turn = 0; turn < 13; turn += 1) pauses.push(await ledger.pausePayer('0xfrom'));
    expect(pauses.slice(0, 4)).toEqual([60_000, 120_000, 240_000, 480_000]);
    expect(pauses.at(-1)).toBe(86_400_000);
    await restart();
    expect(await ledger.reserve({ ...reserving, key: 'key 0' })).toMatchObject({ kind: 'paused' });
    expect(await ledger.reserve({ ...reserving, key: 'key 0', wallet: '0xother' })).toMatchObject({ kind: 'reserved' });
    await endPauses();
    await ledger.reserve({ ...reserving, key: 'key 0' });
    await ledger.settled('key 0', 'RESPONSE');
    expect(await ledger.pausePayer('0xfrom')).toBe(60_000);
  });

  test('behavior: a wallet earns one payment in flight with each settlement, on all networks, until one fails', async () => {
    const keys = await claimAll(9);
    const reserve = async (index: number, network = 'eip155:8453') =>
      (await ledger.reserve({ ...reserving, network, key: keys[index] ?? '', onlyEarned: true })).kind;
    expect(await reserve(0)).toBe('reserved');
    expect(await reserve(1)).toBe('full');
    // Where a failure costs this service nothing.
    expect(await ledger.reserve({ ...reserving, key: keys[1] ?? '' })).toMatchObject({ kind: 'reserved' });
    for (const index of [0, 1]) await ledger.settled(keys[index] ?? '', 'RESPONSE');
    await expect(ledger.settled(keys[1] ?? '', 'RESPONSE')).rejects.toThrow();
    await restart();
    await claimAll(9);
    expect(await reserve(2)).toBe('reserved');
    expect(await reserve(3, 'eip155:137')).toBe('reserved');
    expect(await reserve(4)).toBe('reserved');
    expect(await reserve(5, 'eip155:42161')).toBe('full');
    // A payment that is not reserved does not count.
    expect(await reserve(6)).toBe('full');
    await ledger.pausePayer('0xfrom');
    await endPauses();
    for (const index of [2, 3, 4]) await ledger.refused(keys[index] ?? '', 'failed');
    expect(await reserve(6)).toBe('reserved');
    expect(await reserve(7)).toBe('full');
  });

  test('behavior: a settlement that the chain dropped for good is no longer earned, once', async () => {
    const keys = await claimAll(5);
    const reserve = async (index: number) =>
      (await ledger.reserve({ ...reserving, key: keys[index] ?? '', onlyEarned: true })).kind;
    for (const index of [0, 1]) {
      expect(await reserve(index)).toBe('reserved');
      await ledger.settled(keys[index] ?? '', 'RESPONSE');
    }
    for (let turn = 0; turn < 2; turn += 1) await ledger.lost(keys[0] ?? '');
    expect(await reserve(2)).toBe('reserved');
    expect(await reserve(3)).toBe('reserved');
    expect(await reserve(4)).toBe('full');
  });

  test('behavior: a gas budget is spent, returned and exhausted, across a restart', async () => {
    const budget = { class: 'contract wallets', perHour: 3_600_000 };
    const taken = await Promise.all(Array.from({ length: 12 }, () => ledger.takeGas(budget, 360_000)));
    expect(taken.filter((wait) => wait === undefined)).toHaveLength(10);
    await restart();
    const wait = (await ledger.takeGas(budget, 360_000)) ?? 0;
    // A tenth of the budget refills in six minutes.
    expect(wait).toBeGreaterThan(340_000);
    expect(wait).toBeLessThanOrEqual(360_000);
    await ledger.returnGas(budget, 360_000);
    expect(await ledger.takeGas(budget, 360_000)).toBeUndefined();
    await ledger.returnGas(budget, 1_000_000_000);
    expect(await ledger.takeGas(budget, 3_600_000)).toBeUndefined();
  });

  test('default: returns recently paid payments with their transactions, without free calls, refusals and older ones', async () => {
    const claim = async (key: string) => {
      await ledger.claim({ ...facts, key });
      await ledger.journal(key, { ...transaction, hash: key });
    };
    await claim('old');
    await ledger.settled('old', 'OLD');
    // Claimed as early, and paid later.
    await claim('late');
    time += 5_000;
    await ledger.settled('late', 'L');
    for (const key of ['settled', 'answered', 'refused', 'sent']) await claim(key);
    await ledger.settled('settled', 'A');
    await ledger.settled('answered', 'B');
    await ledger.answered('answered', answer);
    await ledger.refused('refused', 'why');
    await ledger.claim({ ...facts, key: 'free' });
    await ledger.claimTrial({ ...trial, key: 'free' });
    // A third party's transaction paid.
    await ledger.claim({ ...facts, key: 'unsent' });
    await ledger.settled('unsent', 'C');
    await restart();
    const paid = await ledger.loadPaid(1_000);
    expect(paid.toSorted((one, other) => (one.key < other.key ? -1 : 1))).toEqual([
      {
        key: 'answered',
        network: facts.network,
        paymentResponse: 'B',
        payload: facts.payload,
        transactions: [{ ...transaction, hash: 'answered' }],
      },
      {
        key: 'late',
        network: facts.network,
        paymentResponse: 'L',
        payload: facts.payload,
        transactions: [{ ...transaction, hash: 'late' }],
      },
      {
        key: 'settled',
        network: facts.network,
        paymentResponse: 'A',
        payload: facts.payload,
        transactions: [{ ...transaction, hash: 'settled' }],
      },
      { key: 'unsent', network: facts.network, paymentResponse: 'C', payload: facts.payload, transactions: [] },
    ]);
  });

  test('behavior: one of several claims wins; a different fingerprint never does', async () => {
    expect(await ledger.claim(facts)).toMatchObject({ won: true, row: { state: 'claimed' } });
    expect(await ledger.claim({ ...facts, fingerprint: 'f2' })).toMatchObject({
      won: false,
      row: { fingerprint: 'f1' },
    });
    await ledger.release(facts.key);
    expect(await ledger.claim({ ...facts, fingerprint: 'f2' })).toMatchObject({
      won: false,
      row: { fingerprint: 'f1' },
    });
    expect(await ledger.claim(facts)).toMatchObject({ won: true });
  });

  test('behavior: a dead process’s claim is taken over', async () => {
    await ledger.claim(facts);
    await restart();
    expect(await ledger.claim(facts)).toMatchObject({ won: true, row: { state: 'claimed' } });
  });

  test('behavior: all of a hundred concurrent writes are kept; a failing one affects no other', async () => {
    const keys = Array.from({ length: 100 }, (_, n) => `key ${n}`);
    const outcomes = await Promise.allSettled(
      keys.map((key, n) => (n % 10 === 0 ? ledger.settled(key, 'never claimed') : ledger.claim({ ...facts, key }))),
    );
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(10);
    await restart();
    const rows = await Promise.all(keys.map((key) => ledger.load(key)));
    expect(rows.map((row) => row !== undefined)).toEqual(keys.map((_, n) => n % 10 !== 0));
  });

  test('behavior: a refused payment stays bound to its request; a released claim does not', async () => {
    const other = { ...facts, fingerprint: 'f2' };
    await ledger.claim(facts);
    await ledger.refused(facts.key, 'poor');
    expect(await ledger.load(facts.key)).toMatchObject({ state: 'refused', transactions: [] });
    expect(await ledger.claim(other)).toMatchObject({ won: false, row: { fingerprint: 'f1' } });
    // No transaction was sent, so there is nothing to look up.
    expect(await ledger.takeRefused(10, 0)).toEqual([]);
    expect(await ledger.claim(facts)).toMatchObject({ won: true, isFirst: false, row: { state: 'refused' } });
    await expect(ledger.forget(facts.key)).rejects.toBeInstanceOf(LedgerOrderError);
    await ledger.refused(facts.key, 'poor');
    expect(await ledger.takeRefused(10, 0)).toEqual([]);

    const key = 'forgotten';
    await ledger.claim({ ...facts, key });
    await ledger.forget(key);
    expect(await ledger.load(key)).toBeUndefined();
    expect(await ledger.claim({ ...other, key })).toMatchObject({ won: true, isFirst: true });
  });

  test('behavior: a refusal after something was sent keeps the journal', async () => {
    await ledger.claim(facts);
    await ledger.journal(facts.key, transaction);
    await ledger.refused(facts.key, 'reverted');
    expect(await ledger.load(facts.key)).toMatchObject({ state: 'refused', transactions: [transaction] });
    expect(await ledger.claim(facts)).toMatchObject({ won: true });
    await ledger.settled(facts.key, 'RESPONSE');
    expect(await ledger.load(facts.key)).toMatchObject({ state: 'settled' });
  });

  test('default: each refused payment is scheduled for one lookup at a time until found paid or expired', async () => {
    time = Date.now();
    for (const key of ['paid', 'over', 'open']) {
      await ledger.claim({ ...facts, key });
      await ledger.journal(key, transaction);
      await ledger.refused(key, 'reverted');
    }
    const turn = async (pauseMs = 0) => (await ledger.takeRefused(5, pauseMs)).map(({ key }) => key).toSorted();
    const [first] = await ledger.takeRefused(1, 60_000);
    expect(first).toMatchObject({ state: 'refused', transactions: [transaction] });
    const rest = await turn(60_000);
    expect([first?.key, ...rest].toSorted()).toEqual(['open', 'over', 'paid']);
    expect(await turn()).toEqual([]);
    expect(await ledger.foundPaid('paid', 'RESPONSE')).toBe(true);
    expect(await ledger.load('paid')).toMatchObject({ state: 'settled', paymentResponse: 'RESPONSE' });
    expect(await ledger.foundPaid('paid', 'AGAIN')).toBe(false);
    await ledger.foundOver('over');
    // A new refusal schedules an immediate lookup.
    for (const key of ['over', 'open']) {
      await ledger.claim({ ...facts, key });
      await ledger.refused(key, 'again');
    }
    expect(await turn()).toEqual(['open', 'over']);
    await ledger.foundOver('over');
    await expect.poll(() => turn()).toEqual(['open']);
  });

  test('behavior: lookups become rarer with age, by the database’s clock', async () => {
    const store = opened[0]?.database;
    const pause = async () => {
      const row = await store?.read.selectFrom('payments').select('look_at').executeTakeFirst();
      return (row?.look_at ?? 0) - Date.now();
    };
    // This replica's clock is ten hours behind.
    time = Date.now() - 36_000_000;
    await ledger.claim(facts);
    await ledger.journal(facts.key, transaction);
    await ledger.refused(facts.key, 'reverted');
    time = Date.now();
    expect(await ledger.takeRefused(5, 1_000)).toHaveLength(1);
    expect(await pause()).toBeLessThan(30_000);

    await store?.write(async (sql) => {
      await sql
        .updateTable('settlement_transactions')
        .set({ created_at: time - 100_000 })
        .execute();
      await sql.updateTable('payments').set({ look_at: 0 }).execute();
    });
    expect(await ledger.takeRefused(5, 1_000)).toHaveLength(1);
    expect(await pause()).toBeGreaterThan(90_000);
    expect(await pause()).toBeLessThan(130_000);
  });

  test('behavior: a payment with a retry in progress is not looked up', async () => {
    await ledger.claim(facts);
    await ledger.journal(facts.key, transaction);
    await ledger.refused(facts.key, 'reverted');
    await ledger.claim(facts);
    expect(await ledger.foundPaid(facts.key, 'RESPONSE')).toBe(false);
    await ledger.journal(facts.key, transaction);
    expect(await ledger.takeRefused(5, 0)).toEqual([]);
  });

  test('error: LedgerOrderError for every step backwards', async () => {
    await expect(ledger.settled(facts.key, 'R')).rejects.toThrow(LedgerOrderError);
    await ledger.claim(facts);
    await expect(ledger.answered(facts.key, answer)).rejects.toThrow(LedgerOrderError);
    await expect(ledger.failed(facts.key, 'x')).rejects.toThrow(LedgerOrderError);
    await ledger.journal(facts.key, transaction);
    await ledger.settled(facts.key, 'R');
    for (const back of [
      () => ledger.journal(facts.key, transaction),
      () => ledger.refused(facts.key, 'x'),
      () => ledger.settled(facts.key, 'other'),
    ]) {
      await expect(back()).rejects.toThrow(LedgerOrderError);
    }
    await ledger.answered(facts.key, answer);
    await expect(ledger.failed(facts.key, 'x')).rejects.toThrow(LedgerOrderError);
    expect(await ledger.load(facts.key)).toMatchObject({
      state: 'answered',
      transactions: [transaction],
      paymentResponse: 'R',
    });
  });

  test('behavior: the first answer stays', async () => {
    await ledger.claim(facts);
    await ledger.settled(facts.key, 'R');
    expect(await ledger.answered(facts.key, answer)).toEqual(answer);
    // A later different answer gets the stored one back.
    expect(await ledger.answered(facts.key, { ...answer, body: 'another' })).toEqual({
      ...answer,
      paymentResponse: 'R',
    });
    expect(await ledger.load(facts.key)).toMatchObject({ answer });
    expect(await ledger.claim(facts)).toMatchObject({ won: false, row: { answer } });
  });

  test('behavior: the first answer’s PAYMENT-RESPONSE replaces the settlement’s, and stays', async () => {
    await ledger.claim(facts);
    await ledger.settled(facts.key, 'R');
    const receipted = { ...answer, paymentResponse: 'R with a receipt' };
    expect(await ledger.answered(facts.key, receipted)).toEqual(receipted);
    const late = { ...answer, body: 'another', paymentResponse: 'R with another receipt' };
    expect(await ledger.answered(facts.key, late)).toEqual(receipted);
    expect(await ledger.load(facts.key)).toMatchObject({ answer, paymentResponse: 'R with a receipt' });
  });

  test('behavior: a failed answer releases the claim and keeps the credit', async () => {
    await ledger.claim(facts);
    await ledger.settled(facts.key, 'R');
    await ledger.failed(facts.key, 'engine');
    expect(await ledger.claim(facts)).toMatchObject({ won: true, row: { state: 'settled', paymentResponse: 'R' } });
  });

  test('behavior: unfinished payments of a dead process are taken over, finished ones are not', async () => {
    for (const key of ['claimed', 'sent', 'settled', 'refused']) await ledger.claim({ ...facts, key });
    for (const key of ['sent', 'settled', 'refused']) await ledger.journal(key, transaction);
    await ledger.settled('settled', 'R');
    await ledger.refused('refused', 'x');
    await restart();

    const rows = await ledger.takeOverUnfinished();
    expect(rows.map(({ key, state }) => [key, state])).toEqual([
      ['claimed', 'claimed'],
      ['sent', 'sent'],
    ]);
    expect(await ledger.claim({ ...facts, key: 'settled' })).toMatchObject({ won: true });
  });

  test('default: an identifier belongs to one payment; a failed or deleted payment releases it', async () => {
    const name = (key: string, wallet = '0xfrom') => ({ key, wallet, identifier: 'order-0000000001' });
    for (const key of ['a', 'b', 'c']) await ledger.claim({ ...facts, key });
    expect(await ledger.claimIdentifier(name('a'))).toBe(true);
    expect(await ledger.claimIdentifier(name('a'))).toBe(true);
    expect(await ledger.claimIdentifier(name('b'))).toBe(false);
    expect(await ledger.claimIdentifier(name('b', '0xother'))).toBe(true);
    await ledger.refused('a', 'never sent');
    expect(await ledger.claimIdentifier(name('b'))).toBe(true);
    await ledger.journal('b', transaction);
    expect(await ledger.claimIdentifier(name('c'))).toBe(false);
    await ledger.refused('b', 'it failed on chain');
    expect(await ledger.claimIdentifier(name('c'))).toBe(true);
    // The failed payment may be retried, but not while another one has its identifier.
    expect(await ledger.claimIdentifier(name('b'))).toBe(false);
    await ledger.journal('c', transaction);
    await ledger.settled('c', 'RESPONSE');
    await ledger.answered('c', answer);
    await restart();
    expect(await ledger.claimIdentifier(name('b'))).toBe(false);
  });

  test('behavior: a failed payment keeps its identifier during a retry', async () => {
    const name = (key: string) => ({ key, wallet: '0xfrom', identifier: 'order-0000000001' });
    for (const key of ['a', 'b']) await ledger.claim({ ...facts, key });
    expect(await ledger.claimIdentifier(name('a'))).toBe(true);
    await ledger.journal('a', transaction);
    await ledger.refused('a', 'it failed on chain');
    expect(await ledger.claim({ ...facts, key: 'a' })).toMatchObject({ won: true, row: { state: 'refused' } });
    expect(await ledger.claimIdentifier(name('a'))).toBe(true);
    // Otherwise both would be sent: one identifier, two charges.
    expect(await ledger.claimIdentifier(name('b'))).toBe(false);
    await ledger.refused('a', 'it failed on chain');
    expect(await ledger.claimIdentifier(name('b'))).toBe(true);
  });

  test('behavior: one of several concurrent claims of an identifier wins', async () => {
    const keys = Array.from({ length: 8 }, (_, n) => `named-${n}`);
    for (const key of keys) await ledger.claim({ ...facts, key });
    const won = await Promise.all(
      keys.map((key) => ledger.claimIdentifier({ key, wallet: '0xfrom', identifier: 'order-0000000001' })),
    );
    expect(won.filter(Boolean)).toHaveLength(1);
  });

  test('default: a free call is used once per wallet and group, and stays used when answered', async () => {
    await ledger.claim(facts);
    expect(await ledger.hasTrial('pretrade', '0xfrom')).toBe(false);
    expect(await ledger.claimTrial(trial)).toBe(true);
    expect(await ledger.load(facts.key)).toMatchObject({
      state: 'settled',
      paymentResponse: 'FREE',
      trialGroup: 'pretrade',
    });

    const second = { ...facts, key: 'second' };
    await ledger.claim(second);
    expect(await ledger.claimTrial({ ...trial, key: 'second' })).toBe(false);
    expect(await ledger.load('second')).toMatchObject({ state: 'claimed', trialGroup: undefined });
    expect(await ledger.claimTrial({ ...trial, key: 'second', group: 'quote' })).toBe(true);

    await ledger.answered(facts.key, answer);
    await restart();
    await ledger.takeOverUnfinished();
    expect(await ledger.load(facts.key)).toMatchObject({ state: 'answered', answer });
    expect(await ledger.hasTrial('pretrade', '0xfrom')).toBe(true);
    // The process died before answering the other group's free call.
    expect(await ledger.hasTrial('quote', '0xfrom')).toBe(false);
    expect(await ledger.load('second')).toMatchObject({ state: 'refused', trialGroup: undefined });
  });

  test('behavior: a failed free call is returned for the same request; a paid one keeps its credit', async () => {
    await ledger.claim(facts);
    await ledger.claimTrial(trial);
    await ledger.failed(facts.key, 'engine');
    expect(await ledger.load(facts.key)).toMatchObject({ state: 'refused', paymentResponse: undefined });
    expect(await ledger.hasTrial('pretrade', '0xfrom')).toBe(false);
    expect(await ledger.claim({ ...facts, fingerprint: 'f2' })).toMatchObject({ won: false });

    await ledger.claim(facts);
    expect(await ledger.claimTrial(trial)).toBe(true);
    await ledger.failed(facts.key, 'engine');
    await ledger.claim(facts);
    await ledger.settled(facts.key, 'RESPONSE');
    await ledger.failed(facts.key, 'engine');
    expect(await ledger.load(facts.key)).toMatchObject({ state: 'settled' });
  });

  test('error: LedgerOrderError: a payment sent to the chain can neither be nor use a free call', async () => {
    await ledger.claim(facts);
    await ledger.journal(facts.key, transaction);
    await expect(ledger.claimTrial(trial)).rejects.toBeInstanceOf(LedgerOrderError);
    await ledger.refused(facts.key, 'reverted');
    await ledger.claim(facts);
    await expect(ledger.claimTrial(trial)).rejects.toBeInstanceOf(LedgerOrderError);
    expect(await ledger.hasTrial('pretrade', '0xfrom')).toBe(false);
  });

  test('error: a step after the final state is rejected and changes nothing', async () => {
    await opened.pop()?.close();
    await expect(ledger.claim(facts)).rejects.toThrow();
    await expect(ledger.load(facts.key)).rejects.toThrow();
  });
});
