import { setTimeout as sleep } from 'node:timers/promises';
import { decodePaymentResponseHeader } from '@x402/core/http';
import { type Hex, parseTransaction } from 'viem';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startRpcProxy } from '../../sandbox/index.ts';
import type { PaymentDecision } from '../../server/payments/index.ts';
import { rewriting } from '../rpcFaults/rewriteReplies.ts';
import { attemptOf, openPaymentFixture, type PaymentFixture, price } from './paymentFixture.ts';
import { refuseOnChain } from './refuseOnChain.ts';

// Transactions that are pending, replaced, overtaken or dropped by the chain.

let fixture: PaymentFixture;

beforeAll(async () => {
  fixture = await openPaymentFixture();
});
afterEach(async () => {
  await fixture.rpc('evm_setAutomine', [true]);
});
afterAll(async () => {
  await fixture?.close();
});

const transactionOf = (decision: PaymentDecision): string =>
  decision.kind === 'serve'
    ? decodePaymentResponseHeader(decision.paymentResponse).transaction
    : JSON.stringify(decision);

test('behavior: raises the fee of a transaction that became too cheap, below the price of the call, and charges once', async () => {
  const proxy = await startRpcProxy(fixture.chain.rpcUrl);
  // A tip that leaves room for a higher base fee.
  proxy.fault = (calls) =>
    calls.some(({ method }) => method === 'eth_maxPriorityFeePerGas') ? rewriting(() => '0xf4240') : undefined;
  const { paymentService, close } = await fixture.openPaymentService({
    rpcUrl: proxy.url,
    change: (config) => ({ ...config, timings: { ...config.timings, bumpAfterMs: 1_500 } }),
  });
  const payer = await fixture.newPayer(3n * price);
  const facilitator = { address: fixture.walletOf('facilitator').address };
  const before = await fixture.client.getTransactionCount(facilitator);
  const payload = await fixture.sign(paymentService, payer);
  const { baseFeePerGas } = await fixture.client.getBlock();
  await fixture.rpc('evm_setAutomine', [false]);
  const deciding = paymentService.decide(attemptOf(payload));
  await fixture.untilPending(1);
  const mineAt = async (baseFee: bigint) => {
    await fixture.rpc('anvil_setNextBlockBaseFeePerGas', [`0x${baseFee.toString(16)}`]);
    await fixture.rpc('anvil_mine');
  };
  const readOffers = () => {
    const calls = proxy.requests.flatMap((request) => request.calls);
    const sent = calls
      .filter(({ method }) => method.startsWith('eth_sendRawTransaction'))
      .map(({ params }) => params[0] as Hex);
    return [...new Set(sent)].map((raw) => parseTransaction(raw));
  };
  const [first] = readOffers();
  // 10 gwei: far more than the call costs.
  await mineAt(10n ** 10n);
  await expect.poll(() => readOffers().length).toBe(2);
  for (const { gas = 0n, maxFeePerGas = 0n } of readOffers()) {
    // 0.02 USD, with the coin at 2,500 USD.
    expect(gas * maxFeePerGas).toBeLessThan(8n * 10n ** 12n);
  }
  expect(await fixture.usdcOf(payer.address)).toBe(3n * price);

  const settled = deciding.then(({ kind }) => kind);
  let kind: string | undefined;
  while (kind === undefined) {
    await mineAt((first?.maxFeePerGas ?? 0n) + 1n);
    kind = await Promise.race([settled, sleep(100, undefined)]);
  }
  expect(kind).toBe('serve');
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
  expect(await fixture.client.getTransactionCount(facilitator)).toBe(before + 1);
  await mineAt(baseFeePerGas ?? 0n);
  await close();
  await proxy.close();
});

test('behavior: refuses an authorization that is cancelled while our transaction is pending', async () => {
  const { paymentService, close } = await fixture.openPaymentService();
  const payer = await fixture.newPayer(3n * price);
  const payload = await fixture.sign(paymentService, payer);
  await fixture.rpc('evm_setAutomine', [false]);
  const deciding = paymentService.decide(attemptOf(payload));
  await fixture.untilPending(1);
  await fixture.sendCancel(payer, payload, 200_000_000_000n);
  await fixture.untilPending(2);
  await fixture.rpc('anvil_mine');
  expect(await deciding).toMatchObject({ kind: 'refuse', status: 402, code: 'PAYMENT_REQUIRED' });
  expect(await fixture.usdcOf(payer.address)).toBe(3n * price);
  await close();
});

test('behavior: serves a payment that a third party submitted before our transaction', async () => {
  const { paymentService, close } = await fixture.openPaymentService();
  const payer = await fixture.newPayer(3n * price);
  const payload = await fixture.sign(paymentService, payer);
  await fixture.rpc('evm_setAutomine', [false]);
  const deciding = paymentService.decide(attemptOf(payload));
  await fixture.untilPending(1);
  const foreign = await fixture.sendElsewhere(payload, 200_000_000_000n);
  await fixture.untilPending(2);
  await fixture.rpc('anvil_mine');
  expect(transactionOf(await deciding)).toBe(foreign);
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('behavior: a wallet emptied while our transaction is pending is refused and paused, and served when it pays later', async () => {
  const { paymentService, endPauses, close } = await fixture.openPaymentService();
  const payer = await fixture.newPayer(price);
  const payload = await fixture.sign(paymentService, payer);
  await refuseOnChain(fixture, paymentService, payer, payload);

  await fixture.give(payer.address, price);
  expect(await paymentService.decide(attemptOf(payload))).toMatchObject({ kind: 'refuse', status: 429 });
  await endPauses();
  expect((await paymentService.decide(attemptOf(payload))).kind).toBe('serve');
  expect(await fixture.usdcOf(payer.address)).toBe(0n);
  await close();
});

test('behavior: sends again a served payment that the chain dropped', async () => {
  const { paymentService, close } = await fixture.openPaymentService({
    change: (config) => ({ ...config, timings: { ...config.timings, recheckMs: 50 } }),
  });
  const payer = await fixture.newPayer(2n * price);
  // The dropped blocks must contain only the payment.
  await fixture.rpc('anvil_mine', ['0x2']);
  const payload = await fixture.sign(paymentService, payer);
  expect((await paymentService.decide(attemptOf(payload))).kind).toBe('serve');
  expect(await fixture.usdcOf(payer.address)).toBe(price);
  await fixture.rpc('anvil_reorg', [1, []]);
  await fixture.rpc('anvil_dropAllTransactions');
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
  await fixture.rpc('anvil_mine', ['0x5']);
  await expect.poll(() => fixture.usdcOf(payer.address)).toBe(price);
  await close();
});

// Last: the funding wallet's dropped transaction leaves its nonce count wrong.
test('behavior: sends ours again when the chain drops the third party’s transaction that paid', async () => {
  const { paymentService, close } = await fixture.openPaymentService({
    change: (config) => ({ ...config, timings: { ...config.timings, recheckMs: 50 } }),
  });
  const payer = await fixture.newPayer(2n * price);
  const payload = await fixture.sign(paymentService, payer);
  // The dropped block must contain nothing else.
  await fixture.rpc('anvil_mine', ['0x2']);
  await fixture.rpc('evm_setAutomine', [false]);
  const deciding = paymentService.decide(attemptOf(payload));
  await fixture.untilPending(1);
  const foreign = await fixture.sendElsewhere(payload, 200_000_000_000n);
  await fixture.untilPending(2);
  await fixture.rpc('anvil_mine');
  expect(transactionOf(await deciding)).toBe(foreign);
  await fixture.rpc('evm_setAutomine', [true]);
  await fixture.rpc('anvil_reorg', [1, []]);
  await fixture.rpc('anvil_dropAllTransactions');
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
  await fixture.rpc('anvil_mine', ['0x5']);
  const mining = setInterval(() => void fixture.rpc('anvil_mine', ['0x1']), 100);
  await expect.poll(() => fixture.usdcOf(payer.address)).toBe(price);
  clearInterval(mining);
  await close();
});
