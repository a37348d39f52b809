import { expect, test } from 'vitest';
import { LedgerOrderError } from '../../server/payments/index.ts';
import { createClaims } from '../../server/storage/payments/claims.ts';
import { answer, paymentOf, transaction } from './testPayments.ts';
import { useReplicas } from './useReplicas.ts';

// Only the lease owner of a payment may settle it, and each step verifies that.

const store = useReplicas();
const trialOf = (key: string) => ({ key, group: 'pretrade', wallet: key, paymentResponse: 'FREE' });

test('a payment that another replica owns cannot be claimed, journaled, refused, deleted or released', async () => {
  const { ledger, other } = store;
  await other.claim(paymentOf('theirs'));
  expect(await ledger.claim(paymentOf('theirs'))).toMatchObject({ won: false, isFirst: false });
  await expect(ledger.journal('theirs', transaction)).rejects.toThrow(LedgerOrderError);
  await expect(ledger.refused('theirs', 'no')).rejects.toThrow('Payment theirs cannot become refused');
  await expect(ledger.forget('theirs')).rejects.toThrow('Payment theirs cannot be deleted.');
  await expect(ledger.claimTrial(trialOf('theirs'))).rejects.toThrow(LedgerOrderError);
  await ledger.release('theirs');
  expect(await store.row('theirs')).toMatchObject({ state: 'claimed', holder: 'other', updated_at: 1_000 });
  expect(await ledger.hasTrial('pretrade', 'theirs')).toBe(false);
});

test('a group of payments is journaled only if this replica owns each', async () => {
  await store.ledger.claim(paymentOf('own'));
  await store.other.claim(paymentOf('theirs'));
  await expect(store.ledger.journalAll(['own', 'theirs'], transaction)).rejects.toThrow(
    'A payment of own, theirs cannot become sent',
  );
  expect(await store.row('own')).toMatchObject({ state: 'claimed' });
});

test('a payment is held elsewhere while another running replica owns it', async () => {
  const { ledger, other } = store;
  expect(await ledger.isHeldElsewhere('unknown')).toBe(false);
  await other.claim(paymentOf('theirs'));
  expect(await ledger.isHeldElsewhere('theirs')).toBe(true);
  expect(await other.isHeldElsewhere('theirs')).toBe(false);
  await other.release('theirs');
  expect(await ledger.isHeldElsewhere('theirs')).toBe(false);
  await other.claim(paymentOf('theirs'));
  await store.stopOther();
  expect(await ledger.isHeldElsewhere('theirs')).toBe(false);
});

test('a claim is renewed by its owner, released by it, and taken over when its owner stops', async () => {
  const { ledger, other } = store;
  await other.claim(paymentOf('key'));
  store.time += 5;
  expect(await other.claim(paymentOf('key'))).toMatchObject({ won: true, isFirst: false, row: { state: 'claimed' } });
  expect(await store.row('key')).toMatchObject({ holder: 'other', created_at: 1_000, updated_at: 1_005 });
  store.time += 5;
  await other.release('key');
  expect(await store.row('key')).toMatchObject({ holder: null, updated_at: 1_010 });
  store.time += 5;
  expect(await ledger.claim(paymentOf('key'))).toMatchObject({ won: true, isFirst: false });
  expect(await store.row('key')).toMatchObject({ holder: 'own', updated_at: 1_015 });

  await other.claim(paymentOf('next'));
  await store.stopOther();
  expect(await ledger.claim({ ...paymentOf('next'), fingerprint: 'different' })).toMatchObject({ won: false });
  expect(await ledger.claim(paymentOf('next'))).toMatchObject({ won: true });
});

test('an answered payment cannot be claimed', async () => {
  const { ledger } = store;
  await ledger.claim(paymentOf('done'));
  await ledger.settled('done', 'RESPONSE');
  await ledger.answered('done', answer);
  expect(await ledger.claim(paymentOf('done'))).toMatchObject({ won: false, row: { state: 'answered', answer } });
  expect(await store.row('done')).toMatchObject({ holder: null });
});

test('takes over the unfinished payments of stopped replicas and its own, oldest first', async () => {
  const { ledger, other } = store;
  for (const [key, time] of [
    ['b', 2],
    ['a', 2],
    ['c', 1],
    ['done', 1],
    ['refused', 1],
  ] as const) {
    store.time = time;
    await other.claim(paymentOf(key));
  }
  await other.journal('a', transaction);
  await other.settled('done', 'RESPONSE');
  await other.refused('refused', 'no');
  await ledger.claim(paymentOf('own'));
  store.time = 9;
  expect((await ledger.takeOverUnfinished()).map(({ key }) => key)).toEqual(['own']);
  expect(await store.row('own')).toMatchObject({ holder: 'own', updated_at: 9 });
  await store.stopOther();
  const rows = await ledger.takeOverUnfinished();
  // `own` was created when the clock returned 1.
  expect(rows.map(({ key, state, transactions }) => [key, state, transactions.length])).toEqual([
    ['c', 'claimed', 0],
    ['own', 'claimed', 0],
    ['a', 'sent', 1],
    ['b', 'claimed', 0],
  ]);
  for (const key of ['a', 'b', 'c']) expect(await store.row(key)).toMatchObject({ holder: 'own' });
  for (const key of ['done', 'refused']) expect((await store.row(key))?.holder).not.toBe('own');
});

test('returns the free calls of stopped replicas only', async () => {
  const { ledger, other } = store;
  for (const [key, replica] of [
    ['theirs', other],
    ['own', ledger],
  ] as const) {
    await replica.claim(paymentOf(key));
    await replica.claimTrial(trialOf(key));
    await replica.claimIdentifier({ key, wallet: key, identifier: 'order-0000000001' });
  }
  await ledger.takeOverUnfinished();
  expect([await ledger.hasTrial('pretrade', 'theirs'), await ledger.hasTrial('pretrade', 'own')]).toEqual([true, true]);
  await store.stopOther();
  await ledger.takeOverUnfinished();
  expect([await ledger.hasTrial('pretrade', 'theirs'), await ledger.hasTrial('pretrade', 'own')]).toEqual([
    false,
    true,
  ]);
  expect(await store.row('theirs')).toMatchObject({ state: 'refused', holder: null, trial_group: null });
  // The identifier can be used by another payment.
  const identifiers = await store.database.read.selectFrom('payment_identifiers').select('payment_key').execute();
  expect(identifiers).toEqual([{ payment_key: 'own' }]);
});

test('a failed free call returns to its wallet only by its owner', async () => {
  const { ledger, other } = store;
  await other.claim(paymentOf('free'));
  await other.claimTrial(trialOf('free'));
  // A replica that lost its lease and resumes.
  await ledger.failed('free', 'engine');
  expect(await ledger.hasTrial('pretrade', 'free')).toBe(true);
  expect(await store.row('free')).toMatchObject({ state: 'settled', failures: 1, reason: 'engine', holder: null });
});

test('lists the settled, unanswered payments that this replica owns', async () => {
  const { ledger, other } = store;
  for (const key of ['credit', 'answered', 'sent']) await ledger.claim(paymentOf(key));
  await other.claim(paymentOf('theirs'));
  for (const key of ['credit', 'answered', 'theirs']) await ledger.settled(key, 'RESPONSE');
  await ledger.answered('answered', answer);
  expect(await ledger.loadHeldCredits()).toEqual(['credit']);
  await ledger.release('credit');
  expect(await ledger.loadHeldCredits()).toEqual([]);
});

test('deleting a payment releases its identifier', async () => {
  const { ledger } = store;
  const claimBy = (key: string) => ({ key, wallet: '0xfrom', identifier: 'order-0000000001' });
  for (const key of ['a', 'b']) await ledger.claim(paymentOf(key));
  await ledger.claimIdentifier(claimBy('a'));
  await ledger.forget('a');
  expect(await store.row('a')).toBeUndefined();
  expect(await store.database.read.selectFrom('payment_identifiers').selectAll().execute()).toEqual([]);
  expect(await ledger.claimIdentifier(claimBy('b'))).toBe(true);
});

test('any replica records that a payment paid, and the wallet may have a running retry elsewhere', async () => {
  const { ledger, other } = store;
  await other.claim(paymentOf('key'));
  await other.journal('key', transaction);
  await other.refused('key', 'reverted');
  await other.claim(paymentOf('key'));
  expect(await ledger.foundPaid('key', 'RESPONSE')).toBe(false);
  await other.release('key');
  expect(await ledger.foundPaid('key', 'RESPONSE')).toBe(true);
  expect(await store.row('key')).toMatchObject({
    state: 'settled',
    holder: null,
    look_at: null,
    reserved: null,
    payment_response: 'RESPONSE',
  });
});

test('error: LedgerOrderError when a row is deleted between each attempt to insert and to take it over', async () => {
  let attempts = 0;
  const database = {
    ...store.database,
    step: async <T>() => {
      attempts += 1;
      // Another process has just inserted the row, and deletes it before the takeover.
      return false as T;
    },
  };
  const { claim } = createClaims({ database, replica: 'own', now: () => 0 });
  await expect(claim(paymentOf('key'))).rejects.toThrow(
    'Other processes inserted and deleted payment key during 5 attempts to claim it.',
  );
  expect(attempts).toBe(5);
});
