import { EventEmitter, once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DatabaseMaker, openDatabaseMaker } from '../storage/bothDatabases.ts';
import { answerTo, attemptOf, openPaymentFixture, type PaymentFixture, price } from './paymentFixture.ts';

let fixture: PaymentFixture;
let databases: DatabaseMaker;

beforeAll(async () => {
  [fixture, databases] = await Promise.all([openPaymentFixture(), openDatabaseMaker('postgres')]);
});
afterAll(async () => {
  await databases?.close();
  await fixture?.close();
});

test('behavior: releases a payment that its former lease owner also settled', async () => {
  const location = (await databases.newLocation()) as { url: string };
  const newOwner = await fixture.openPaymentService({
    ...location,
    change: (config) => ({
      ...config,
      ledger: {
        ...config.ledger,
        // Simulates the former lease owner, which also finds the payment on chain.
        async settled(key, paymentResponse) {
          await config.ledger.settled(key, paymentResponse);
          await config.ledger.settled(key, paymentResponse);
        },
      },
    }),
  });
  const otherReplica = await fixture.openPaymentService({
    ...location,
    change: (config) => ({ ...config, timings: { ...config.timings, joinDeadlineMs: 1_000 } }),
  });
  const payer = await fixture.newPayer(2n * price);
  const attempt = attemptOf(await fixture.sign(newOwner.paymentService, payer));
  expect(await newOwner.paymentService.decide(attempt)).toMatchObject({ status: 503, code: 'SETTLEMENT_UNKNOWN' });

  const decision = await otherReplica.paymentService.decide(attempt);
  if (decision.kind !== 'serve') throw new Error(JSON.stringify(decision));
  await decision.complete(answerTo('credit'));
  expect(await fixture.usdcOf(payer.address)).toBe(price);
  await otherReplica.close();
  await newOwner.close();
});

test('behavior: releases a credit whose answer could not be stored, so that another replica serves it', async () => {
  const location = (await databases.newLocation()) as { url: string };
  const failing = await fixture.openPaymentService({
    ...location,
    change: (config) => ({
      ...config,
      ledger: { ...config.ledger, answered: () => Promise.reject(new Error('The database is unavailable.')) },
      timings: { ...config.timings, reconcileMs: 100 },
    }),
  });
  const otherReplica = await fixture.openPaymentService({
    ...location,
    change: (config) => ({ ...config, timings: { ...config.timings, joinDeadlineMs: 3_000 } }),
  });
  const payer = await fixture.newPayer(2n * price);
  const attempt = attemptOf(await fixture.sign(failing.paymentService, payer));
  const first = await failing.paymentService.decide(attempt);
  if (first.kind !== 'serve') throw new Error(JSON.stringify(first));
  await expect(first.complete(answerTo('lost'))).rejects.toThrow('unavailable');

  const second = await otherReplica.paymentService.decide(attempt);
  if (second.kind !== 'serve') throw new Error(JSON.stringify(second));
  await second.complete(answerTo('credit'));
  expect(await fixture.usdcOf(payer.address)).toBe(price);
  await otherReplica.close();
  await failing.close();
});

test('error: UPSTREAM_UNAVAILABLE, uncharged, when another replica refuses the payment that this replica waits for', async () => {
  const location = (await databases.newLocation()) as { url: string };
  let releaseRefusal: () => void = () => undefined;
  const refusalReleased = new Promise<void>((resolve) => {
    releaseRefusal = resolve;
  });
  const refusingReplica = await fixture.openPaymentService({
    ...location,
    change: (config) => ({
      ...config,
      ledger: {
        ...config.ledger,
        // Delays the refusal, after the verification found too little balance.
        refused: (key, reason) => refusalReleased.then(() => config.ledger.refused(key, reason)),
      },
    }),
  });
  let claims = 0;
  const otherReplica = await fixture.openPaymentService({
    ...location,
    change: (config) => ({
      ...config,
      ledger: {
        ...config.ledger,
        async claim(facts) {
          claims += 1;
          return config.ledger.claim(facts);
        },
      },
    }),
  });
  const payer = await fixture.newPayer(price - 1n);
  const attempt = attemptOf(await fixture.sign(refusingReplica.paymentService, payer));
  const refusal = refusingReplica.paymentService.decide(attempt);
  await expect.poll(async () => (await refusingReplica.ledger.takeOverUnfinished()).length).toBe(1);
  const waiting = otherReplica.paymentService.decide(attempt);
  await expect.poll(() => claims).toBe(1);
  await fixture.give(payer.address, price);
  releaseRefusal();
  expect(await refusal).toMatchObject({ status: 402 });
  expect(await waiting).toMatchObject({ status: 503, code: 'UPSTREAM_UNAVAILABLE' });
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price - 1n);
  // A request after the refusal is a new attempt.
  expect((await otherReplica.paymentService.decide(attempt)).kind).toBe('serve');
  await otherReplica.close();
  await refusingReplica.close();
});

test('error: UPSTREAM_UNAVAILABLE, uncharged, when another replica refuses the payment during this replica’s verification', async () => {
  const location = (await databases.newLocation()) as { url: string };
  const events = new EventEmitter();
  const refusingReplica = await fixture.openPaymentService({
    ...location,
    change: (config) => ({
      ...config,
      ledger: {
        ...config.ledger,
        refused: (key, reason) => once(events, 'refuse').then(() => config.ledger.refused(key, reason)),
      },
    }),
  });
  const otherReplica = await fixture.openPaymentService(location);
  const payer = await fixture.newPayer(price - 1n);
  const attempt = attemptOf(await fixture.sign(refusingReplica.paymentService, payer));
  const refusal = refusingReplica.paymentService.decide(attempt);
  await expect.poll(() => events.listenerCount('refuse')).toBe(1);
  const slow = { ...attempt, beforeCharge: () => once(events, 'verified').then(() => undefined) };
  const waiting = otherReplica.paymentService.decide(slow);
  await expect.poll(() => events.listenerCount('verified')).toBe(1);
  events.emit('refuse');
  expect(await refusal).toMatchObject({ status: 402 });
  await fixture.give(payer.address, price);
  events.emit('verified');
  expect(await waiting).toMatchObject({ status: 503, code: 'UPSTREAM_UNAVAILABLE' });
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price - 1n);
  expect((await otherReplica.paymentService.decide(attempt)).kind).toBe('serve');
  await otherReplica.close();
  await refusingReplica.close();
});
