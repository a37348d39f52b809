import { expect, test } from 'vitest';
import { type AuditInput, auditPayments } from './auditPayments.ts';
import type { Row } from './ledgerRows.ts';
import { keyOf, networkOf, newPayment, type Payment, type ReceivedResponse } from './payments.ts';
import type { Transfer } from './transfer.ts';

// Each kind of inconsistency must be reported when it occurs alone.

const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const wallet = `0x${'a1'.repeat(20)}`;
let paymentCount = 0;

function payment(responses: Partial<ReceivedResponse>[], changes: Partial<Payment> = {}): Payment {
  paymentCount += 1;
  const nonce = `0x${paymentCount.toString(16).padStart(64, '0')}`;
  const payload = {
    x402Version: 2,
    accepted: { network: networkOf.base, asset: usdc, amount: '20000' },
    payload: { signature: '0x', authorization: { from: wallet, nonce } },
  } as unknown as Payment['payload'];
  const received = responses.map((response, at) => ({
    status: 200,
    body: '{"detail":"said"}',
    free: false,
    transaction: '0xpaid',
    replayed: false,
    conflicting: false,
    sentAt: 10 * at,
    receivedAt: 10 * at + 5,
    ...response,
  }));
  return {
    ...newPayment(payload, `header ${paymentCount}`, '/v1/quote', '{}'),
    responses: received,
    sentTimes: received.map(({ sentAt }) => sentAt),
    ...changes,
  };
}
const row = (key: string, changes: Partial<Row> = {}): Row => ({
  key,
  state: 'answered',
  trialGroup: null,
  reason: null,
  transactions: ['0xpaid'],
  ...changes,
});

/** Audits payments with their ledger rows and transfers; null for a missing row or transfer. */
function auditEntries(
  entries: [Payment, Partial<Row> | null, Partial<Transfer> | null][],
  reorged: readonly string[] = [],
  clockLeadMs = 0,
): ReturnType<typeof auditPayments> {
  const input = {
    payments: entries.map(([signed]) => signed),
    ledger: new Map<string, Row>(),
    transfers: new Map<string, Transfer>(),
    reorged: new Set(reorged),
    clockLeadMs,
  };
  for (const [signed, fields, transfer] of entries) {
    const key = keyOf(signed);
    if (fields) input.ledger.set(key, row(key, fields));
    if (transfer) input.transfers.set(key, { key, value: 20_000n, transaction: '0xpaid', ...transfer });
  }
  return auditPayments(input satisfies AuditInput);
}
const free: Partial<ReceivedResponse> = { free: true, transaction: '' };
const trial: Partial<Row> = { trialGroup: 'pretrade', transactions: [] };

test('default: reports no fault for paid, replayed, refused, free and unanswered payments', () => {
  const { faults, figures } = auditEntries([
    [payment([{}, { replayed: true }]), {}, {}],
    [payment([{ status: 503 }, { status: 402 }]), null, null],
    [payment([{ status: 402 }, {}]), {}, {}],
    [payment([free]), trial, null],
    [payment([]), { state: 'settled' }, {}],
  ]);
  expect(faults).toEqual([]);
  expect(figures).toMatchObject({ payments: 5, answered: 3, replays: 1, free: 1, credits: 1, refused402: 2 });
});

test('behavior: a new signature with the identifier of an answered payment gets its answer, without a row of its own', () => {
  const order = { identifier: 'order' };
  const trialOrder = { identifier: 'trial' };
  const { faults } = auditEntries([
    [payment([{}], order), {}, {}],
    [payment([{ replayed: true }], order), null, null],
    [payment([free], trialOrder), trial, null],
    [payment([{ ...free, replayed: true }], trialOrder), null, null],
  ]);
  expect(faults).toEqual([]);
});

test('behavior: counts payments that a reorganisation dropped or a third party settled, without a fault', () => {
  const { faults, figures } = auditEntries(
    [
      [payment([{ transaction: '0xgone' }]), { transactions: ['0xgone'] }, null],
      [payment([{ status: 402 }], { sentOutside: true }), null, {}],
      [payment([{ status: 402 }], { sentOutside: true }), { state: 'refused', transactions: [] }, {}],
    ],
    ['0xgone'],
  );
  expect(faults).toEqual([]);
  expect(figures).toMatchObject({ lostToReorgs: 1, settledByThirdParty: 2 });
});

test.each<[string, Parameters<typeof auditEntries>[0], RegExp]>([
  ['an answer without a transfer', [[payment([{}]), {}, null]], /no USDC moved/],
  ['an answer without a ledger row', [[payment([{}]), null, null]], /missing from the ledger/],
  ['a transfer without a ledger row', [[payment([{ status: 503 }]), null, {}]], /missing from the ledger/],
  [
    'a refused payment with a transfer',
    [[payment([{ status: 503 }]), { state: 'refused' }, {}]],
    /is refused .* moved/,
  ],
  ['a payer refused after the charge', [[payment([{ status: 402 }]), { state: 'settled' }, {}]], /refused last/],
  [
    'a payer refused while a concurrent attempt is charged',
    [[payment([{ status: 402 }, { sentAt: 1 }]), {}, {}]],
    /concurrent attempt was/,
  ],
  ['a credit whose client got no answer', [[payment([{ status: 503 }]), { state: 'settled' }, {}]], /got no answer/],
  ['a payment that stays open', [[payment([{ status: 503 }]), { state: 'sent' }, {}]], /still sent/],
  ['another amount', [[payment([{}]), {}, { value: 50_000n }]], /paid 50000/],
  ['different answers to one request', [[payment([{}, { body: '{}' }]), {}, {}]], /different answers/],
  ['answers to two requests', [[payment([{}, { body: '{}', conflicting: true }]), {}, {}]], /two requests/],
  ['an answer that is not replayed', [[payment([{}, { status: 409 }]), {}, {}]], /409 after its answer/],
  ['the receipt of another transaction', [[payment([{ transaction: '0xother' }]), {}, {}]], /receipt of 0xother/],
  ['an internal error', [[payment([{ status: 500 }]), null, null]], /500/],
  ['a free call that was charged', [[payment([free]), trial, {}]], /was free/],
  [
    'two free calls of one wallet',
    [
      [payment([free]), trial, null],
      [payment([free]), trial, null],
    ],
    /2 free calls/,
  ],
  [
    'two payments with one identifier',
    [
      [payment([{}], { identifier: 'order' }), {}, {}],
      [payment([{ status: 503 }], { identifier: 'order' }), { state: 'settled' }, {}],
    ],
    /paid 2 times/,
  ],
  [
    'two answers with one identifier',
    [
      [payment([{}], { identifier: 'order' }), {}, {}],
      [payment([{ body: '{}' }], { identifier: 'order' }), null, null],
    ],
    /2 different answers/,
  ],
])('error: reports %s', (_case, entries, fault) => {
  expect(auditEntries(entries).faults.join('\n')).toMatch(fault);
});

const answered = '{"code":"PAYMENT_REUSED","detail":"You were charged and answered."}';
const otherRequest = '{"code":"PAYMENT_REUSED","detail":"This payment belongs to another request."}';

test.each<[string, number, Partial<Payment>, { body?: string; clockLeadMs?: number }, number]>([
  ['after it expired', -60, {}, {}, 0],
  ['before it expires', 60, {}, {}, 1],
  ['seconds before it expires', 3, {}, {}, 1],
  ['before it expires, by a replica whose clock is further ahead', 40, {}, { clockLeadMs: 45_000 }, 0],
  ['before it expires, by a replica whose clock is less ahead', 60, {}, { clockLeadMs: 45_000 }, 1],
  ['after it expired, with an identifier', -60, { identifier: 'order' }, {}, 1],
  ['after it expired, for another request', -60, {}, { body: otherRequest }, 1],
  ['after it expired, with another code', -60, {}, { body: '{"code":"CONFLICT","detail":"You were charged."}' }, 1],
])(
  'behavior: a 409 to an answered payment %s is a fault only while its answer must be replayed',
  (_case, seconds, changes, response, faults) => {
    const { body = answered, clockLeadMs = 0 } = response;
    const lateRetry = payment([{}, { status: 409, receivedAt: performance.now(), body }], changes);
    const { authorization } = lateRetry.payload.payload as { authorization: Record<string, unknown> };
    authorization.validBefore = String(Math.floor(Date.now() / 1_000) + seconds);
    expect(auditEntries([[lateRetry, {}, {}]], [], clockLeadMs).faults).toHaveLength(faults);
  },
);
