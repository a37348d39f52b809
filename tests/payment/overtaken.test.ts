import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DatabaseMaker, openDatabaseMaker } from '../stores/bothDatabases.ts';
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
