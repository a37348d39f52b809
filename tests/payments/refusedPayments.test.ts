import type { PaymentPayload } from '@x402/core/types';
import pg from 'pg';
import type { PrivateKeyAccount } from 'viem';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type DatabaseMaker, openDatabaseMaker } from '../storage/bothDatabases.ts';
import { answerTo, attemptOf, openPaymentFixture, type PaymentFixture, price } from './paymentFixture.ts';
import { refuseOnChain } from './refuseOnChain.ts';

// Payments that failed on chain and were refused: they can be tried again, and may still pay later.

let fixture: PaymentFixture;
let databases: DatabaseMaker;

beforeAll(async () => {
  [fixture, databases] = await Promise.all([openPaymentFixture(), openDatabaseMaker('postgres')]);
});
afterEach(async () => {
  await fixture.rpc('evm_setAutomine', [true]);
});
afterAll(async () => {
  await databases?.close();
  await fixture?.close();
});

test('behavior: a replica does not refuse a refused payment that another replica is settling again', async () => {
  let late = 0;
  const now = () => Date.now() + late;
  let signed = 0;
  let releaseClaim: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    releaseClaim = resolve;
  });
  const place = (await databases.newPlace()) as { url: string };
  const one = await fixture.openPaymentService({
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
  const other = await fixture.openPaymentService({ ...place, change: (config) => ({ ...config, now }) });
  const payer = await fixture.newPayer(price);
  const payload = await fixture.sign(one.paymentService, payer);
  await refuseOnChain(fixture, one.paymentService, payer, payload);

  await fixture.give(payer.address, price);
  await one.endPauses();
  const again = one.paymentService.decide(attemptOf(payload));
  await expect.poll(() => signed).toBe(2);
  // Its remaining time is too short for this replica, and the other one has begun it.
  late = 175_000;
  expect(await other.paymentService.decide(attemptOf(payload))).toMatchObject({
    status: 503,
    code: 'SETTLEMENT_UNKNOWN',
  });
  releaseClaim();
  const decision = await again;
  if (decision.kind !== 'serve') throw new Error(JSON.stringify(decision));
  await decision.complete(answerTo('second try'));
  expect(await other.paymentService.decide(attemptOf(payload))).toMatchObject({ kind: 'replay' });
  expect(await fixture.usdcOf(payer.address)).toBe(0n);
  await other.close();
  await one.close();
});

const keyOf = (payer: PrivateKeyAccount, payload: PaymentPayload): string =>
  [
    'eip155:8453',
    fixture.chain.usdc,
    payer.address,
    (payload.payload as { authorization: { nonce: string } }).authorization.nonce,
  ]
    .join('|')
    .toLowerCase();

test('behavior: rechecks a refused payment until it has expired and no earlier block can be replaced', async () => {
  const place = (await databases.newPlace()) as { url: string };
  const { paymentService, ledger, close } = await fixture.openPaymentService({
    ...place,
    change: (config) => ({ ...config, timings: { ...config.timings, reconcileMs: 50 } }),
  });
  const database = new pg.Client({ connectionString: place.url });
  await database.connect();
  const nextLook = async () => (await database.query('SELECT look_at FROM payments')).rows[0].look_at;
  const payer = await fixture.newPayer(price);
  const payload = await fixture.sign(paymentService, payer);
  await refuseOnChain(fixture, paymentService, payer, payload);
  const first = await nextLook();
  await expect.poll(nextLook).not.toBe(first);
  const snapshot = await fixture.rpc<string>('evm_snapshot');
  await fixture.rpc('evm_increaseTime', [300]);
  await fixture.rpc('anvil_mine');
  const ranOut = await nextLook();
  await expect.poll(nextLook).not.toBe(ranOut);
  expect(await nextLook()).not.toBeNull();
  await fixture.rpc('evm_increaseTime', [600]);
  await fixture.rpc('anvil_mine');
  await expect.poll(nextLook).toBeNull();
  expect(await ledger.load(keyOf(payer, payload))).toMatchObject({ state: 'refused' });
  await database.end();
  await close();
  await fixture.rpc('evm_revert', [snapshot]);
});

// Last: the funding wallet's dropped transaction leaves its nonce count wrong.
test('behavior: a refused payment that pays after a reorganisation becomes one credit', async () => {
  const { paymentService, ledger, close } = await fixture.openPaymentService({
    change: (config) => ({ ...config, timings: { ...config.timings, reconcileMs: 50 } }),
  });
  const payer = await fixture.newPayer(price);
  const payload = await fixture.sign(paymentService, payer);
  await refuseOnChain(fixture, paymentService, payer, payload);
  const key = keyOf(payer, payload);
  const raw = (await ledger.load(key))?.transactions[0]?.raw;
  await fixture.rpc('anvil_reorg', [1, [[raw, 0]]]);
  expect(await fixture.usdcOf(payer.address)).toBe(0n);
  await expect.poll(async () => (await ledger.load(key))?.state).toBe('settled');

  const decision = await paymentService.decide(attemptOf(payload));
  if (decision.kind !== 'serve') throw new Error(JSON.stringify(decision));
  await decision.complete(answerTo('after all'));
  expect(await paymentService.decide(attemptOf(payload))).toMatchObject({ kind: 'replay' });
  expect(await fixture.usdcOf(payer.address)).toBe(0n);
  await close();
});
