import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type DatabaseMaker, openDatabaseMaker } from '../storage/bothDatabases.ts';
import { answerTo, attemptOf, openPaymentFixture, type PaymentFixture, price } from './paymentFixture.ts';
import { refuseOnChain } from './refuseOnChain.ts';
import { ledgerKeyOf } from './signPayment.ts';

// Payments that failed on chain and were refused. A retry or a later transaction can still settle them.

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

test('behavior: SETTLEMENT_UNKNOWN, not 402, for a refused payment that another replica is settling again', async () => {
  let clockOffsetMs = 0;
  const now = () => Date.now() + clockOffsetMs;
  let signed = 0;
  let releaseClaim: () => void = () => undefined;
  const claimReleased = new Promise<void>((resolve) => {
    releaseClaim = resolve;
  });
  const location = (await databases.newLocation()) as { url: string };
  const settling = await fixture.openPaymentService({
    ...location,
    change: (config) => ({
      ...config,
      now,
      ledger: {
        ...config.ledger,
        async journalNext(...step) {
          signed += 1;
          if (signed > 1) await claimReleased;
          return config.ledger.journalNext(...step);
        },
      },
    }),
  });
  const other = await fixture.openPaymentService({ ...location, change: (config) => ({ ...config, now }) });
  const payer = await fixture.newPayer(price);
  const payload = await fixture.sign(settling.paymentService, payer);
  await refuseOnChain(fixture, settling.paymentService, payer, payload);

  await fixture.give(payer.address, price);
  await settling.endPauses();
  const retry = settling.paymentService.decide(attemptOf(payload));
  await expect.poll(() => signed).toBe(2);
  // Too little validity is left for a new settlement, and the other replica has begun one.
  clockOffsetMs = 175_000;
  expect(await other.paymentService.decide(attemptOf(payload))).toMatchObject({
    status: 503,
    code: 'SETTLEMENT_UNKNOWN',
  });
  releaseClaim();
  const decision = await retry;
  if (decision.kind !== 'serve') throw new Error(JSON.stringify(decision));
  await decision.complete(answerTo('retry'));
  expect(await other.paymentService.decide(attemptOf(payload))).toMatchObject({ kind: 'replay' });
  expect(await fixture.usdcOf(payer.address)).toBe(0n);
  await other.close();
  await settling.close();
});

test('behavior: rechecks a refused payment until it has expired and a reorganisation can no longer include it', async () => {
  const location = (await databases.newLocation()) as { url: string };
  const { paymentService, ledger, close } = await fixture.openPaymentService({
    ...location,
    change: (config) => ({ ...config, timings: { ...config.timings, reconcileMs: 50 } }),
  });
  const database = new pg.Client({ connectionString: location.url });
  await database.connect();
  const readNextCheck = async () => (await database.query('SELECT look_at FROM payments')).rows[0].look_at;
  const payer = await fixture.newPayer(price);
  const payload = await fixture.sign(paymentService, payer);
  await refuseOnChain(fixture, paymentService, payer, payload);
  const first = await readNextCheck();
  await expect.poll(readNextCheck).not.toBe(first);
  const snapshot = await fixture.rpc<string>('evm_snapshot');
  await fixture.rpc('evm_increaseTime', [300]);
  await fixture.rpc('anvil_mine');
  const afterExpiry = await readNextCheck();
  await expect.poll(readNextCheck).not.toBe(afterExpiry);
  expect(await readNextCheck()).not.toBeNull();
  await fixture.rpc('evm_increaseTime', [600]);
  await fixture.rpc('anvil_mine');
  await expect.poll(readNextCheck).toBeNull();
  expect(await ledger.load(ledgerKeyOf(payload))).toMatchObject({ state: 'refused' });
  await database.end();
  await close();
  await fixture.rpc('evm_revert', [snapshot]);
});

// Must stay the last test: after the dropped transaction the funding wallet's nonce manager is wrong.
test('behavior: a refused payment that a reorganisation settles becomes a credit for one answer', async () => {
  const { paymentService, ledger, close } = await fixture.openPaymentService({
    change: (config) => ({ ...config, timings: { ...config.timings, reconcileMs: 50 } }),
  });
  const payer = await fixture.newPayer(price);
  const payload = await fixture.sign(paymentService, payer);
  await refuseOnChain(fixture, paymentService, payer, payload);
  const key = ledgerKeyOf(payload);
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
