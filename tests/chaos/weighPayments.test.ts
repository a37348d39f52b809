import { expect, test } from 'vitest';
import type { Transfer } from './chainBook.ts';
import type { Row } from './ledgerBook.ts';
import { keyOf, networkOf, newPayment, type Payment, type Told } from './payments.ts';
import { type Accounts, weighPayments } from './weighPayments.ts';

// The books themselves: each way in which they must not balance, alone.

const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const wallet = `0x${'a1'.repeat(20)}`;
let count = 0;

function payment(told: Partial<Told>[], more: Partial<Payment> = {}): Payment {
  count += 1;
  const nonce = `0x${count.toString(16).padStart(64, '0')}`;
  const payload = {
    x402Version: 2,
    accepted: { network: networkOf.base, asset: usdc, amount: '20000' },
    payload: { signature: '0x', authorization: { from: wallet, nonce } },
  } as unknown as Payment['payload'];
  const heard = told.map((each, at) => ({
    status: 200,
    body: '{"detail":"said"}',
    free: false,
    transaction: '0xpaid',
    replayed: false,
    conflicting: false,
    askedAt: 10 * at,
    toldAt: 10 * at + 5,
    ...each,
  }));
  return {
    ...newPayment(payload, `header ${count}`, '/v1/quote', '{}'),
    told: heard,
    asks: heard.map(({ askedAt }) => askedAt),
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

/** Payments with what the ledger and the chain say of each; null for nothing. */
function weigh(
  entries: [Payment, Partial<Row> | null, Partial<Transfer> | null][],
  reorged: readonly string[] = [],
): ReturnType<typeof weighPayments> {
  const accounts = {
    payments: entries.map(([each]) => each),
    ledger: new Map<string, Row>(),
    moved: new Map<string, Transfer>(),
    reorged: new Set(reorged),
  };
  for (const [each, kept, transfer] of entries) {
    const key = keyOf(each);
    if (kept) accounts.ledger.set(key, row(key, kept));
    if (transfer) accounts.moved.set(key, { key, value: 20_000n, transaction: '0xpaid', ...transfer });
  }
  return weighPayments(accounts satisfies Accounts);
}
const free: Partial<Told> = { free: true, transaction: '' };
const trial: Partial<Row> = { trialGroup: 'pretrade', transactions: [] };

test('default: paid and answered, answered again, refused, free, open: they balance', () => {
  const { faults, figures } = weigh([
    [payment([{}, { replayed: true }]), {}, {}],
    [payment([{ status: 503 }, { status: 402 }]), null, null],
    [payment([{ status: 402 }, {}]), {}, {}],
    [payment([free]), trial, null],
    [payment([]), { state: 'settled' }, {}],
  ]);
  expect(faults).toEqual([]);
  expect(figures).toMatchObject({ payments: 5, answered: 3, replays: 1, free: 1, credits: 1, refusedForGood: 2 });
});

test('behavior: what a reorganisation took, and what was used before it came, is counted and no fault', () => {
  const { faults, figures } = weigh(
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

test.each<[string, Parameters<typeof weigh>[0], RegExp]>([
  ['an answer without money', [[payment([{}]), {}, null]], /no USDC moved/],
  ['an answer that the ledger has forgotten', [[payment([{}]), null, null]], /does not know it/],
  ['money that the ledger does not know', [[payment([{ status: 503 }]), null, {}]], /does not know it/],
  ['money that was refused', [[payment([{ status: 503 }]), { state: 'refused' }, {}]], /is refused .* moved/],
  ['a payer sent away who has paid', [[payment([{ status: 402 }]), { state: 'settled' }, {}]], /refused last/],
  ['a payer sent away while he is charged', [[payment([{ status: 402 }, { askedAt: 1 }]), {}, {}]], /another try was/],
  ['a credit that is not honoured', [[payment([{ status: 503 }]), { state: 'settled' }, {}]], /not answered for/],
  ['a payment without an end', [[payment([{ status: 503 }]), { state: 'sent' }, {}]], /still sent/],
  ['another amount', [[payment([{}]), {}, { value: 50_000n }]], /paid 50000/],
  ['two answers to one request', [[payment([{}, { body: '{}' }]), {}, {}]], /in two ways/],
  ['two things for one payment', [[payment([{}, { body: '{}', conflicting: true }]), {}, {}]], /two answers/],
  ['an answer that is not given again', [[payment([{}, { status: 409 }]), {}, {}]], /409 after its answer/],
  ['the receipt of another transaction', [[payment([{ transaction: '0xother' }]), {}, {}]], /receipt of 0xother/],
  ['an error of ours', [[payment([{ status: 500 }]), null, null]], /500/],
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
    'two payments under one name',
    [
      [payment([{}], { name: 'order' }), {}, {}],
      [payment([{ status: 503 }], { name: 'order' }), { state: 'settled' }, {}],
    ],
    /paid 2 times/,
  ],
])('error: the books do not balance with %s', (_name, entries, fault) => {
  expect(weigh(entries).faults.join('\n')).toMatch(fault);
});
