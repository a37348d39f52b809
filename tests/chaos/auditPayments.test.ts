import { expect, test } from 'vitest';
import { type Accounts, auditPayments } from './auditPayments.ts';
import type { Row } from './ledgerRows.ts';
import { keyOf, networkOf, newPayment, type Payment, type ReceivedResponse } from './payments.ts';
import type { Transfer } from './transfer.ts';

// Each inconsistency on its own must be reported.

const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const wallet = `0x${'a1'.repeat(20)}`;
let count = 0;

function payment(responses: Partial<ReceivedResponse>[], more: Partial<Payment> = {}): Payment {
  count += 1;
  const nonce = `0x${count.toString(16).padStart(64, '0')}`;
  const payload = {
    x402Version: 2,
    accepted: { network: networkOf.base, asset: usdc, amount: '20000' },
    payload: { signature: '0x', authorization: { from: wallet, nonce } },
  } as unknown as Payment['payload'];
  const received = responses.map((each, at) => ({
    status: 200,
    body: '{"detail":"said"}',
    free: false,
    transaction: '0xpaid',
    replayed: false,
    conflicting: false,
    sentAt: 10 * at,
    receivedAt: 10 * at + 5,
    ...each,
  }));
  return {
    ...newPayment(payload, `header ${count}`, '/v1/quote', '{}'),
    responses: received,
    sentTimes: received.map(({ sentAt }) => sentAt),
    ...more,
  };
}
const row = (key: string, more: Partial<Row> = {}): Row => ({
  key,
  state: 'answered',
  trialGroup: null,
  reason: null,
  transactions: ['0xpaid'],
  ...more,
});

/** Audits payments with their ledger rows and transfers; null for none. */
function audit(
  entries: [Payment, Partial<Row> | null, Partial<Transfer> | null][],
  reorged: readonly string[] = [],
  clockLeadMs = 0,
): ReturnType<typeof auditPayments> {
  const accounts = {
    payments: entries.map(([each]) => each),
    ledger: new Map<string, Row>(),
    moved: new Map<string, Transfer>(),
    reorged: new Set(reorged),
    clockLeadMs,
  };
  for (const [each, kept, transfer] of entries) {
    const key = keyOf(each);
    if (kept) accounts.ledger.set(key, row(key, kept));
    if (transfer) accounts.moved.set(key, { key, value: 20_000n, transaction: '0xpaid', ...transfer });
  }
  return auditPayments(accounts satisfies Accounts);
}
const free: Partial<ReceivedResponse> = { free: true, transaction: '' };
const trial: Partial<Row> = { trialGroup: 'pretrade', transactions: [] };

test('default: reports no fault for paid, replayed, refused, free and open payments', () => {
  const { faults, figures } = audit([
    [payment([{}, { replayed: true }]), {}, {}],
    [payment([{ status: 503 }, { status: 402 }]), null, null],
    [payment([{ status: 402 }, {}]), {}, {}],
    [payment([free]), trial, null],
    [payment([]), { state: 'settled' }, {}],
  ]);
  expect(faults).toEqual([]);
  expect(figures).toMatchObject({ payments: 5, answered: 3, replays: 1, free: 1, credits: 1, refusedForGood: 2 });
});

test('behavior: counts reorged and externally settled payments without a fault', () => {
  const { faults, figures } = audit(
    [
      [payment([{ transaction: '0xgone' }]), { transactions: ['0xgone'] }, null],
      [payment([{ status: 402 }], { sentOutside: true }), null, {}],
      [payment([{ status: 402 }], { sentOutside: true }), { state: 'refused', transactions: [] }, {}],
    ],
    ['0xgone'],
  );
  expect(faults).toEqual([]);
  expect(figures).toMatchObject({ lostToReorgs: 1, usedElsewhere: 2 });
});

test.each<[string, Parameters<typeof audit>[0], RegExp]>([
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
  ['a credit that is not honoured', [[payment([{ status: 503 }]), { state: 'settled' }, {}]], /not answered for/],
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
      [payment([{}], { name: 'order' }), {}, {}],
      [payment([{ status: 503 }], { name: 'order' }), { state: 'settled' }, {}],
    ],
    /paid 2 times/,
  ],
])('error: reports %s', (_name, entries, fault) => {
  expect(audit(entries).faults.join('\n')).toMatch(fault);
});

const answered = '{"code":"PAYMENT_REUSED","detail":"You were charged and answered."}';
const otherRequest = '{"code":"PAYMENT_REUSED","detail":"This payment belongs to another request."}';

test.each<[string, number, Partial<Payment>, { body?: string; clockLeadMs?: number }, number]>([
  ['after it expired', -60, {}, {}, 0],
  ['before it expires', 60, {}, {}, 1],
  ['seconds before it expires', 3, {}, {}, 1],
  ['before it expires, by a replica whose clock is further ahead', 40, {}, { clockLeadMs: 45_000 }, 0],
  ['before it expires, by a replica whose clock is less ahead', 60, {}, { clockLeadMs: 45_000 }, 1],
  ['after it expired, with an identifier', -60, { name: 'order' }, {}, 1],
  ['after it expired, for another request', -60, {}, { body: otherRequest }, 1],
  ['after it expired, with another code', -60, {}, { body: '{"code":"CONFLICT","detail":"You were charged."}' }, 1],
])('409 to an answered payment %s: a fault only while its answer is kept', (_name, seconds, more, response, faults) => {
  const { body = answered, clockLeadMs = 0 } = response;
  const late = payment([{}, { status: 409, receivedAt: performance.now(), body }], more);
  const { authorization } = late.payload.payload as { authorization: Record<string, unknown> };
  authorization.validBefore = String(Math.floor(Date.now() / 1_000) + seconds);
  expect(audit([[late, {}, {}]], [], clockLeadMs).faults).toHaveLength(faults);
});
