import { expect, test } from 'vitest';
import { findShortage } from './findShortage.ts';

const order = { key: 'own', network: 'eip155:8453', amount: 20_000n };
const before = [
  { key: 'first', amount: 30_000n },
  { key: 'second', amount: 40_000n },
];

/** A wallet whose balance is read as `balances`, one after the other. `open`: reservations at the second read. */
async function find(
  balances: readonly bigint[],
  { open = before, sent = [], ended = [] }: { open?: typeof before; sent?: string[]; ended?: string[] } = {},
) {
  const reads: string[][] = [];
  const payment = {
    readFunds: async (payments: readonly { key: string }[]) => {
      reads.push(payments.map(({ key }) => key));
      return { balance: balances[reads.length - 1] ?? 0n, ended: new Set(ended) };
    },
  };
  const ledger = {
    loadReserved: async (keys: readonly string[]) =>
      open
        .filter(({ key }) => keys.includes(key))
        .map((each) => ({ ...each, hashes: sent.includes(each.key) ? ['0x01'] : [] })),
  };
  return { shortage: await findShortage(ledger, payment, { ...order, before }), reads };
}

test('a wallet without other payments is not read', async () => {
  const unread = { loadReserved: () => Promise.reject(), readFunds: () => Promise.reject() };
  expect(await findShortage(unread, unread, { ...order, before: [] })).toBeUndefined();
});

test('a balance for this payment and all reserved ones is sufficient', async () => {
  expect(await find([90_000n])).toEqual({ shortage: undefined, reads: [[]] });
});

test('a lower balance is read again, with the payments that were sent', async () => {
  const { shortage, reads } = await find([89_999n, 90_000n], { sent: ['second'] });
  expect(shortage).toBeUndefined();
  expect(reads).toEqual([[], ['own', 'second']]);
});

test('a wallet that cannot afford all of them is refused, with the amounts in USDC', async () => {
  const { shortage } = await find([89_999n, 89_999n]);
  expect(shortage).toMatchObject({ kind: 'refused', reason: 'insufficient_funds' });
  expect(shortage).toHaveProperty(
    'detail',
    expect.stringContaining(
      'holds 0.089999 USDC on eip155:8453, and its unsettled payments have reserved 0.07 USDC; this call costs 0.02 USDC.',
    ),
  );
});

test.each([
  ['ended on chain', { ended: ['second'], sent: ['second'] }],
  ['is no longer reserved', { open: before.slice(0, 1) }],
])('a payment that %s does not count', async (_name, options) => {
  expect((await find([0n, 50_000n], options)).shortage).toBeUndefined();
  expect((await find([0n, 49_999n], options)).shortage).toMatchObject({ kind: 'refused' });
});

// The simulation reports it with the node's own reason.
test('a low balance without other payments is no shortage', async () => {
  expect((await find([0n, 0n], { open: [] })).shortage).toBeUndefined();
});

// A third party's transaction with this payment is in the block of the balance.
test('a low balance of a wallet whose payment has just been used is no shortage: the outcome is unknown', async () => {
  expect((await find([0n, 0n], { ended: ['own'] })).shortage).toEqual({ kind: 'unknown' });
});
