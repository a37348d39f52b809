import { describe, expect, test } from 'vitest';
import { LedgerOrderError } from '../../server/payments/index.ts';
import { databaseKinds } from './bothDatabases.ts';
import { answer, facts, transaction, trial, useLedger } from './useLedger.ts';

// Contract of the payment ledger, tested with both databases.

describe.each(databaseKinds)('%s: claims', (kind) => {
  const store = useLedger(kind);

  test('behavior: one of several claims wins; a claim with another fingerprint never does', async () => {
    expect(await store.ledger.claim(facts)).toMatchObject({ won: true, row: { state: 'claimed' } });
    expect(await store.ledger.claim({ ...facts, fingerprint: 'f2' })).toMatchObject({
      won: false,
      row: { fingerprint: 'f1' },
    });
    await store.ledger.release(facts.key);
    expect(await store.ledger.claim({ ...facts, fingerprint: 'f2' })).toMatchObject({
      won: false,
      row: { fingerprint: 'f1' },
    });
    expect(await store.ledger.claim(facts)).toMatchObject({ won: true });
  });

  test('behavior: a payment whose owner died can be claimed again', async () => {
    await store.ledger.claim(facts);
    await store.restart();
    expect(await store.ledger.claim(facts)).toMatchObject({ won: true, row: { state: 'claimed' } });
  });

  test('behavior: stores a hundred concurrent writes; a failing one does not affect the others', async () => {
    const keys = Array.from({ length: 100 }, (_, n) => `key ${n}`);
    const outcomes = await Promise.allSettled(
      keys.map((key, n) =>
        n % 10 === 0 ? store.ledger.settled(key, 'never claimed') : store.ledger.claim({ ...facts, key }),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(10);
    await store.restart();
    const rows = await Promise.all(keys.map((key) => store.ledger.load(key)));
    expect(rows.map((row) => row !== undefined)).toEqual(keys.map((_, n) => n % 10 !== 0));
  });

  test('behavior: takes over the unfinished payments of a dead process, and not its finished ones', async () => {
    for (const key of ['claimed', 'sent', 'settled', 'refused']) await store.ledger.claim({ ...facts, key });
    for (const key of ['sent', 'settled', 'refused']) await store.ledger.journal(key, transaction);
    await store.ledger.settled('settled', 'R');
    await store.ledger.refused('refused', 'x');
    await store.restart();

    const rows = await store.ledger.takeOverUnfinished();
    expect(rows.map(({ key, state }) => [key, state])).toEqual([
      ['claimed', 'claimed'],
      ['sent', 'sent'],
    ]);
    expect(await store.ledger.claim({ ...facts, key: 'settled' })).toMatchObject({ won: true });
  });

  test('error: a closed ledger rejects claims and reads', async () => {
    await store.opened.pop()?.close();
    await expect(store.ledger.claim(facts)).rejects.toThrow();
    await expect(store.ledger.load(facts.key)).rejects.toThrow();
  });
});

describe.each(databaseKinds)('%s: journal', (kind) => {
  const store = useLedger(kind);

  test('behavior: journals one transaction for all of its payments or for none', async () => {
    const keys = await store.claimAll(3);
    const account = { name: 'eip155:8453|0xkey', from: 7 };
    const sign = (nonce: number) => ({ ...transaction, account: account.name, nonce });
    const signed = await store.ledger.journalNext(keys, account, sign);
    expect(signed.nonce).toBe(7);
    for (const key of keys) {
      expect(await store.ledger.load(key)).toMatchObject({ state: 'sent', transactions: [signed] });
    }
    expect(await store.ledger.loadOpenTransactions(account.name, { from: 0, below: 100 })).toEqual([signed]);

    const next = await store.ledger.journalNext(keys.slice(0, 1), account, (nonce) => ({
      ...sign(nonce),
      hash: '0xnext',
    }));
    expect(next.nonce).toBe(8);
    await store.ledger.claim({ ...facts, key: 'claimed' });
    await expect(store.ledger.journalNext(['claimed', 'unknown'], account, sign)).rejects.toThrow(LedgerOrderError);
    expect(await store.ledger.load('claimed')).toMatchObject({ state: 'claimed', transactions: [] });
  });

  test('behavior: concurrent transactions of one account get different nonces', async () => {
    const keys = await store.claimAll(20);
    const account = { name: 'eip155:8453|0xkey', from: 3 };
    const all = await Promise.all(
      keys.map((key) =>
        store.ledger.journalNext([key], account, (nonce) => ({
          ...transaction,
          hash: key,
          account: account.name,
          nonce,
        })),
      ),
    );
    expect(all.map(({ nonce }) => nonce).toSorted((left, right) => left - right)).toEqual(keys.map((_, n) => 3 + n));
  });
});

describe.each(databaseKinds)('%s: nonces of finished payments', (kind) => {
  const store = useLedger(kind);
  const account = { name: 'eip155:8453|0xkey', from: 7 };
  const journal = async (key: string, from = account.from) => {
    const sign = (nonce: number) => ({ ...transaction, hash: key, account: account.name, nonce });
    return (await store.ledger.journalNext([key], { ...account, from }, sign)).nonce;
  };
  const age = (ms: number) =>
    store.opened[0]?.database.write((sql) =>
      sql
        .updateTable('settlement_transactions')
        .set({ created_at: Date.now() - ms })
        .execute(),
    );

  test('behavior: a node that lags behind does not cause a nonce to be assigned twice', async () => {
    const [settled = '', refused = '', next = '', last = ''] = await store.claimAll(4);
    expect(await journal(settled)).toBe(7);
    await store.ledger.settled(settled, 'RESPONSE');
    // The lagging node still returns the transaction count from before the settlement.
    expect(await journal(refused)).toBe(8);
    await store.ledger.refused(refused, 'reverted');
    await age(50_000);
    expect(await journal(next)).toBe(9);
    expect(await journal(last, 20)).toBe(20);
  });

  test('behavior: the nonce of a payment that ended a minute ago without inclusion is assigned again', async () => {
    const [dropped = '', open = '', next = '', last = ''] = await store.claimAll(4);
    expect(await journal(dropped)).toBe(7);
    expect(await journal(open)).toBe(8);
    await store.ledger.refused(dropped, 'expired');
    await age(62_000);
    expect(await journal(next)).toBe(7);
    // The nonce of an open transaction stays reserved.
    expect(await journal(last)).toBe(9);
  });

  test('behavior: other accounts do not share nonces', async () => {
    const [one = '', other = ''] = await store.claimAll(2);
    expect(await journal(one)).toBe(7);
    const signed = await store.ledger.journalNext([other], { name: 'eip155:137|0xkey', from: 7 }, (nonce) => ({
      ...transaction,
      account: 'eip155:137|0xkey',
      nonce,
    }));
    expect(signed.nonce).toBe(7);
  });
});

describe.each(databaseKinds)('%s: paid payments', (kind) => {
  const store = useLedger(kind);

  test('default: returns recently paid payments with their transactions, without free calls, refusals and older ones', async () => {
    const claim = async (key: string) => {
      await store.ledger.claim({ ...facts, key });
      await store.ledger.journal(key, { ...transaction, hash: key });
    };
    await claim('old');
    await store.ledger.settled('old', 'OLD');
    // Claimed together with `old`, but paid later.
    await claim('late');
    store.time += 5_000;
    await store.ledger.settled('late', 'L');
    for (const key of ['settled', 'answered', 'refused', 'sent']) await claim(key);
    await store.ledger.settled('settled', 'A');
    await store.ledger.settled('answered', 'B');
    await store.ledger.answered('answered', answer);
    await store.ledger.refused('refused', 'why');
    await store.ledger.claim({ ...facts, key: 'free' });
    await store.ledger.claimTrial({ ...trial, key: 'free' });
    // A transaction of a third party settled the payment.
    await store.ledger.claim({ ...facts, key: 'unsent' });
    await store.ledger.settled('unsent', 'C');
    await store.restart();
    const paid = await store.ledger.loadPaid(1_000);
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
});

describe.each(databaseKinds)('%s: steps and answers', (kind) => {
  const store = useLedger(kind);

  test('default: a payment proceeds from claim to answer, and its data is complete after reopening', async () => {
    await store.ledger.claim(facts);
    await store.ledger.journal(facts.key, transaction);
    await store.ledger.settled(facts.key, 'RESPONSE');
    await store.ledger.answered(facts.key, answer);
    await store.restart();
    expect(await store.ledger.load(facts.key)).toEqual({
      ...facts,
      state: 'answered',
      transactions: [transaction],
      mayStillPay: false,
      paymentResponse: 'RESPONSE',
      answer,
      answeredAt: expect.any(Number),
      trialGroup: undefined,
    });
  });

  test('error: LedgerOrderError for a step that the payment state does not allow', async () => {
    await expect(store.ledger.settled(facts.key, 'R')).rejects.toThrow(LedgerOrderError);
    await store.ledger.claim(facts);
    await expect(store.ledger.answered(facts.key, answer)).rejects.toThrow(LedgerOrderError);
    await expect(store.ledger.failed(facts.key, 'x')).rejects.toThrow(LedgerOrderError);
    await store.ledger.journal(facts.key, transaction);
    await store.ledger.settled(facts.key, 'R');
    for (const step of [
      () => store.ledger.journal(facts.key, transaction),
      () => store.ledger.refused(facts.key, 'x'),
      () => store.ledger.settled(facts.key, 'other'),
    ]) {
      await expect(step()).rejects.toThrow(LedgerOrderError);
    }
    await store.ledger.answered(facts.key, answer);
    await expect(store.ledger.failed(facts.key, 'x')).rejects.toThrow(LedgerOrderError);
    expect(await store.ledger.load(facts.key)).toMatchObject({
      state: 'answered',
      transactions: [transaction],
      paymentResponse: 'R',
    });
  });

  test('behavior: a later answer does not replace the first one', async () => {
    await store.ledger.claim(facts);
    await store.ledger.settled(facts.key, 'R');
    expect(await store.ledger.answered(facts.key, answer)).toEqual(answer);
    // Storing a different answer returns the stored one.
    expect(await store.ledger.answered(facts.key, { ...answer, body: 'another' })).toEqual({
      ...answer,
      paymentResponse: 'R',
    });
    expect(await store.ledger.load(facts.key)).toMatchObject({ answer });
    expect(await store.ledger.claim(facts)).toMatchObject({ won: false, row: { answer } });
  });

  test('behavior: the PAYMENT-RESPONSE of the first answer replaces that of the settlement; later ones do not', async () => {
    await store.ledger.claim(facts);
    await store.ledger.settled(facts.key, 'R');
    const receipted = { ...answer, paymentResponse: 'R with a receipt' };
    expect(await store.ledger.answered(facts.key, receipted)).toEqual(receipted);
    const late = { ...answer, body: 'another', paymentResponse: 'R with another receipt' };
    expect(await store.ledger.answered(facts.key, late)).toEqual(receipted);
    expect(await store.ledger.load(facts.key)).toMatchObject({ answer, paymentResponse: 'R with a receipt' });
  });

  test('behavior: a failed answer releases the claim and keeps the credit', async () => {
    await store.ledger.claim(facts);
    await store.ledger.settled(facts.key, 'R');
    await store.ledger.failed(facts.key, 'engine');
    expect(await store.ledger.claim(facts)).toMatchObject({
      won: true,
      row: { state: 'settled', paymentResponse: 'R' },
    });
  });
});
