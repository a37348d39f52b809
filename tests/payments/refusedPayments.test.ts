import type { PaymentPayload } from '@x402/core/types';
import pg from 'pg';
import type { PrivateKeyAccount } from 'viem';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Cashier } from '../../server/payments/index.ts';
import { type DatabaseMaker, openDatabaseMaker } from '../storage/bothDatabases.ts';
import { answerTo, attemptOf, openPayWorld, type PayWorld, price } from './payWorld.ts';

// What was sent, failed on chain and was refused: it may be tried again, and may yet turn out to have paid.

let world: PayWorld;
let databases: DatabaseMaker;

beforeAll(async () => {
  [world, databases] = await Promise.all([openPayWorld(), openDatabaseMaker('postgres')]);
});
afterEach(async () => {
  await world.rpc('evm_setAutomine', [true]);
});
afterAll(async () => {
  await databases?.close();
  await world?.close();
});

/** Its wallet is emptied while our transaction waits, so that it fails in its block. */
async function refuseOnChain(cashier: Cashier, payer: PrivateKeyAccount, payload: PaymentPayload): Promise<void> {
  const drain = await world.signTwisted(cashier, payer, { to: world.walletOf('stranger').address });
  await world.rpc('evm_setAutomine', [false]);
  const admitting = cashier.admit(attemptOf(payload));
  await world.untilPending(1);
  await world.sendElsewhere(drain, 200_000_000_000n);
  await world.untilPending(2);
  await world.rpc('anvil_mine');
  expect(await admitting).toMatchObject({ kind: 'refuse', status: 402 });
  await world.rpc('evm_setAutomine', [true]);
}

test('behavior: refused once and tried again by one replica, it is not sent away by another one', async () => {
  let late = 0;
  const now = () => Date.now() + late;
  let signed = 0;
  let letGo: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const place = (await databases.newPlace()) as { url: string };
  const one = await world.openCashier({
    ...place,
    change: (config) => ({
      ...config,
      now,
      ledger: {
        ...config.ledger,
        async journalNext(...step) {
          signed += 1;
          if (signed > 1) await held;
          return config.ledger.journalNext(...step);
        },
      },
    }),
  });
  const other = await world.openCashier({ ...place, change: (config) => ({ ...config, now }) });
  const payer = await world.newPayer(price);
  const payload = await world.sign(one.cashier, payer);
  await refuseOnChain(one.cashier, payer, payload);

  await world.give(payer.address, price);
  await one.endPauses();
  const again = one.cashier.admit(attemptOf(payload));
  await expect.poll(() => signed).toBe(2);
  // Too late to begin with, and begun with next door.
  late = 175_000;
  expect(await other.cashier.admit(attemptOf(payload))).toMatchObject({ status: 503, code: 'SETTLEMENT_UNKNOWN' });
  letGo();
  const admission = await again;
  if (admission.kind !== 'serve') throw new Error(JSON.stringify(admission));
  await admission.complete(answerTo('second try'));
  expect(await other.cashier.admit(attemptOf(payload))).toMatchObject({ kind: 'replay' });
  expect(await world.usdcOf(payer.address)).toBe(0n);
  await other.close();
  await one.close();
});

const keyOf = (payer: PrivateKeyAccount, payload: PaymentPayload): string =>
  [
    'eip155:8453',
    world.chain.usdc,
    payer.address,
    (payload.payload as { authorization: { nonce: string } }).authorization.nonce,
  ]
    .join('|')
    .toLowerCase();

test('behavior: a refused payment is looked at until it has run out and no block before that can be replaced', async () => {
  const place = (await databases.newPlace()) as { url: string };
  const { cashier, ledger, close } = await world.openCashier({
    ...place,
    change: (config) => ({ ...config, timings: { ...config.timings, lookAroundMs: 50 } }),
  });
  const database = new pg.Client({ connectionString: place.url });
  await database.connect();
  const nextLook = async () => (await database.query('SELECT look_at FROM payments')).rows[0].look_at;
  const payer = await world.newPayer(price);
  const payload = await world.sign(cashier, payer);
  await refuseOnChain(cashier, payer, payload);
  const first = await nextLook();
  await expect.poll(nextLook).not.toBe(first);
  const snapshot = await world.rpc<string>('evm_snapshot');
  await world.rpc('evm_increaseTime', [300]);
  await world.rpc('anvil_mine');
  const ranOut = await nextLook();
  await expect.poll(nextLook).not.toBe(ranOut);
  expect(await nextLook()).not.toBeNull();
  await world.rpc('evm_increaseTime', [600]);
  await world.rpc('anvil_mine');
  await expect.poll(nextLook).toBeNull();
  expect(await ledger.load(keyOf(payer, payload))).toMatchObject({ state: 'refused' });
  await database.end();
  await close();
  await world.rpc('evm_revert', [snapshot]);
});

// Last: the wallet that gives money has sent what the chain then forgets.
test('behavior: refused, and brought back to pay by a reorganisation: its payer has a credit, once', async () => {
  const { cashier, ledger, close } = await world.openCashier({
    change: (config) => ({ ...config, timings: { ...config.timings, lookAroundMs: 50 } }),
  });
  const payer = await world.newPayer(price);
  const payload = await world.sign(cashier, payer);
  await refuseOnChain(cashier, payer, payload);
  const key = keyOf(payer, payload);
  const raw = (await ledger.load(key))?.transactions[0]?.raw;
  await world.rpc('anvil_reorg', [1, [[raw, 0]]]);
  expect(await world.usdcOf(payer.address)).toBe(0n);
  await expect.poll(async () => (await ledger.load(key))?.state).toBe('settled');

  const admission = await cashier.admit(attemptOf(payload));
  if (admission.kind !== 'serve') throw new Error(JSON.stringify(admission));
  await admission.complete(answerTo('after all'));
  expect(await cashier.admit(attemptOf(payload))).toMatchObject({ kind: 'replay' });
  expect(await world.usdcOf(payer.address)).toBe(0n);
  await close();
});

test('a payment that was refused while the recovery read its row is not settled by the recovery', async () => {
  const { cashier, ledger, close } = await world.openCashier();
  const payer = await world.newPayer(price);
  const payload = await world.sign(cashier, payer);
  await refuseOnChain(cashier, payer, payload);
  await world.give(payer.address, price);
  const { nonce } = (payload.payload as { authorization: { nonce: string } }).authorization;
  const row = await ledger.load(`eip155:8453|${world.chain.usdc}|${payer.address}|${nonce}`.toLowerCase());
  if (!row) throw new Error('The payment is not in the ledger.');
  let rounds = 0;
  const stale = await world.openCashier({
    change: (config) => ({
      ...config,
      timings: { ...config.timings, lookAroundMs: 50 },
      // The row as it was before the refusal; the ledger has the refusal.
      ledger: {
        ...ledger,
        takeOverUnfinished: async () => {
          rounds += 1;
          return [{ ...row, state: 'sent' }];
        },
      },
    }),
  });
  await expect.poll(() => rounds).toBeGreaterThan(3);
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(await world.usdcOf(payer.address)).toBe(price);
  await Promise.all([stale.close(), close()]);
});

test('a credit that is asked for too often gets 429 and stays', async () => {
  let isLimited = false;
  const { cashier, close } = await world.openCashier({
    change: (config) => ({ ...config, limitPayer: () => (isLimited ? 7 : undefined) }),
  });
  const payer = await world.newPayer(price);
  const attempt = attemptOf(await world.sign(cashier, payer));
  const first = await cashier.admit(attempt);
  if (first.kind !== 'serve') throw new Error(first.kind);
  await first.fail('INTERNAL');
  isLimited = true;
  expect(await cashier.admit(attempt)).toMatchObject({ status: 429, headers: { 'Retry-After': '7' } });
  isLimited = false;
  expect((await cashier.admit(attempt)).kind).toBe('serve');
  await close();
});

test('an answer is replayed until the payment expires, then 409 for every body', async () => {
  let late = 0;
  const { cashier, close } = await world.openCashier({
    change: (config) => ({ ...config, now: () => Date.now() + late }),
  });
  const payload = await world.sign(cashier, await world.newPayer(price));
  const admission = await cashier.admit(attemptOf(payload));
  if (admission.kind !== 'serve') throw new Error(admission.kind);
  await admission.complete(answerTo('payer'));
  expect((await cashier.admit(attemptOf(payload))).kind).toBe('replay');
  late = 181_000;
  const answered = {
    status: 409,
    code: 'PAYMENT_REUSED',
    detail: 'You were charged and answered. Do not sign again for this answer.',
  };
  expect(await cashier.admit(attemptOf(payload))).toMatchObject(answered);
  expect(await cashier.admit(attemptOf(payload, '{"size":"guess"}'))).toMatchObject(answered);
  await close();
});
