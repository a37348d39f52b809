import { describe, expect, test } from 'vitest';
import { LedgerOrderError, type PaymentFacts, type PaymentLedger } from '../../server/payments/index.ts';
import { DatabaseUnavailableError } from '../../server/storage/database/errors.ts';
import { inBatches } from '../../server/storage/payments/inBatches.ts';
import { databaseKinds } from './bothDatabases.ts';
import { earnedOn } from './useLedger.ts';
import { useStores } from './useStores.ts';

// Concurrent steps of many payments share statements. Each payment must end as if its steps ran alone.

const factsOf = (key: string): PaymentFacts => ({
  key,
  fingerprint: `fingerprint of ${key}`,
  network: 'eip155:8453',
  payer: '0xFrom',
  paid: 'quote',
  route: 'POST /v1/quote',
  canonicalInput: '{}',
  payload: '{}',
});
const keys = Array.from({ length: 12 }, (_, index) => `key ${String(index).padStart(2, '0')}`);
const answerOf = (key: string) => ({ status: 200, contentType: 'application/json', body: `{"of":"${key}"}` });
const transaction = { hash: '0x01', raw: '0x02', nonce: 7, fromBlock: 1n };

const claimAll = (ledger: PaymentLedger) => Promise.all(keys.map((key) => ledger.claim(factsOf(key))));
const reserveAll = (ledger: PaymentLedger, walletOf = (key: string) => `wallet of ${key}`) =>
  Promise.all(
    keys.map((key) => ledger.reserve({ key, wallet: walletOf(key), network: 'eip155:8453', amount: 20_000n })),
  );

describe.each(databaseKinds)('%s: steps at once', (kind) => {
  const opened = useStores(kind);

  test('default: payments that take each step together keep their own data', async () => {
    const { ledger } = opened.stores;
    const claims = await claimAll(ledger);
    expect(claims.map(({ won, isFirst, row }) => [won, isFirst, row.key])).toEqual(
      keys.map((key) => [true, true, key]),
    );
    const reserved = await reserveAll(ledger);
    expect(reserved).toEqual(keys.map(() => ({ kind: 'reserved', before: [] })));
    expect(await ledger.loadReserved(keys)).toHaveLength(keys.length);
    await Promise.all(keys.map((key) => ledger.journal(key, { ...transaction, hash: key })));
    await Promise.all(keys.map((key) => ledger.settled(key, `response of ${key}`)));
    expect(await ledger.loadReserved(keys)).toEqual([]);
    const stored = await Promise.all(
      keys.map((key, index) =>
        ledger.answered(key, { ...answerOf(key), ...(index % 2 === 0 && { paymentResponse: `receipt of ${key}` }) }),
      ),
    );
    expect(stored.map(({ body }) => body)).toEqual(keys.map((key) => answerOf(key).body));
    const rows = await Promise.all([...keys, 'unknown'].map((key) => ledger.load(key)));
    expect(rows.at(-1)).toBeUndefined();
    expect(rows.slice(0, -1)).toEqual(
      keys.map((key, index) => ({
        ...factsOf(key),
        state: 'answered',
        transactions: [{ ...transaction, hash: key }],
        mayStillPay: false,
        paymentResponse: `${index % 2 === 0 ? 'receipt' : 'response'} of ${key}`,
        answer: answerOf(key),
        answeredAt: opened.time,
        trialGroup: undefined,
      })),
    );
    // Each wallet has earned one payment.
    for (const [index, key] of keys.slice(0, 2).entries()) {
      await ledger.claim(factsOf(`next ${index}`));
      await ledger.claim(factsOf(`more ${index}`));
      const wallet = { wallet: `wallet of ${key}`, network: 'eip155:8453', amount: 1n, earnedOn };
      for (const name of ['next', 'more'])
        expect(await ledger.reserve({ ...wallet, key: `${name} ${index}` })).toMatchObject({ kind: 'reserved' });
      await ledger.claim(factsOf(`last ${index}`));
      expect(await ledger.reserve({ ...wallet, key: `last ${index}` })).toEqual({ kind: 'full' });
    }
  });
});

describe.each(databaseKinds)('%s: conflicts at once', (kind) => {
  const opened = useStores(kind);

  test('behavior: one of several concurrent claims of a payment is first', async () => {
    const { ledger } = opened.stores;
    const claims = await Promise.all([...keys, ...keys].map((key) => ledger.claim(factsOf(key))));
    expect(claims.filter(({ isFirst }) => isFirst)).toHaveLength(keys.length);
    const other = await Promise.all(
      [...keys, 'new'].map((key) => ledger.claim({ ...factsOf(key), fingerprint: 'other' })),
    );
    expect(other.map(({ won }) => won)).toEqual([...keys.map(() => false), true]);
  });

  test('behavior: each of several concurrent reservations of a wallet sees all earlier ones', async () => {
    const { ledger } = opened.stores;
    await claimAll(ledger);
    const reserved = await reserveAll(ledger, (key) => (key < 'key 06' ? 'wallet' : key));
    const seen = reserved.map((result) => (result.kind === 'reserved' ? result.before.length : -1));
    expect(seen.slice(0, 6).toSorted()).toEqual([0, 1, 2, 3, 4, 5]);
    expect(seen.slice(6)).toEqual([0, 0, 0, 0, 0, 0]);
  });

  test('error: a payment that cannot take a step fails alone; the others of its batch take it once', async () => {
    const { ledger } = opened.stores;
    await claimAll(ledger);
    await reserveAll(ledger, () => 'wallet');
    const [settled = '', ...others] = keys;
    await ledger.settled(settled, 'FIRST');
    const settling = await Promise.allSettled([...keys, 'unknown'].map((key) => ledger.settled(key, 'SECOND')));
    for (const failed of [settling[0], settling.at(-1)]) {
      expect(failed).toMatchObject({ status: 'rejected', reason: expect.any(LedgerOrderError) });
    }
    expect(settling.filter(({ status }) => status === 'fulfilled')).toHaveLength(others.length);
    expect((await ledger.load(settled))?.paymentResponse).toBe('FIRST');

    await ledger.answered(settled, answerOf('first'));
    const answered = await Promise.all(keys.map((key) => ledger.answered(key, answerOf(key))));
    expect(answered[0]?.body).toBe(answerOf('first').body);
    expect(answered.slice(1).map(({ body }) => body)).toEqual(others.map((key) => answerOf(key).body));
    // Without a settlement a wallet may reserve one payment; twelve settlements earned twelve more.
    for (let index = 0; index < 14; index += 1) {
      await ledger.claim(factsOf(`next ${index}`));
      const claim = { key: `next ${index}`, wallet: 'wallet', network: 'eip155:8453', amount: 1n, earnedOn };
      expect((await ledger.reserve(claim)).kind).toBe(index < 13 ? 'reserved' : 'full');
    }
  });
});

test('default: calls of one event loop turn run in batches of at most 64; a single call runs alone', async () => {
  const sizes: number[] = [];
  const double = inBatches(
    async (item: number) => {
      sizes.push(0);
      return 2 * item;
    },
    async (items) => {
      sizes.push(items.length);
      return items.map((item) => 2 * item);
    },
  );
  expect(await double(3)).toBe(6);
  const items = Array.from({ length: 100 }, (_, index) => index);
  expect(await Promise.all(items.map(double))).toEqual(items.map((item) => 2 * item));
  // 0: the single call.
  expect(sizes).toEqual([0, 64, 36]);
});

test('behavior: at most two batches run at once', async () => {
  const ends: (() => void)[] = [];
  const calls = inBatches(
    async (item: number) => item,
    async (items) => {
      await new Promise<void>((resolve) => ends.push(resolve));
      return items;
    },
  );
  const turn = () => new Promise(setImmediate);
  const results: Promise<number>[] = [];
  for (let batch = 0; batch < 4; batch += 1) {
    results.push(calls(2 * batch), calls(2 * batch + 1));
    await turn();
    await turn();
  }
  expect(ends).toHaveLength(2);
  // The third batch contains all calls that arrived in the meantime.
  ends[0]?.();
  await turn();
  expect(ends).toHaveLength(3);
  for (const end of ends) end();
  expect(await Promise.all(results)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});

test('error: after a failed batch each call runs alone, and only the faulty one rejects', async () => {
  const half = inBatches(
    async (item: number) => {
      if (item % 2 === 1) throw new RangeError(`${item} is odd`);
      return item / 2;
    },
    () => Promise.reject(new Error('the batch failed')),
  );
  const results = await Promise.allSettled([2, 3, 4].map(half));
  expect(results).toMatchObject([{ value: 1 }, { reason: { message: '3 is odd' } }, { value: 2 }]);
});

test.each([
  ['is unreachable, no call runs alone, and each rejects', false, []],
  ['waits for a lock, each call runs alone', true, [1, 2, 3]],
])('when the database %s', async (_case, isLockTimeout, ranAlone) => {
  const alone: number[] = [];
  const outage = new DatabaseUnavailableError('PostgreSQL does not answer (no reply).', { isLockTimeout });
  const step = inBatches(
    async (item: number) => {
      alone.push(item);
    },
    () => Promise.reject(outage),
  );
  const results = await Promise.allSettled([1, 2, 3].map(step));
  expect(alone).toEqual(ranAlone);
  expect(results).toMatchObject(
    results.map(() => (isLockTimeout ? { status: 'fulfilled' } : { status: 'rejected', reason: outage })),
  );
});
