import { describe, expect, test } from 'vitest';
import { LedgerOrderError } from '../../server/payments/index.ts';
import { databaseKinds } from './bothDatabases.ts';
import { answer, facts, transaction, trial, useLedger } from './useLedger.ts';

// Payment identifiers and free calls, tested with both databases.

describe.each(databaseKinds)('%s: paying wallets', (kind) => {
  const store = useLedger(kind);

  test('default: a wallet has paid after its first settlement, in any letter case, and not after a free call', async () => {
    const { ledger } = store;
    const wallet = facts.payer.toLowerCase();
    expect(await ledger.hasPaid(wallet)).toBe(false);
    await ledger.claim({ ...facts, key: 'free' });
    await ledger.claimTrial({ ...trial, key: 'free' });
    await ledger.answered('free', answer);
    await ledger.claim({ ...facts, key: 'open' });
    expect(await ledger.hasPaid(wallet)).toBe(false);
    await ledger.claim({ ...facts, key: 'paid', payer: facts.payer.toUpperCase().replace('0X', '0x') });
    await ledger.journal('paid', transaction);
    await ledger.settled('paid', 'RESPONSE');
    expect(await ledger.hasPaid(wallet)).toBe(true);
    expect(await ledger.hasPaid('0xother')).toBe(false);
    await ledger.lost('paid');
    expect(await ledger.hasPaid(wallet)).toBe(false);
  });

  test('security: a Solana wallet is compared in its letter case', async () => {
    const { ledger } = store;
    await ledger.claim({ ...facts, key: 'solana', payer: 'AbC' });
    await ledger.settled('solana', 'RESPONSE');
    expect([await ledger.hasPaid('AbC'), await ledger.hasPaid('abc')]).toEqual([true, false]);
  });
});

describe.each(databaseKinds)('%s: payment identifiers', (kind) => {
  const store = useLedger(kind);

  const claimBy = (key: string, wallet = '0xfrom') => ({ key, wallet, identifier: 'order-0000000001' });

  test('default: an identifier belongs to one payment; a payment that was never sent or is deleted releases it', async () => {
    for (const key of ['a', 'b', 'c']) await store.ledger.claim({ ...facts, key });
    expect(await store.ledger.claimIdentifier(claimBy('a'))).toBe(true);
    expect(await store.ledger.claimIdentifier(claimBy('a'))).toBe(true);
    expect(await store.ledger.claimIdentifier(claimBy('b'))).toBe(false);
    expect(await store.ledger.claimIdentifier(claimBy('b', '0xother'))).toBe(true);
    await store.ledger.refused('a', 'never sent');
    expect(await store.ledger.claimIdentifier(claimBy('b'))).toBe(true);
    // The refused payment may be retried, but not while another one has its identifier.
    expect(await store.ledger.claimIdentifier(claimBy('a'))).toBe(false);
    await store.ledger.forget('b');
    expect(await store.ledger.claimIdentifier(claimBy('c'))).toBe(true);
    await store.ledger.journal('c', transaction);
    await store.ledger.settled('c', 'RESPONSE');
    await store.ledger.answered('c', answer);
    await store.restart();
    expect(await store.ledger.claimIdentifier(claimBy('a'))).toBe(false);
  });

  test('behavior: a refused payment that was sent keeps its identifier, also at another replica, until it can no longer pay', async () => {
    for (const key of ['a', 'b']) await store.ledger.claim({ ...facts, key });
    const { ledger } = store;
    // SQLite serves one process.
    const other = kind === 'postgres' ? (await store.open()).ledger : ledger;
    await other.claim({ ...facts, key: 'c' });
    expect(await ledger.claimIdentifier(claimBy('a'))).toBe(true);
    await ledger.journal('a', transaction);
    expect(await other.claimIdentifier(claimBy('c'))).toBe(false);
    await ledger.refused('a', 'it failed on chain');
    // A reorganisation may still include the transaction: otherwise one identifier would pay twice.
    expect(await ledger.load('a')).toMatchObject({ state: 'refused', mayStillPay: true });
    expect(await ledger.claimIdentifier(claimBy('b'))).toBe(false);
    expect(await other.claimIdentifier(claimBy('c'))).toBe(false);
    await ledger.foundExpired('a');
    expect(await ledger.load('a')).toMatchObject({ state: 'refused', mayStillPay: false });
    expect(await other.claimIdentifier(claimBy('c'))).toBe(true);
    expect(await ledger.claimIdentifier(claimBy('b'))).toBe(false);
  });

  test('behavior: a refused payment keeps its identifier during a retry', async () => {
    for (const key of ['a', 'b']) await store.ledger.claim({ ...facts, key });
    expect(await store.ledger.claimIdentifier(claimBy('a'))).toBe(true);
    await store.ledger.refused('a', 'never sent');
    expect(await store.ledger.claim({ ...facts, key: 'a' })).toMatchObject({ won: true, row: { state: 'refused' } });
    expect(await store.ledger.claimIdentifier(claimBy('a'))).toBe(true);
    // Otherwise both would be sent: one identifier, two charges.
    expect(await store.ledger.claimIdentifier(claimBy('b'))).toBe(false);
    await store.ledger.refused('a', 'never sent');
    expect(await store.ledger.claimIdentifier(claimBy('b'))).toBe(true);
  });

  test('behavior: one of several concurrent claims of an identifier wins', async () => {
    const keys = Array.from({ length: 8 }, (_, n) => `named-${n}`);
    for (const key of keys) await store.ledger.claim({ ...facts, key });
    const won = await Promise.all(
      keys.map((key) => store.ledger.claimIdentifier({ key, wallet: '0xfrom', identifier: 'order-0000000001' })),
    );
    expect(won.filter(Boolean)).toHaveLength(1);
  });
});

describe.each(databaseKinds)('%s: free calls', (kind) => {
  const store = useLedger(kind);

  test('default: a free call is used once per wallet and group, and stays used when answered', async () => {
    await store.ledger.claim(facts);
    expect(await store.ledger.hasTrial('pretrade', '0xfrom')).toBe(false);
    expect(await store.ledger.claimTrial(trial)).toBe(true);
    expect(await store.ledger.load(facts.key)).toMatchObject({
      state: 'settled',
      paymentResponse: 'FREE',
      trialGroup: 'pretrade',
    });

    const second = { ...facts, key: 'second' };
    await store.ledger.claim(second);
    expect(await store.ledger.claimTrial({ ...trial, key: 'second' })).toBe(false);
    expect(await store.ledger.load('second')).toMatchObject({ state: 'claimed', trialGroup: undefined });
    expect(await store.ledger.claimTrial({ ...trial, key: 'second', group: 'quote' })).toBe(true);

    await store.ledger.answered(facts.key, answer);
    await store.restart();
    await store.ledger.takeOverUnfinished();
    expect(await store.ledger.load(facts.key)).toMatchObject({ state: 'answered', answer });
    expect(await store.ledger.hasTrial('pretrade', '0xfrom')).toBe(true);
    // The process died before answering the other group's free call.
    expect(await store.ledger.hasTrial('quote', '0xfrom')).toBe(false);
    expect(await store.ledger.load('second')).toMatchObject({ state: 'refused', trialGroup: undefined });
  });

  test('behavior: a failed free call can be used again by the same request; a failed paid call keeps its credit', async () => {
    await store.ledger.claim(facts);
    await store.ledger.claimTrial(trial);
    await store.ledger.failed(facts.key, 'engine');
    expect(await store.ledger.load(facts.key)).toMatchObject({ state: 'refused', paymentResponse: undefined });
    expect(await store.ledger.hasTrial('pretrade', '0xfrom')).toBe(false);
    expect(await store.ledger.claim({ ...facts, fingerprint: 'f2' })).toMatchObject({ won: false });

    await store.ledger.claim(facts);
    expect(await store.ledger.claimTrial(trial)).toBe(true);
    await store.ledger.failed(facts.key, 'engine');
    await store.ledger.claim(facts);
    await store.ledger.settled(facts.key, 'RESPONSE');
    await store.ledger.failed(facts.key, 'engine');
    expect(await store.ledger.load(facts.key)).toMatchObject({ state: 'settled' });
  });

  test('error: LedgerOrderError when a payment that was sent claims a free call', async () => {
    await store.ledger.claim(facts);
    await store.ledger.journal(facts.key, transaction);
    await expect(store.ledger.claimTrial(trial)).rejects.toBeInstanceOf(LedgerOrderError);
    await store.ledger.refused(facts.key, 'reverted');
    await store.ledger.claim(facts);
    await expect(store.ledger.claimTrial(trial)).rejects.toBeInstanceOf(LedgerOrderError);
    expect(await store.ledger.hasTrial('pretrade', '0xfrom')).toBe(false);
  });
});
