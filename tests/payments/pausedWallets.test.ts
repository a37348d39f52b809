import type { PaymentPayload } from '@x402/core/types';
import type { PrivateKeyAccount } from 'viem/accounts';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Cashier } from '../../server/payments/index.ts';
import { attemptOf, openPayWorld, type PayWorld, price } from './payWorld.ts';

// Wallets whose settlements failed on chain and that send the same payments again. The chain's receipts are the judge.

let world: PayWorld;

beforeAll(async () => {
  world = await openPayWorld();
});
afterEach(async () => {
  await world.rpc('evm_setIntervalMining', [0]);
  await world.rpc('evm_setAutomine', [true]);
});
afterAll(() => world?.close());

const openCashier = () =>
  world.openCashier({
    change: (config) => ({ ...config, timings: { ...config.timings, settleDeadlineMs: 60_000, rpcTimeoutMs: 60_000 } }),
  });

const admitAll = (cashier: Cashier, payloads: readonly PaymentPayload[]) =>
  Promise.all(payloads.map((payload, index) => cashier.admit(attemptOf(payload, `{"size":"${index}"}`))));

/** Sends the payments, and moves all of the payer's USDC away before they are mined: each fails on chain. */
async function failOnChain(cashier: Cashier, payer: PrivateKeyAccount, payloads: readonly PaymentPayload[]) {
  const drain = await world.signTwisted(cashier, payer, {
    to: world.walletOf('demo').address,
    value: await world.usdcOf(payer.address),
  });
  await world.rpc('evm_setAutomine', [false]);
  const admitting = admitAll(cashier, payloads);
  // All of them share one transaction.
  await world.untilPending(1);
  await world.sendElsewhere(drain, 20_000_000_000n);
  await world.untilPending(2);
  await world.rpc('evm_mine');
  await world.rpc('evm_setAutomine', [true]);
  const admissions = await admitting;
  for (const admission of admissions) expect(admission).toMatchObject({ status: 402 });
}

async function statusesSince(since: bigint): Promise<string[]> {
  const facilitator = world.walletOf('facilitator').address.toLowerCase();
  const statuses: string[] = [];
  const latest = await world.client.getBlockNumber();
  for (let blockNumber = since + 1n; blockNumber <= latest; blockNumber += 1n) {
    const { transactions } = await world.client.getBlock({ blockNumber, includeTransactions: true });
    for (const { from, hash } of transactions) {
      if (from.toLowerCase() === facilitator)
        statuses.push((await world.client.getTransactionReceipt({ hash })).status);
    }
  }
  return statuses;
}

test('security: of 5 failed payments sent again by a wallet that can afford one, one is sent to the chain', async () => {
  const { cashier, endPauses, close } = await openCashier();
  const payer = await world.newPayer(5n * price);
  const payloads = await Promise.all(Array.from({ length: 5 }, () => world.sign(cashier, payer)));
  await failOnChain(cashier, payer, payloads);
  await world.give(payer.address, price);
  await endPauses();

  const since = await world.client.getBlockNumber();
  await world.rpc('evm_setAutomine', [false]);
  await world.rpc('evm_setIntervalMining', [2]);
  const admissions = await admitAll(cashier, payloads);
  expect(admissions.filter(({ kind }) => kind === 'serve')).toHaveLength(1);
  expect(await statusesSince(since)).toEqual(['success']);
  await close();
});

test('security: sending a failed payment again does not pause its wallet while nothing new fails on chain', async () => {
  const { cashier, endPauses, close } = await openCashier();
  const payer = await world.newPayer(price);
  const payload = await world.sign(cashier, payer);
  await failOnChain(cashier, payer, [payload]);
  await endPauses();

  const since = await world.client.getBlockNumber();
  const again = await cashier.admit(attemptOf(payload, '{"size":"0"}'));
  expect(again).toMatchObject({ status: 402, detail: expect.not.stringContaining('paused') });
  expect(await statusesSince(since)).toEqual([]);
  await world.give(payer.address, price);
  expect((await cashier.admit(attemptOf(await world.sign(cashier, payer)))).kind).toBe('serve');
  await close();
});

test('behavior: a paused wallet is served for an authorization that has already paid by another transaction', async () => {
  const { cashier, close } = await openCashier();
  const payer = await world.newPayer(price);
  await failOnChain(cashier, payer, [await world.sign(cashier, payer)]);
  await world.give(payer.address, price);
  const payload = await world.sign(cashier, payer);
  const paidBefore = await world.usdcOf(world.payTo);
  await world.submitElsewhere(payload);
  expect(await world.usdcOf(world.payTo)).toBe(paidBefore + price);
  expect(await cashier.admit(attemptOf(payload))).toMatchObject({ kind: 'serve' });
  await close();
});
