import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Admission } from '../../server/payments/index.ts';
import { attemptOf, openPayWorld, type PayWorld, price } from './payWorld.ts';

let world: PayWorld;

beforeAll(async () => {
  world = await openPayWorld();
});
afterAll(async () => {
  await world?.close();
});

const outcome = (admission: Admission): string => {
  if (admission.kind === 'serve') void admission.complete({ status: 200, contentType: 'application/json', body: '{}' });
  return admission.kind === 'refuse' ? `${admission.status} ${admission.code}` : admission.kind;
};

async function newPayers(count: number, units: bigint) {
  const payers = [];
  for (let index = 0; index < count; index += 1) payers.push(await world.newPayer(units));
  return payers;
}

test('default: 25 funded wallets at once all settle, each charged once', async () => {
  const { cashier, close } = await world.openCashier();
  const payers = await newPayers(25, 2n * price);
  const before = await world.usdcOf(world.payTo);
  const payloads = await Promise.all(payers.map((payer) => world.sign(cashier, payer)));

  const outcomes = await Promise.all(payloads.map(async (payload) => outcome(await cashier.admit(attemptOf(payload)))));

  expect(outcomes).toEqual(Array(25).fill('serve'));
  expect(await world.usdcOf(world.payTo)).toBe(before + 25n * price);
  expect(await Promise.all(payers.map(({ address }) => world.usdcOf(address)))).toEqual(Array(25).fill(price));
  await close();
});

test('behavior: hostile wallets among honest ones cost nobody a payment and leave no gap', async () => {
  const { cashier, close } = await world.openCashier();
  const honest = await newPayers(12, price);
  const poor = await newPayers(8, 0n);
  const cancelling = await newPayers(5, price);
  const before = await world.usdcOf(world.payTo);
  const sign = (payer: (typeof honest)[number]) => world.sign(cashier, payer);
  const [good, bad, cancelled] = [
    await Promise.all(honest.map(sign)),
    await Promise.all(poor.map(sign)),
    await Promise.all(cancelling.map(sign)),
  ];
  for (const [index, payload] of cancelled.entries()) {
    const payer = cancelling[index];
    if (payer) await world.cancel(payer, payload);
  }

  const mixed = [...good, ...bad, ...cancelled].toSorted(() => Math.random() - 0.5);
  const told = new Map(
    await Promise.all(
      mixed.map(async (payload) => [payload, outcome(await cashier.admit(attemptOf(payload)))] as const),
    ),
  );

  expect(good.map((payload) => told.get(payload))).toEqual(Array(12).fill('serve'));
  expect([...bad, ...cancelled].map((payload) => told.get(payload))).toEqual(Array(13).fill('402 PAYMENT_REQUIRED'));
  expect(await world.usdcOf(world.payTo)).toBe(before + 12n * price);
  const facilitator = { address: world.walletOf('facilitator').address };
  expect(await world.client.getTransactionCount({ ...facilitator, blockTag: 'pending' })).toBe(
    await world.client.getTransactionCount({ ...facilitator, blockTag: 'latest' }),
  );
  await close();
});

test('behavior: a wallet that can pay for three of its six calls at once gets three', async () => {
  const { cashier, close } = await world.openCashier();
  const payer = await world.newPayer(3n * price);
  const payloads = await Promise.all(Array.from({ length: 6 }, () => world.sign(cashier, payer)));

  const outcomes = await Promise.all(payloads.map(async (payload) => outcome(await cashier.admit(attemptOf(payload)))));

  expect(outcomes.toSorted()).toEqual([...Array(3).fill('402 PAYMENT_REQUIRED'), ...Array(3).fill('serve')]);
  expect(await world.usdcOf(payer.address)).toBe(0n);
  await close();
});

test('behavior: two cashiers with one facilitator key both settle everything', async () => {
  const [one, two] = [await world.openCashier(), await world.openCashier()];
  const payers = await newPayers(12, price);
  const before = await world.usdcOf(world.payTo);
  const payloads = await Promise.all(payers.map((payer) => world.sign(one.cashier, payer)));

  const outcomes = await Promise.all(
    payloads.map(async (payload, index) => {
      const { cashier } = index % 2 === 0 ? one : two;
      return outcome(await cashier.admit(attemptOf(payload)));
    }),
  );

  expect(outcomes).toEqual(Array(12).fill('serve'));
  expect(await world.usdcOf(world.payTo)).toBe(before + 12n * price);
  await one.close();
  await two.close();
});
