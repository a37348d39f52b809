import { decodePaymentResponseHeader } from '@x402/core/http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { factsOf, networkName, openScripted, type Scripted, terms } from '../../tests/support/scriptedNetwork.ts';
import type { SettleOutcome } from './facilitator.ts';
import type { PaymentFacts, PaymentRow } from './ledger/ledgerTypes.ts';
import { type PaymentEvent, toReasonLabel } from './paymentEvents.ts';
import type { SettlementResult } from './settlement.ts';
import { settlePayment } from './settlePayment.ts';

let opened: Scripted;
let events: PaymentEvent[];
beforeEach(async () => {
  events = [];
  opened = await openScripted({ onEvent: (event) => void events.push(event) });
});
afterEach(() => opened.close());

const transaction = { hash: '0x01', raw: '0x02', nonce: 1, fromBlock: 1n };
const settle = (key = 'key', changes: Partial<PaymentFacts> = {}, seen?: PaymentRow) =>
  settlePayment(opened.context, opened.offer, factsOf(key, changes), opened.paymentOf(key), terms, seen);
const row = async (key = 'key') =>
  opened.stores.database.read.selectFrom('payments').selectAll().where('payment_key', '=', key).executeTakeFirst();
const detailOf = (result: SettlementResult) => (result.kind === 'refuse' ? result.refusal.detail : '');
const refused = (outcome: SettleOutcome) => {
  opened.network.settle = async () => outcome;
  return settle();
};

test('a payment that settles is recorded before it is served', async () => {
  let task: object = {};
  opened.network.settle = async (given) => {
    task = given;
    await given.journal(transaction);
    return { kind: 'settled', transaction: '0xpaid', gas: { used: 9, microUsd: 4 } };
  };
  const result = await settle();
  expect(result).toMatchObject({ kind: 'settled', free: false });
  const { paymentResponse } = result as { paymentResponse: string };
  expect(decodePaymentResponseHeader(paymentResponse)).toEqual({
    success: true,
    transaction: '0xpaid',
    network: networkName,
    payer: '0xPayer',
  });
  expect(await opened.ledger.load('key')).toMatchObject({
    state: 'settled',
    paymentResponse,
    transactions: [transaction],
  });
  expect(task).toMatchObject({ key: 'key', terms, sent: [], wasRefused: false });
  expect(events).toEqual([{ kind: 'payment settled', network: networkName, paid: 'quote', usd: 0.02 }]);
  expect(await opened.stores.book.find('key')).toMatchObject([{ gasUsed: 9, gasMicroUsd: 4, gasUnknown: null }]);
});

test.each([
  [true, 'not_read'],
  [false, 'remote'],
])('gas that a settlement does not state is unknown (own key: %s)', async (spendsOurGas, gasUnknown) => {
  opened.network.spendsOurGas = spendsOurGas;
  await settle();
  expect(await opened.stores.book.find('key')).toMatchObject([{ gasUsed: null, gasMicroUsd: null, gasUnknown }]);
});

test('a credit and the answer of another replica are served without a settlement', async () => {
  await settle();
  expect(await settle()).toMatchObject({ kind: 'settled', free: false });
  const answer = { status: 200, contentType: 'application/json', body: '{}' };
  await opened.ledger.answered('key', answer);
  expect(await settle()).toMatchObject({ kind: 'answered', answer });
  await opened.stores.database.write((sql) => sql.deleteFrom('answers').execute());
  const late = await settle();
  expect(late).toMatchObject({ kind: 'refuse', refusal: { status: 409 } });
  expect(detailOf(late)).toContain('You were charged');
  expect(opened.network.calls).toEqual(['settle']);
});

test('a free call that was not answered is served again as a free call', async () => {
  opened.offer.trialGroup = 'pretrade';
  expect(await settle()).toMatchObject({ kind: 'settled', free: true });
  expect(await settle()).toMatchObject({ kind: 'settled', free: true });
  expect(opened.network.calls).toEqual(['verify']);
  await opened.ledger.answered('key', { status: 200, contentType: 'application/json', body: '{}' });
  await opened.stores.database.write((sql) => sql.deleteFrom('answers').execute());
  const late = await settle();
  expect(late).toMatchObject({ kind: 'refuse', refusal: { status: 409 } });
  expect(detailOf(late)).not.toContain('You were charged');
});

test('a payment for another request is refused with 409', async () => {
  await settle();
  expect(await settle('key', { fingerprint: 'another' })).toMatchObject({ kind: 'refuse', refusal: { status: 409 } });
});

test.each<[string, SettleOutcome, number, string, string]>([
  ['is refused', { kind: 'refused', reason: 'reverted', detail: 'It reverted.' }, 402, 'refused', 'reverted'],
  ['cannot be sent', { kind: 'unavailable' }, 503, 'refused', 'unavailable'],
  ['is limited', { kind: 'limited', detail: 'No gas.', retryAfterSeconds: 9 }, 429, 'refused', 'limited'],
  ['has an unknown outcome', { kind: 'unknown' }, 503, 'claimed', 'unknown'],
])('a payment that %s ends so in the ledger', async (_, outcome, status, state, reason) => {
  expect(await refused(outcome)).toMatchObject({ kind: 'refuse', refusal: { status } });
  expect(await row()).toMatchObject({ state, holder: null });
  expect(events).toEqual([{ kind: 'payment refused', network: networkName, reason: toReasonLabel(reason) }]);
  expect(opened.lines).toEqual([]);
  if (state === 'refused') expect((await row())?.reason).toBe(reason);
});

test('an unknown outcome is never reported as a refusal', async () => {
  opened.network.settle = async ({ journal }) => {
    await journal(transaction);
    return { kind: 'unknown' };
  };
  expect(await settle()).toMatchObject({ refusal: { status: 503, code: 'SETTLEMENT_UNKNOWN' } });
  expect(await row()).toMatchObject({ state: 'sent', holder: null });
});

test.each<[string, SettleOutcome]>([
  ['is refused', { kind: 'refused', reason: 'reverted', detail: 'It reverted.', failedOnChain: true }],
  ['cannot be sent again', { kind: 'unavailable' }],
  ['is limited', { kind: 'limited', detail: 'No gas.', retryAfterSeconds: 9 }],
])('a payment that was sent and %s may still be included, so its charge stays open', async (_, outcome) => {
  opened.network.settle = async ({ journal }) => {
    await journal(transaction);
    return outcome;
  };
  expect(await settle()).toMatchObject({ kind: 'refuse', refusal: { charged: null } });
  expect(await settle('other', { payer: '0xOther' })).toMatchObject({ kind: 'refuse', refusal: { charged: null } });
});

test('a settlement that failed on chain pauses its wallet', async () => {
  const result = await refused({ kind: 'refused', reason: 'reverted', detail: 'It reverted.', failedOnChain: true });
  expect(result).toMatchObject({ refusal: { status: 402, detail: expect.stringContaining('paused for 60 s') } });
  expect(opened.lines).toMatchObject([{ level: 'warn', facts: { payer: '0xPayer', pauseMs: 60_000 } }]);
  const paused = await settle('next', { payer: '0xpayer' });
  expect(paused).toMatchObject({ refusal: { status: 429 } });
  expect(await row('next')).toMatchObject({ state: 'refused', reason: 'paused' });
});

test('a refusal that cost no gas pauses no wallet', async () => {
  const result = await refused({ kind: 'refused', reason: 'invalid_exact_evm_payload_signature', detail: 'Why.' });
  expect(detailOf(result)).not.toContain('paused');
  expect(await settle('next')).not.toMatchObject({ refusal: { status: 429 } });
});

test('a retry of a refused payment passes its transactions, and that they did not pay', async () => {
  opened.network.settle = async ({ journal }) => {
    await journal(transaction);
    return { kind: 'refused', reason: 'reverted', detail: 'It reverted.' };
  };
  await settle();
  let task: object = {};
  opened.network.settle = async (given) => {
    task = given;
    return { kind: 'settled', transaction: '0xpaid' };
  };
  expect(await settle()).toMatchObject({ kind: 'settled' });
  expect(task).toMatchObject({ sent: [transaction], wasRefused: true });
});

test('before anything is sent, the balance must cover the open payments of the wallet', async () => {
  // Another payment of the wallet waits for its outcome.
  opened.network.settle = async ({ journal }) => {
    await journal(transaction);
    return { kind: 'unknown' };
  };
  opened.network.spendsOurGas = false;
  await settle('open');
  let shortage: unknown;
  opened.network.settle = async ({ checkFunds }) => {
    shortage = await checkFunds();
    return { kind: 'unavailable' };
  };
  opened.network.readFunds = async () => ({ balance: 39_999n, ended: new Set() });
  await settle('poor');
  expect(shortage).toMatchObject({ kind: 'refused', reason: 'insufficient_funds' });
  opened.network.readFunds = async () => ({ balance: 40_000n, ended: new Set() });
  await settle('rich');
  expect(shortage).toBeUndefined();
});

test('a sent payment of a paused or full wallet is followed, and not sent again', async () => {
  opened.network.settle = async ({ journal }) => {
    await journal(transaction);
    return { kind: 'unknown' };
  };
  await settle('one');
  await opened.ledger.pausePayer('0xpayer');
  let funds: unknown;
  opened.network.settle = async ({ checkFunds }) => {
    funds = await checkFunds();
    return { kind: 'unknown' };
  };
  await settle('one');
  expect(funds).toMatchObject({ kind: 'refused', reason: 'payer_paused' });
  await opened.stores.database.write((sql) => sql.updateTable('payers').set({ paused_until: 0 }).execute());
  await opened.claim('two');
  await opened.ledger.reserve({ key: 'two', wallet: '0xpayer', network: networkName, amount: 1n });
  await settle('one');
  expect(funds).toMatchObject({ kind: 'limited', retryAfterSeconds: 5 });
});

test('a payment whose authorization is used is settled although its wallet is paused', async () => {
  await opened.ledger.pausePayer('0xpayer');
  opened.network.verify = async () => ({ kind: 'used' });
  let funds: unknown = 'not checked';
  opened.network.settle = async ({ checkFunds }) => {
    funds = await checkFunds();
    return { kind: 'settled', transaction: '0xpaid' };
  };
  expect(await settle()).toMatchObject({ kind: 'settled' });
  expect(funds).toBeUndefined();
});

test('a wallet pays once under one identifier', async () => {
  const identifier = 'order-0000000001';
  opened.network.settle = async ({ journal }) => {
    await journal(transaction);
    return { kind: 'unknown' };
  };
  await settle('first', { identifier });
  expect(await settle('new', { identifier })).toMatchObject({ kind: 'refuse', refusal: { status: 409 } });
  // No node has seen it, so it can be used for another request.
  expect(await row('new')).toBeUndefined();
  await opened.claim('known', { identifier });
  await opened.ledger.refused('known', 'poor');
  expect(await settle('known', { identifier })).toMatchObject({ kind: 'refuse', refusal: { status: 409 } });
  expect(await row('known')).toMatchObject({ state: 'refused', reason: 'identifier in use' });
  // The outcome of a sent payment is read, whichever identifier it has.
  expect(await settle('first', { identifier: 'order-0000000002' })).toMatchObject({ refusal: { status: 503 } });
  await opened.claim('holds the next one');
  await opened.ledger.claimIdentifier({ key: 'holds the next one', wallet: '0xpayer', identifier: 'order-0000000003' });
  expect(await settle('first', { identifier: 'order-0000000003' })).toMatchObject({ refusal: { status: 503 } });
  // The first payment keeps its identifier.
  opened.network.settle = async () => ({ kind: 'settled', transaction: '0xpaid' });
  expect(await settle('first', { identifier })).toMatchObject({ kind: 'settled' });
  expect(await settle('other wallet', { identifier, payer: '0xOther' })).toMatchObject({ kind: 'settled' });
});
