import { afterEach, beforeEach, expect, test } from 'vitest';
import { factsOf, openScripted, type Scripted, terms } from '../../tests/support/scriptedNetwork.ts';
import type { PaymentRow } from './ledger/ledgerTypes.ts';
import { settlePayment } from './settlePayment.ts';

// Settlements beside other replicas, and after internal errors.

let opened: Scripted;
beforeEach(async () => {
  opened = await openScripted();
});
afterEach(() => opened.close());

const transaction = { hash: '0x01', raw: '0x02', nonce: 1, fromBlock: 1n };
const settle = (seen?: PaymentRow) =>
  settlePayment(opened.context, opened.offer, factsOf('key'), opened.paymentOf('key'), terms, seen);
const write = (changes: object) =>
  opened.stores.database.write((sql) => sql.updateTable('payments').set(changes).execute());
const row = () => opened.stores.database.read.selectFrom('payments').selectAll().executeTakeFirst();
const fault = new RangeError('of the code');

/** Another running replica owns the payment. */
async function ownElsewhere(): Promise<void> {
  await opened.claim('key');
  await opened.stores.database.write((sql) =>
    sql
      .insertInto('replicas')
      .values({ replica: 'other', alive_until: Number.MAX_SAFE_INTEGER, started_at: 0 })
      .execute(),
  );
  await write({ holder: 'other' });
}

test('waits for the replica that owns the payment, and serves its settlement', async () => {
  await ownElsewhere();
  const settling = settle();
  await opened.ledger.settled('key', 'THEIRS');
  await write({ holder: null });
  expect(await settling).toMatchObject({ kind: 'settled', paymentResponse: 'THEIRS' });
  expect(opened.network.calls).toEqual([]);
});

test('does not settle a payment after its former owner refused it', async () => {
  await ownElsewhere();
  const settling = settle();
  // The first claim of this replica fails before the other one refuses.
  await new Promise((resolve) => setTimeout(resolve, 50));
  await write({ state: 'refused', holder: null });
  expect(await settling).toMatchObject({ kind: 'refuse', refusal: { status: 503 } });
  expect(await row()).toMatchObject({ state: 'refused', holder: null });
  expect(opened.network.calls).toEqual([]);
});

test.each(['claimed', 'sent'] as const)('a row that was seen as %s and refused since is not settled', async (state) => {
  await opened.claim('key');
  await opened.ledger.refused('key', 'poor');
  const seen = (await opened.ledger.load('key')) as PaymentRow;
  expect(await settle({ ...seen, state })).toMatchObject({ kind: 'refuse', refusal: { status: 503 } });
  expect(await row()).toMatchObject({ state: 'refused', holder: null });
  expect(await settle(seen)).toMatchObject({ kind: 'settled' });
});

test('a row that was seen as claimed and deleted since is not settled', async () => {
  const seen = await opened.claim('key');
  await opened.ledger.forget('key');
  expect(await settle(seen)).toMatchObject({ kind: 'refuse', refusal: { status: 503 } });
  expect(await row()).toBeUndefined();
});

test('a payment that another replica owns for too long has an unknown outcome', async () => {
  opened.context.timings = { ...opened.context.timings, joinDeadlineMs: 249 };
  await ownElsewhere();
  expect(await settle()).toMatchObject({ refusal: { status: 503, code: 'SETTLEMENT_UNKNOWN' } });
  expect(await row()).toMatchObject({ holder: 'other', state: 'claimed' });
});

test('an internal error before anything was sent refuses the payment', async () => {
  opened.network.settle = () => Promise.reject(fault);
  expect(await settle()).toMatchObject({ refusal: { status: 503, code: 'UPSTREAM_UNAVAILABLE' } });
  expect(await row()).toMatchObject({ state: 'refused', reason: 'fault' });
  expect(opened.lines).toMatchObject([{ level: 'error', facts: { payment: 'key', err: fault } }]);
  // A retry of a refused payment sends nothing new before it is journaled.
  expect(await settle()).toMatchObject({ refusal: { code: 'UPSTREAM_UNAVAILABLE' } });
});

test('an internal error after a transaction was journaled leaves the outcome unknown', async () => {
  opened.network.settle = async ({ journal }) => {
    await journal(transaction);
    throw fault;
  };
  expect(await settle()).toMatchObject({ refusal: { status: 503, code: 'SETTLEMENT_UNKNOWN' } });
  expect(await row()).toMatchObject({ state: 'sent' });
});

test('a settlement that another replica recorded first becomes a credit for the next request', async () => {
  opened.network.settle = async () => {
    await opened.ledger.settled('key', 'THEIRS');
    return { kind: 'settled', transaction: '0xpaid' };
  };
  expect(await settle()).toMatchObject({ refusal: { code: 'SETTLEMENT_UNKNOWN' } });
  expect(await row()).toMatchObject({ state: 'settled', holder: null, payment_response: 'THEIRS' });
});

test('without a row after an internal error nothing was sent', async () => {
  opened.network.settle = async () => {
    await opened.ledger.forget('key');
    throw fault;
  };
  expect(await settle()).toMatchObject({ refusal: { code: 'UPSTREAM_UNAVAILABLE' } });
  expect(await row()).toBeUndefined();
});

test('an unreachable ledger leaves the outcome unknown', async () => {
  const outage = () => Promise.reject(new Error('PostgreSQL does not answer.'));
  opened.context.ledger = { ...opened.ledger, claim: outage, load: outage };
  expect(await settle()).toMatchObject({ refusal: { code: 'SETTLEMENT_UNKNOWN' } });
  expect(opened.lines).toHaveLength(2);
});

test('the end of a settlement wakes the waiting payments of its wallet', async () => {
  const ended: string[] = [];
  opened.context.turns = { ...opened.context.turns, ended: (wallet) => void ended.push(wallet) };
  await settle();
  opened.network.settle = () => Promise.reject(fault);
  await settlePayment(opened.context, opened.offer, factsOf('next'), opened.paymentOf('next'), terms);
  expect(ended).toEqual(['0xpayer', '0xpayer']);
});
