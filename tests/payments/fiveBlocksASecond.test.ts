import { decodePaymentResponseHeader } from '@x402/core/http';
import type { Hex } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { liveBlockMs } from '../../sandbox/index.ts';
import { answerTo, assertServed, attemptOf, openPaymentFixture, type PaymentFixture, price } from './paymentFixture.ts';
import { acceptsAlways } from './walletCodes.ts';

// Payments on a chain that mines as Base does: a block every 200 ms, timestamps in whole seconds. The other tests of this
// folder decide themselves when a block is mined.

let fixture: PaymentFixture;

beforeAll(async () => {
  fixture = await openPaymentFixture('base', { base: liveBlockMs.base });
});
afterAll(() => fixture?.close());

const head = async () => fixture.client.getBlock();

test('behavior: charges fifty payers once each, four calls after another, over blocks that share timestamps', async () => {
  const { paymentService, close } = await fixture.openPaymentService();
  const calls = 4;
  const payers = await Promise.all(Array.from({ length: 50 }, () => fixture.newPayer(BigInt(calls) * price)));
  const before = await fixture.usdcOf(fixture.payTo);
  await Promise.all(
    payers.map(async (payer) => {
      for (let call = 0; call < calls; call += 1) {
        const payload = await fixture.sign(paymentService, payer);
        const decision = await paymentService.decide(attemptOf(payload, `{"size":"${call}"}`));
        await assertServed(decision).complete(answerTo(`${call}`));
      }
    }),
  );
  expect(await fixture.usdcOf(fixture.payTo)).toBe(before + BigInt(payers.length * calls) * price);
  for (const payer of payers) expect(await fixture.usdcOf(payer.address)).toBe(0n);
  await close();
});

test('behavior: charges a contract wallet, whose transfer is simulated in later blocks', async () => {
  const { paymentService, close } = await fixture.openPaymentService();
  const [signer, wallet] = [await fixture.newPayer(0n), await fixture.newPayer(price)];
  await fixture.rpc('anvil_setCode', [wallet.address, acceptsAlways]);
  const payload = await fixture.sign(paymentService, wallet);
  const { signature } = (await fixture.sign(paymentService, signer)).payload;
  const paid = { ...payload, payload: { ...payload.payload, signature } };
  assertServed(await paymentService.decide(attemptOf(paid)));
  expect(await fixture.usdcOf(wallet.address)).toBe(0n);
  await close();
});

test('behavior: finds a third party’s transaction more than 64 blocks later', async () => {
  const { paymentService, close } = await fixture.openPaymentService();
  const payer = await fixture.newPayer(2n * price);
  const payload = await fixture.sign(paymentService, payer);
  await fixture.settleByThirdParty(payload);
  const { number } = await head();
  await expect.poll(async () => (await head()).number, { timeout: 60_000 }).toBeGreaterThan(number + 64n);
  assertServed(await paymentService.decide(attemptOf(payload)));
  expect(await fixture.usdcOf(payer.address)).toBe(price);
  await close();
});

test('behavior: rebroadcasts a served payment that a reorganisation dropped, eight seconds of the chain later', async () => {
  const { paymentService, close } = await fixture.openPaymentService({
    change: (config) => ({ ...config, timings: { ...config.timings, recheckMs: 50 } }),
  });
  const payer = await fixture.newPayer(2n * price);
  const payload = await fixture.sign(paymentService, payer);
  const { paymentResponse } = assertServed(await paymentService.decide(attemptOf(payload)));
  const hash = decodePaymentResponseHeader(paymentResponse ?? '').transaction as Hex;
  await fixture.mining?.pause();
  const served = await fixture.client.getTransactionReceipt({ hash });
  const { timestamp } = await fixture.client.getBlock({ blockNumber: served.blockNumber });
  const depth = Number((await head()).number - served.blockNumber) + 1;
  await fixture.rpc('anvil_reorg', [depth, []]);
  await fixture.rpc('anvil_dropAllTransactions');
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
  fixture.mining?.resume();
  await expect.poll(() => fixture.usdcOf(payer.address), { timeout: 60_000 }).toBe(price);
  const paid = await head();
  // The first head that the service read may be of the second before the payment's block.
  expect(paid.timestamp - timestamp).toBeGreaterThanOrEqual(7n);
  await close();
});
