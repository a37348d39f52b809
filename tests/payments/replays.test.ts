import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { answerTo, attemptOf, openPaymentFixture, type PaymentFixture, price } from './paymentFixture.ts';
import { refuseOnChain } from './refuseOnChain.ts';
import { ledgerKeyOf } from './signPayment.ts';
import { passTime } from './waitForChain.ts';

// Retries of a payment after a refusal, while a credit remains, and after the answer.

let fixture: PaymentFixture;

beforeAll(async () => {
  fixture = await openPaymentFixture();
});
afterEach(async () => {
  await fixture.rpc('evm_setAutomine', [true]);
});
afterAll(() => fixture?.close());

test('behavior: the reconciliation does not settle a payment that was refused after its row was read', async () => {
  const { paymentService, ledger, close } = await fixture.openPaymentService();
  const payer = await fixture.newPayer(price);
  const payload = await fixture.sign(paymentService, payer);
  await refuseOnChain(fixture, paymentService, payer, payload);
  await fixture.give(payer.address, price);
  const row = await ledger.load(ledgerKeyOf(payload));
  if (!row) throw new Error('The payment is not in the ledger.');
  let rounds = 0;
  const stale = await fixture.openPaymentService({
    change: (config) => ({
      ...config,
      timings: { ...config.timings, reconcileMs: 50 },
      // Returns the row as it was before the refusal.
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
  // Waits for the settlements that are in progress.
  await stale.close();
  expect(await fixture.usdcOf(payer.address)).toBe(price);
  await close();
});

test('error: 429 for a credit above the wallet’s rate limit; the credit remains', async () => {
  let isLimited = false;
  const { paymentService, close } = await fixture.openPaymentService({
    change: (config) => ({ ...config, limitPayer: () => (isLimited ? 7 : undefined) }),
  });
  const payer = await fixture.newPayer(price);
  const attempt = attemptOf(await fixture.sign(paymentService, payer));
  const first = await paymentService.decide(attempt);
  if (first.kind !== 'serve') throw new Error(first.kind);
  await first.fail('INTERNAL');
  isLimited = true;
  expect(await paymentService.decide(attempt)).toMatchObject({ status: 429, headers: { 'Retry-After': '7' } });
  isLimited = false;
  expect((await paymentService.decide(attempt)).kind).toBe('serve');
  await close();
});

test('behavior: replays an answer until the payment expires, then 409 for every body', async () => {
  let clockOffsetMs = 0;
  const { paymentService, close } = await fixture.openPaymentService({
    change: (config) => ({ ...config, now: () => Date.now() + clockOffsetMs }),
  });
  const payload = await fixture.sign(paymentService, await fixture.newPayer(price));
  const decision = await paymentService.decide(attemptOf(payload));
  if (decision.kind !== 'serve') throw new Error(decision.kind);
  await decision.complete(answerTo('payer'));
  expect((await paymentService.decide(attemptOf(payload))).kind).toBe('replay');
  clockOffsetMs = 181_000;
  const answered = {
    status: 409,
    code: 'PAYMENT_REUSED',
    detail: 'You were charged and answered. Do not sign again for this answer.',
  };
  expect(await paymentService.decide(attemptOf(payload))).toMatchObject(answered);
  expect(await paymentService.decide(attemptOf(payload, '{"size":"guess"}'))).toMatchObject(answered);
  await close();
});

test('behavior: rebroadcasts a served group that a reorganisation dropped in one transaction', async () => {
  const { paymentService, close } = await fixture.openPaymentService({
    change: (config) => ({ ...config, timings: { ...config.timings, recheckMs: 50 } }),
  });
  const payers = [await fixture.newPayer(price), await fixture.newPayer(price), await fixture.newPayer(price)];
  const attempts = await Promise.all(
    payers.map(async (payer) => attemptOf(await fixture.sign(paymentService, payer), payer.address)),
  );
  // Mine blocks first, so that the dropped block contains only the group.
  await fixture.rpc('anvil_mine', ['0x2']);
  const nonce = await fixture.client.getTransactionCount(fixture.walletOf('facilitator'));
  for (const decision of await Promise.all(attempts.map((attempt) => paymentService.decide(attempt)))) {
    if (decision.kind !== 'serve') throw new Error(JSON.stringify(decision));
    await decision.complete(answerTo('served'));
  }
  expect(await fixture.client.getTransactionCount(fixture.walletOf('facilitator'))).toBe(nonce + 1);
  await fixture.rpc('anvil_reorg', [1, []]);
  await fixture.rpc('anvil_dropAllTransactions');
  for (const { address } of payers) expect(await fixture.usdcOf(address)).toBe(price);
  const endMining = passTime(fixture);
  for (const { address } of payers) {
    await expect.poll(() => fixture.usdcOf(address), { timeout: 20_000 }).toBe(0n);
  }
  endMining();
  expect(await fixture.client.getTransactionCount(fixture.walletOf('facilitator'))).toBe(nonce + 1);
  await close();
});
