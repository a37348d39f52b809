import { afterEach, beforeEach, expect, test } from 'vitest';
import { openScripted, type Scripted, terms } from '../../tests/support/scriptedNetwork.ts';
import type { PaymentRow } from './ledger/ledgerTypes.ts';
import { type ReserveClaim, reservePayment } from './reservePayment.ts';

let opened: Scripted;
beforeEach(async () => {
  opened = await openScripted();
});
afterEach(() => opened.close());

const granted: ReserveClaim = { kind: 'reserved', before: [] };
const transaction = { hash: '0x01', raw: '0x02', nonce: 1, fromBlock: 1n };

/** Reserves with the given results of the ledger, one after another; the last one repeats. */
async function reserve(results: readonly (ReserveClaim | (() => ReserveClaim))[], changes: Partial<PaymentRow> = {}) {
  const row = { ...(await opened.claim('key')), ...changes };
  let calls = 0;
  const payment = opened.paymentOf('key');
  const outcome = await reservePayment(opened.context, opened.offer, { row, payment, terms }, async () => {
    const result = results[Math.min(calls, results.length - 1)];
    calls += 1;
    return typeof result === 'function' ? result() : (result ?? granted);
  });
  return { outcome, calls };
}

test('a new payment reserves its amount', async () => {
  expect(await reserve([granted])).toEqual({ outcome: { kind: 'reserved', claim: granted }, calls: 1 });
  expect(opened.network.calls).toEqual([]);
});

test('a sent payment keeps its reservation; a refused one that was sent reserves again', async () => {
  const sent = await reserve([granted], { state: 'sent', transactions: [transaction] });
  expect(sent).toEqual({ outcome: { kind: 'reserved', claim: undefined }, calls: 0 });
  const refused = await reserve([granted], { state: 'refused', transactions: [transaction] });
  expect(refused).toEqual({ outcome: { kind: 'reserved', claim: granted }, calls: 1 });
});

test('waits for other payments of its wallet, and is refused with 429 when the wait ends', async () => {
  expect((await reserve([{ kind: 'full' }, { kind: 'full' }, granted])).outcome).toMatchObject({ kind: 'reserved' });
  const { outcome, calls } = await reserve([{ kind: 'full' }]);
  expect(outcome).toMatchObject({ kind: 'refuse', reason: 'limited', refusal: { status: 429 } });
  expect(calls).toBeGreaterThan(1);
});

test('the wait is that of the wallet, in any spelling of its address', async () => {
  const { turns } = opened.context;
  const wallets: string[] = [];
  opened.context.turns = {
    ...turns,
    reserve(wallet, work) {
      wallets.push(wallet);
      return turns.reserve(wallet, work);
    },
  };
  await reserve([granted], { payer: '0xABC' });
  expect(wallets).toEqual(['0xabc']);
});

test('a payment whose failure costs this service nothing does not wait', async () => {
  opened.network.spendsOurGas = false;
  expect(await reserve([{ kind: 'full' }, granted])).toMatchObject({ outcome: { kind: 'refuse' }, calls: 1 });
});

test.each([
  ['expires within the margin after the wait', 9_999, true],
  ['still has the margin after the wait', 10_000, false],
])('a payment that %s is verified again: %s ms', async (_, leftMs, isVerified) => {
  const { network, clock } = opened;
  network.expiresAt = clock.time + 60_000;
  network.verifyPayload = async (_terms, nowSeconds) => {
    expect(nowSeconds).toBe(Math.floor(clock.time / 1_000));
    return { kind: 'invalid', reason: 'expired', detail: 'It expires too soon.' };
  };
  const { outcome } = await reserve([
    () => {
      clock.time += 60_000 - leftMs;
      return granted;
    },
  ]);
  expect(network.calls).toEqual(isVerified ? ['verifyPayload'] : []);
  expect(outcome).toMatchObject(
    isVerified ? { kind: 'refuse', reason: 'expired', refusal: { status: 402 } } : { kind: 'reserved', claim: granted },
  );
});

test('an expired payment that is valid after all, or was expired before the wait, is settled', async () => {
  const { network, clock } = opened;
  const passMinute = () => {
    clock.time += 60_000;
    return granted;
  };
  network.expiresAt = clock.time + 60_000;
  expect((await reserve([passMinute])).outcome).toEqual({ kind: 'reserved', claim: granted });
  expect(network.calls).toEqual(['verifyPayload']);
  // A concurrent request may already have sent it.
  expect((await reserve([passMinute])).outcome).toEqual({ kind: 'reserved', claim: granted });
  expect(network.calls).toEqual(['verifyPayload']);
});

test('a payment that waits without cost to this service is not verified again', async () => {
  const { network, clock } = opened;
  network.spendsOurGas = false;
  network.expiresAt = clock.time + 60_000;
  const { outcome } = await reserve([
    () => {
      clock.time += 60_000;
      return granted;
    },
  ]);
  expect(outcome).toEqual({ kind: 'reserved', claim: granted });
  expect(network.calls).toEqual([]);
});

const paused: ReserveClaim = { kind: 'paused', forMs: 30_001 };

test('a paused wallet is refused with 429 and the remaining time', async () => {
  expect((await reserve([paused])).outcome).toMatchObject({
    kind: 'refuse',
    reason: 'paused',
    refusal: { status: 429, headers: { 'Retry-After': '31' } },
  });
  expect(opened.network.calls).toEqual(['verify']);
});

test('a used authorization of a paused wallet is settled, because it may have paid already', async () => {
  opened.network.verify = async () => ({ kind: 'used' });
  expect((await reserve([paused])).outcome).toEqual({ kind: 'reserved', claim: paused });
});

test('an unreadable chain, and a refusal after a possible payment, are not reported as a pause', async () => {
  opened.network.verify = async () => ({ kind: 'unavailable' });
  expect((await reserve([paused])).outcome).toMatchObject({ reason: 'unavailable', refusal: { status: 503 } });
  const refused = { kind: 'refused', reason: 'nonce_used', detail: 'It was used.' } as const;
  opened.network.verify = async () => refused;
  expect((await reserve([paused])).outcome).toMatchObject({ reason: 'paused', refusal: { status: 429 } });
  opened.network.verify = async () => ({ ...refused, mayHavePaid: true });
  const { outcome } = await reserve([paused]);
  expect(outcome).toMatchObject({ reason: 'nonce_used', refusal: { status: 402 } });
  expect(JSON.stringify(outcome)).not.toContain('Nothing was charged.');
});

test('a refusal of a paused wallet leaves the charge open if its payment was sent before and no node replies', async () => {
  opened.network.verify = async () => ({ kind: 'unavailable' });
  const paused: ReserveClaim = { kind: 'paused', forMs: 60_000 };
  const sent = await reserve([paused], { state: 'refused', mayStillPay: true, transactions: [transaction] });
  expect(sent.outcome).toMatchObject({ kind: 'refuse', refusal: { status: 503, charged: null } });
});
