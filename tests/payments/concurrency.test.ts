import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PaymentDecision } from '../../server/payments/index.ts';
import { attemptOf, openPaymentFixture, type PaymentFixture, price } from './paymentFixture.ts';

let fixture: PaymentFixture;

beforeAll(async () => {
  fixture = await openPaymentFixture();
});
afterAll(async () => {
  await fixture?.close();
});

const outcome = (decision: PaymentDecision): string => {
  if (decision.kind === 'serve') void decision.complete({ status: 200, contentType: 'application/json', body: '{}' });
  return decision.kind === 'refuse' ? `${decision.status} ${decision.code}` : decision.kind;
};

async function newPayers(count: number, units: bigint) {
  const payers = [];
  for (let index = 0; index < count; index += 1) payers.push(await fixture.newPayer(units));
  return payers;
}

test('default: settles 25 concurrent wallets, each charged once', async () => {
  const { paymentService, close } = await fixture.openPaymentService();
  const payers = await newPayers(25, 2n * price);
  const before = await fixture.usdcOf(fixture.payTo);
  const payloads = await Promise.all(payers.map((payer) => fixture.sign(paymentService, payer)));

  const outcomes = await Promise.all(
    payloads.map(async (payload) => outcome(await paymentService.decide(attemptOf(payload)))),
  );

  expect(outcomes).toEqual(Array(25).fill('serve'));
  expect(await fixture.usdcOf(fixture.payTo)).toBe(before + 25n * price);
  expect(await Promise.all(payers.map(({ address }) => fixture.usdcOf(address)))).toEqual(Array(25).fill(price));
  await close();
});

test('behavior: refused payments do not affect concurrent valid ones and leave no nonce gap', async () => {
  const { paymentService, close } = await fixture.openPaymentService();
  const fundedPayers = await newPayers(12, price);
  const emptyPayers = await newPayers(8, 0n);
  const cancellingPayers = await newPayers(5, price);
  const before = await fixture.usdcOf(fixture.payTo);
  const sign = (payer: (typeof fundedPayers)[number]) => fixture.sign(paymentService, payer);
  const [fundedPayloads, emptyPayloads, cancelledPayloads] = [
    await Promise.all(fundedPayers.map(sign)),
    await Promise.all(emptyPayers.map(sign)),
    await Promise.all(cancellingPayers.map(sign)),
  ];
  for (const [index, payload] of cancelledPayloads.entries()) {
    const payer = cancellingPayers[index];
    if (payer) await fixture.cancel(payer, payload);
  }

  const mixed = [...fundedPayloads, ...emptyPayloads, ...cancelledPayloads].toSorted(() => Math.random() - 0.5);
  const results = new Map(
    await Promise.all(
      mixed.map(async (payload) => [payload, outcome(await paymentService.decide(attemptOf(payload)))] as const),
    ),
  );

  expect(fundedPayloads.map((payload) => results.get(payload))).toEqual(Array(12).fill('serve'));
  expect([...emptyPayloads, ...cancelledPayloads].map((payload) => results.get(payload))).toEqual(
    Array(13).fill('402 PAYMENT_REQUIRED'),
  );
  expect(await fixture.usdcOf(fixture.payTo)).toBe(before + 12n * price);
  const facilitator = { address: fixture.walletOf('facilitator').address };
  expect(await fixture.client.getTransactionCount({ ...facilitator, blockTag: 'pending' })).toBe(
    await fixture.client.getTransactionCount({ ...facilitator, blockTag: 'latest' }),
  );
  await close();
});

test('behavior: serves three of six concurrent calls of a wallet with funds for three', async () => {
  const { paymentService, close } = await fixture.openPaymentService();
  const payer = await fixture.newPayer(3n * price);
  const payloads = await Promise.all(Array.from({ length: 6 }, () => fixture.sign(paymentService, payer)));

  const outcomes = await Promise.all(
    payloads.map(async (payload) => outcome(await paymentService.decide(attemptOf(payload)))),
  );

  expect(outcomes.toSorted()).toEqual([...Array(3).fill('402 PAYMENT_REQUIRED'), ...Array(3).fill('serve')]);
  expect(await fixture.usdcOf(payer.address)).toBe(0n);
  await close();
});

test('behavior: two payment services with separate ledgers and one facilitator key settle all payments', async () => {
  const [firstService, secondService] = [await fixture.openPaymentService(), await fixture.openPaymentService()];
  const payers = await newPayers(12, price);
  const before = await fixture.usdcOf(fixture.payTo);
  const payloads = await Promise.all(payers.map((payer) => fixture.sign(firstService.paymentService, payer)));

  const outcomes = await Promise.all(
    payloads.map(async (payload, index) => {
      const { paymentService } = index % 2 === 0 ? firstService : secondService;
      return outcome(await paymentService.decide(attemptOf(payload)));
    }),
  );

  expect(outcomes).toEqual(Array(12).fill('serve'));
  expect(await fixture.usdcOf(fixture.payTo)).toBe(before + 12n * price);
  await firstService.close();
  await secondService.close();
});
