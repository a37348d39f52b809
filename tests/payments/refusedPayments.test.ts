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
