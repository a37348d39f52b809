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

test('behavior: a payment that its former owner also settled is released by the replica that took it over', async () => {
  const place = (await databases.newPlace()) as { url: string };
  const successor = await fixture.openPaymentService({
    ...place,
    change: (config) => ({
      ...config,
      ledger: {
        ...config.ledger,
        // The former owner resumes, and has also seen the payment on chain.
        async settled(key, paymentResponse) {
          await config.ledger.settled(key, paymentResponse);
          await config.ledger.settled(key, paymentResponse);
        },
      },
    }),
  });
  const other = await fixture.openPaymentService({
    ...place,
    change: (config) => ({ ...config, timings: { ...config.timings, joinDeadlineMs: 1_000 } }),
  });
  const payer = await fixture.newPayer(2n * price);
  const attempt = attemptOf(await fixture.sign(successor.paymentService, payer));
  expect(await successor.paymentService.decide(attempt)).toMatchObject({ status: 503, code: 'SETTLEMENT_UNKNOWN' });

  const decision = await other.paymentService.decide(attempt);
  if (decision.kind !== 'serve') throw new Error(JSON.stringify(decision));
  await decision.complete(answerTo('credit'));
  expect(await fixture.usdcOf(payer.address)).toBe(price);
  await other.close();
  await successor.close();
});

test('behavior: a credit whose answer could not be stored is released, so that any replica can answer it', async () => {
  const place = (await databases.newPlace()) as { url: string };
  const failing = await fixture.openPaymentService({
    ...place,
    change: (config) => ({
      ...config,
      ledger: { ...config.ledger, answered: () => Promise.reject(new Error('The database is unavailable.')) },
      timings: { ...config.timings, reconcileMs: 100 },
    }),
  });
  const other = await fixture.openPaymentService({
    ...place,
    change: (config) => ({ ...config, timings: { ...config.timings, joinDeadlineMs: 3_000 } }),
  });
  const payer = await fixture.newPayer(2n * price);
  const attempt = attemptOf(await fixture.sign(failing.paymentService, payer));
  const first = await failing.paymentService.decide(attempt);
  if (first.kind !== 'serve') throw new Error(JSON.stringify(first));
  await expect(first.complete(answerTo('lost'))).rejects.toThrow('unavailable');

  const second = await other.paymentService.decide(attempt);
  if (second.kind !== 'serve') throw new Error(JSON.stringify(second));
  await second.complete(answerTo('credit'));
  expect(await fixture.usdcOf(payer.address)).toBe(price);
  await other.close();
  await failing.close();
});

test('error: UPSTREAM_UNAVAILABLE, uncharged, if another replica refuses the payment that this one waits for', async () => {
  const place = (await databases.newPlace()) as { url: string };
  let releaseClaim: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    releaseClaim = resolve;
  });
  const one = await fixture.openPaymentService({
    ...place,
    change: (config) => ({
      ...config,
      ledger: {
        ...config.ledger,
        // The verification found too little balance; its refusal is not sent yet.
        refused: (key, reason) => held.then(() => config.ledger.refused(key, reason)),
      },
    }),
  });
  let followed = 0;
  const other = await fixture.openPaymentService({
    ...place,
    change: (config) => ({
      ...config,
      ledger: {
        ...config.ledger,
        async claim(facts) {
          followed += 1;
          return config.ledger.claim(facts);
        },
      },
    }),
  });
  const payer = await fixture.newPayer(price - 1n);
  const attempt = attemptOf(await fixture.sign(one.paymentService, payer));
  const refusing = one.paymentService.decide(attempt);
  await expect.poll(async () => (await one.ledger.takeOverUnfinished()).length).toBe(1);
  const following = other.paymentService.decide(attempt);
  await expect.poll(() => followed).toBe(1);
  await fixture.give(payer.address, price);
  releaseClaim();
  expect(await refusing).toMatchObject({ status: 402 });
  expect(await following).toMatchObject({ status: 503, code: 'UPSTREAM_UNAVAILABLE' });
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price - 1n);
  // A client that sends it after the refusal wants a new attempt.
  expect((await other.paymentService.decide(attempt)).kind).toBe('serve');
  await other.close();
  await one.close();
});

test('error: UPSTREAM_UNAVAILABLE, uncharged, if another replica refuses the payment during the verification here', async () => {
  const place = (await databases.newPlace()) as { url: string };
  const events = new EventEmitter();
  const one = await fixture.openPaymentService({
    ...place,
    change: (config) => ({
      ...config,
      ledger: {
        ...config.ledger,
        refused: (key, reason) => once(events, 'refuse').then(() => config.ledger.refused(key, reason)),
      },
    }),
  });
  const other = await fixture.openPaymentService(place);
  const payer = await fixture.newPayer(price - 1n);
  const attempt = attemptOf(await fixture.sign(one.paymentService, payer));
  const refusing = one.paymentService.decide(attempt);
  await expect.poll(() => events.listenerCount('refuse')).toBe(1);
  const slow = { ...attempt, beforeCharge: () => once(events, 'looked').then(() => undefined) };
  const following = other.paymentService.decide(slow);
  await expect.poll(() => events.listenerCount('looked')).toBe(1);
  events.emit('refuse');
  expect(await refusing).toMatchObject({ status: 402 });
  await fixture.give(payer.address, price);
  events.emit('looked');
  expect(await following).toMatchObject({ status: 503, code: 'UPSTREAM_UNAVAILABLE' });
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price - 1n);
  expect((await other.paymentService.decide(attempt)).kind).toBe('serve');
  await other.close();
  await one.close();
});
