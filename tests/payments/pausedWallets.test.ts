import type { PaymentPayload } from '@x402/core/types';
import type { PrivateKeyAccount } from 'viem/accounts';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { PaymentService } from '../../server/payments/index.ts';
import { attemptOf, openPaymentFixture, type PaymentFixture, price } from './paymentFixture.ts';

// Wallets resend payments whose settlement failed on chain. The tests assert on the chain's receipts.

let fixture: PaymentFixture;

beforeAll(async () => {
  fixture = await openPaymentFixture();
});
afterEach(async () => {
  await fixture.rpc('evm_setIntervalMining', [0]);
  await fixture.rpc('evm_setAutomine', [true]);
});
afterAll(() => fixture?.close());

const openPaymentService = () =>
  fixture.openPaymentService({
    change: (config) => ({ ...config, timings: { ...config.timings, settleDeadlineMs: 60_000, rpcTimeoutMs: 60_000 } }),
  });

const decideAll = (paymentService: PaymentService, payloads: readonly PaymentPayload[]) =>
  Promise.all(payloads.map((payload, index) => paymentService.decide(attemptOf(payload, `{"size":"${index}"}`))));

/** Sends the payments and empties the payer's wallet before they are mined, so that each fails on chain. */
async function failOnChain(
  paymentService: PaymentService,
  payer: PrivateKeyAccount,
  payloads: readonly PaymentPayload[],
) {
  const drain = await fixture.signAltered(paymentService, payer, {
    to: fixture.walletOf('demo').address,
    value: await fixture.usdcOf(payer.address),
  });
  await fixture.rpc('evm_setAutomine', [false]);
  const deciding = decideAll(paymentService, payloads);
  // The payments share one transaction.
  await fixture.untilPending(1);
  await fixture.sendByThirdParty(drain, 20_000_000_000n);
  await fixture.untilPending(2);
  await fixture.rpc('evm_mine');
  await fixture.rpc('evm_setAutomine', [true]);
  const decisions = await deciding;
  for (const decision of decisions) expect(decision).toMatchObject({ status: 402 });
}

async function facilitatorStatusesSince(since: bigint): Promise<string[]> {
  const facilitator = fixture.walletOf('facilitator').address.toLowerCase();
  const statuses: string[] = [];
  const latest = await fixture.client.getBlockNumber();
  for (let blockNumber = since + 1n; blockNumber <= latest; blockNumber += 1n) {
    const { transactions } = await fixture.client.getBlock({ blockNumber, includeTransactions: true });
    for (const { from, hash } of transactions) {
      if (from.toLowerCase() === facilitator)
        statuses.push((await fixture.client.getTransactionReceipt({ hash })).status);
    }
  }
  return statuses;
}

test('security: when a wallet that can afford one payment resends 5 failed ones, only one is broadcast', async () => {
  const { paymentService, endPauses, close } = await openPaymentService();
  const payer = await fixture.newPayer(9n * price);
  // Four settlements raise the wallet's limit to five open payments.
  for (let settled = 0; settled < 4; settled += 1) {
    const payload = await fixture.sign(paymentService, payer);
    expect((await paymentService.decide(attemptOf(payload))).kind).toBe('serve');
  }
  const payloads = await Promise.all(Array.from({ length: 5 }, () => fixture.sign(paymentService, payer)));
  await failOnChain(paymentService, payer, payloads);
  await fixture.give(payer.address, price);
  await endPauses();

  const since = await fixture.client.getBlockNumber();
  await fixture.rpc('evm_setAutomine', [false]);
  await fixture.rpc('evm_setIntervalMining', [2]);
  const decisions = await decideAll(paymentService, payloads);
  expect(decisions.filter(({ kind }) => kind === 'serve')).toHaveLength(1);
  expect(await facilitatorStatusesSince(since)).toEqual(['success']);
  await close();
});

test('behavior: refuses a resent failed payment before its broadcast, without a new pause of the wallet', async () => {
  const { paymentService, endPauses, close } = await openPaymentService();
  const payer = await fixture.newPayer(price);
  const payload = await fixture.sign(paymentService, payer);
  await failOnChain(paymentService, payer, [payload]);
  await endPauses();

  const since = await fixture.client.getBlockNumber();
  const retry = await paymentService.decide(attemptOf(payload, '{"size":"0"}'));
  expect(retry).toMatchObject({ status: 402, detail: expect.not.stringContaining('paused') });
  expect(await facilitatorStatusesSince(since)).toEqual([]);
  await fixture.give(payer.address, price);
  expect((await paymentService.decide(attemptOf(await fixture.sign(paymentService, payer)))).kind).toBe('serve');
  await close();
});

test('behavior: serves an authorization of a paused wallet that has already paid through another transaction', async () => {
  const { paymentService, close } = await openPaymentService();
  const payer = await fixture.newPayer(price);
  await failOnChain(paymentService, payer, [await fixture.sign(paymentService, payer)]);
  await fixture.give(payer.address, price);
  const payload = await fixture.sign(paymentService, payer);
  const paidBefore = await fixture.usdcOf(fixture.payTo);
  await fixture.settleByThirdParty(payload);
  expect(await fixture.usdcOf(fixture.payTo)).toBe(paidBefore + price);
  expect(await paymentService.decide(attemptOf(payload))).toMatchObject({ kind: 'serve' });
  await close();
});
