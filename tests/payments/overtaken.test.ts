import { EventEmitter, once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DatabaseMaker, openDatabaseMaker } from '../storage/bothDatabases.ts';
import { answerTo, attemptOf, openPayWorld, type PayWorld, price } from './payWorld.ts';

let world: PayWorld;
let databases: DatabaseMaker;

beforeAll(async () => {
  [world, databases] = await Promise.all([openPayWorld(), openDatabaseMaker('postgres')]);
});
afterAll(async () => {
  await databases?.close();
  await world?.close();
});

test('behavior: settled in the books by one that was taken for dead, a payment is let go by who took it over', async () => {
  const place = (await databases.newPlace()) as { url: string };
  const successor = await world.openCashier({
    ...place,
    change: (config) => ({
      ...config,
      ledger: {
        ...config.ledger,
        // Who it took the payment over from is back, and has seen the money move as well.
        async settled(key, paymentResponse) {
          await config.ledger.settled(key, paymentResponse);
          await config.ledger.settled(key, paymentResponse);
        },
      },
    }),
  });
  const other = await world.openCashier({
    ...place,
    change: (config) => ({ ...config, timings: { ...config.timings, joinDeadlineMs: 1_000 } }),
  });
  const payer = await world.newPayer(2n * price);
  const attempt = attemptOf(await world.sign(successor.cashier, payer));
  expect(await successor.cashier.admit(attempt)).toMatchObject({ status: 503, code: 'SETTLEMENT_UNKNOWN' });

  const admission = await other.cashier.admit(attempt);
  if (admission.kind !== 'serve') throw new Error(JSON.stringify(admission));
  await admission.complete(answerTo('credit'));
  expect(await world.usdcOf(payer.address)).toBe(price);
  await other.close();
  await successor.close();
});

test('behavior: a credit whose answer could not be written is let go, so that any replica may answer it', async () => {
  const place = (await databases.newPlace()) as { url: string };
  const unlucky = await world.openCashier({
    ...place,
    change: (config) => ({
      ...config,
      ledger: { ...config.ledger, answered: () => Promise.reject(new Error('The database is away.')) },
      timings: { ...config.timings, lookAroundMs: 100 },
    }),
  });
  const other = await world.openCashier({
    ...place,
    change: (config) => ({ ...config, timings: { ...config.timings, joinDeadlineMs: 3_000 } }),
  });
  const payer = await world.newPayer(2n * price);
  const attempt = attemptOf(await world.sign(unlucky.cashier, payer));
  const first = await unlucky.cashier.admit(attempt);
  if (first.kind !== 'serve') throw new Error(JSON.stringify(first));
  await expect(first.complete(answerTo('lost'))).rejects.toThrow('away');

  const second = await other.cashier.admit(attempt);
  if (second.kind !== 'serve') throw new Error(JSON.stringify(second));
  await second.complete(answerTo('credit'));
  expect(await world.usdcOf(payer.address)).toBe(price);
  await other.close();
  await unlucky.close();
});

test('error: UPSTREAM_UNAVAILABLE for who waited for another replica’s refusal: what one is refused for, the other does not charge', async () => {
  const place = (await databases.newPlace()) as { url: string };
  let letGo: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const one = await world.openCashier({
    ...place,
    change: (config) => ({
      ...config,
      ledger: {
        ...config.ledger,
        // Found too poor, and about to be told.
        refused: (key, reason) => held.then(() => config.ledger.refused(key, reason)),
      },
    }),
  });
  let followed = 0;
  const other = await world.openCashier({
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
  const payer = await world.newPayer(price - 1n);
  const attempt = attemptOf(await world.sign(one.cashier, payer));
  const refusing = one.cashier.admit(attempt);
  await expect.poll(async () => (await one.ledger.takeOverUnfinished()).length).toBe(1);
  const following = other.cashier.admit(attempt);
  await expect.poll(() => followed).toBe(1);
  await world.give(payer.address, price);
  letGo();
  expect(await refusing).toMatchObject({ status: 402 });
  expect(await following).toMatchObject({ status: 503, code: 'UPSTREAM_UNAVAILABLE' });
  expect(await world.usdcOf(payer.address)).toBe(2n * price - 1n);
  // Who sends it after he was refused means it.
  expect((await other.cashier.admit(attempt)).kind).toBe('serve');
  await other.close();
  await one.close();
});

test('error: UPSTREAM_UNAVAILABLE for who found it in another replica’s hands, and came to it only when that one had refused it', async () => {
  const place = (await databases.newPlace()) as { url: string };
  const events = new EventEmitter();
  const one = await world.openCashier({
    ...place,
    change: (config) => ({
      ...config,
      ledger: {
        ...config.ledger,
        refused: (key, reason) => once(events, 'refuse').then(() => config.ledger.refused(key, reason)),
      },
    }),
  });
  const other = await world.openCashier(place);
  const payer = await world.newPayer(price - 1n);
  const attempt = attemptOf(await world.sign(one.cashier, payer));
  const refusing = one.cashier.admit(attempt);
  await expect.poll(() => events.listenerCount('refuse')).toBe(1);
  const slow = { ...attempt, beforeCharge: () => once(events, 'looked').then(() => undefined) };
  const following = other.cashier.admit(slow);
  await expect.poll(() => events.listenerCount('looked')).toBe(1);
  events.emit('refuse');
  expect(await refusing).toMatchObject({ status: 402 });
  await world.give(payer.address, price);
  events.emit('looked');
  expect(await following).toMatchObject({ status: 503, code: 'UPSTREAM_UNAVAILABLE' });
  expect(await world.usdcOf(payer.address)).toBe(2n * price - 1n);
  expect((await other.cashier.admit(attempt)).kind).toBe('serve');
  await other.close();
  await one.close();
});
