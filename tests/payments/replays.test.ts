import type { PaymentPayload } from '@x402/core/types';
import type { PrivateKeyAccount } from 'viem';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Cashier } from '../../server/payments/index.ts';
import { answerTo, attemptOf, openPayWorld, type PayWorld, price } from './payWorld.ts';

// The same payment again: after a refusal, after an unanswered credit, after its answer.

let world: PayWorld;

beforeAll(async () => {
  world = await openPayWorld();
});
afterEach(async () => {
  await world.rpc('evm_setAutomine', [true]);
});
afterAll(() => world?.close());

/** Its wallet is emptied while our transaction waits, so that it fails in its block. */
async function refuseOnChain(cashier: Cashier, payer: PrivateKeyAccount, payload: PaymentPayload): Promise<void> {
  const drain = await world.signTwisted(cashier, payer, { to: world.walletOf('stranger').address });
  await world.rpc('evm_setAutomine', [false]);
  const admitting = cashier.admit(attemptOf(payload));
  await world.untilPending(1);
  await world.sendElsewhere(drain, 200_000_000_000n);
  await world.untilPending(2);
  await world.rpc('anvil_mine');
  expect(await admitting).toMatchObject({ kind: 'refuse', status: 402 });
  await world.rpc('evm_setAutomine', [true]);
}

test('a payment that was refused while the recovery read its row is not settled by the recovery', async () => {
  const { cashier, ledger, close } = await world.openCashier();
  const payer = await world.newPayer(price);
  const payload = await world.sign(cashier, payer);
  await refuseOnChain(cashier, payer, payload);
  await world.give(payer.address, price);
  const { nonce } = (payload.payload as { authorization: { nonce: string } }).authorization;
  const row = await ledger.load(`eip155:8453|${world.chain.usdc}|${payer.address}|${nonce}`.toLowerCase());
  if (!row) throw new Error('The payment is not in the ledger.');
  let rounds = 0;
  const stale = await world.openCashier({
    change: (config) => ({
      ...config,
      timings: { ...config.timings, lookAroundMs: 50 },
      // The row as it was before the refusal; the ledger has the refusal.
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
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(await world.usdcOf(payer.address)).toBe(price);
  await Promise.all([stale.close(), close()]);
});

test('a credit that is asked for too often gets 429 and stays', async () => {
  let isLimited = false;
  const { cashier, close } = await world.openCashier({
    change: (config) => ({ ...config, limitPayer: () => (isLimited ? 7 : undefined) }),
  });
  const payer = await world.newPayer(price);
  const attempt = attemptOf(await world.sign(cashier, payer));
  const first = await cashier.admit(attempt);
  if (first.kind !== 'serve') throw new Error(first.kind);
  await first.fail('INTERNAL');
  isLimited = true;
  expect(await cashier.admit(attempt)).toMatchObject({ status: 429, headers: { 'Retry-After': '7' } });
  isLimited = false;
  expect((await cashier.admit(attempt)).kind).toBe('serve');
  await close();
});

test('an answer is replayed until the payment expires, then 409 for every body', async () => {
  let late = 0;
  const { cashier, close } = await world.openCashier({
    change: (config) => ({ ...config, now: () => Date.now() + late }),
  });
  const payload = await world.sign(cashier, await world.newPayer(price));
  const admission = await cashier.admit(attemptOf(payload));
  if (admission.kind !== 'serve') throw new Error(admission.kind);
  await admission.complete(answerTo('payer'));
  expect((await cashier.admit(attemptOf(payload))).kind).toBe('replay');
  late = 181_000;
  const answered = {
    status: 409,
    code: 'PAYMENT_REUSED',
    detail: 'You were charged and answered. Do not sign again for this answer.',
  };
  expect(await cashier.admit(attemptOf(payload))).toMatchObject(answered);
  expect(await cashier.admit(attemptOf(payload, '{"size":"guess"}'))).toMatchObject(answered);
  await close();
});

test('a group that the chain drops after it was served is sent again, once for all of its payments', async () => {
  const { cashier, close } = await world.openCashier({
    change: (config) => ({ ...config, timings: { ...config.timings, recheckMs: 50 } }),
  });
  const payers = [await world.newPayer(price), await world.newPayer(price), await world.newPayer(price)];
  const attempts = await Promise.all(
    payers.map(async (payer) => attemptOf(await world.sign(cashier, payer), payer.address)),
  );
  // The block that is to be dropped holds nothing but the group.
  await world.rpc('anvil_mine', ['0x2']);
  const nonce = await world.client.getTransactionCount(world.walletOf('facilitator'));
  for (const admission of await Promise.all(attempts.map((attempt) => cashier.admit(attempt)))) {
    if (admission.kind !== 'serve') throw new Error(JSON.stringify(admission));
    await admission.complete(answerTo('served'));
  }
  expect(await world.client.getTransactionCount(world.walletOf('facilitator'))).toBe(nonce + 1);
  await world.rpc('anvil_reorg', [1, []]);
  await world.rpc('anvil_dropAllTransactions');
  for (const { address } of payers) expect(await world.usdcOf(address)).toBe(price);
  await world.rpc('anvil_mine', ['0x5']);
  for (const { address } of payers) {
    await expect.poll(() => world.usdcOf(address)).toBe(0n);
  }
  expect(await world.client.getTransactionCount(world.walletOf('facilitator'))).toBe(nonce + 1);
  await close();
});
