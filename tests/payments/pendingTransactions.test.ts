import { setTimeout as sleep } from 'node:timers/promises';
import { decodePaymentResponseHeader } from '@x402/core/http';
import { type Hex, parseTransaction } from 'viem';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startRpcProxy } from '../../sandbox/index.ts';
import type { PaymentDecision } from '../../server/payments/index.ts';
import { rewriting } from '../rpcFaults/rewriteReplies.ts';
import { attemptOf, openPaymentFixture, type PaymentFixture, price } from './paymentFixture.ts';
import { refuseOnChain } from './refuseOnChain.ts';
import { passTime } from './waitForChain.ts';

// Transactions that are pending or replaced, fail because of an earlier one, or are dropped by a reorganisation.

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

test('behavior: raises the fee of a pending transaction, below the price of the call, and charges once', async () => {
  const proxy = await startRpcProxy(fixture.chain.rpcUrl);
  // A small tip (0.001 gwei) leaves room for a higher base fee.
  proxy.fault = (calls) =>
    calls.some(({ method }) => method === 'eth_maxPriorityFeePerGas')
      ? rewriting(({ method }, result) => (method === 'eth_maxPriorityFeePerGas' ? '0xf4240' : result))
      : undefined;
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
  const readBroadcasts = () => {
    const calls = proxy.requests.flatMap((request) => request.calls);
    const sent = calls
      .filter(({ method }) => method.startsWith('eth_sendRawTransaction'))
      .map(({ params }) => params[0] as Hex);
    return [...new Set(sent)].map((raw) => parseTransaction(raw));
  };
  const [first] = readBroadcasts();
  // At 10 gwei the gas would cost far more than the price of the call.
  await mineAt(10n ** 10n);
  await expect.poll(() => readBroadcasts().length).toBe(2);
  for (const { gas = 0n, maxFeePerGas = 0n } of readBroadcasts()) {
    // 0.02 USD in wei, at 2,500 USD for the native coin.
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

test('behavior: refuses an authorization that is cancelled while the facilitator’s transaction is pending', async () => {
  const { paymentService, close } = await fixture.openPaymentService();
  const payer = await fixture.newPayer(3n * price);
  const payload = await fixture.sign(paymentService, payer);
  await fixture.rpc('evm_setAutomine', [false]);
  const deciding = paymentService.decide(attemptOf(payload));
  await fixture.untilPending(1);
  await fixture.sendCancel(payer, payload, 200_000_000_000n);
  await fixture.untilPending(2);
  await fixture.rpc('anvil_mine');
  // A transaction that was broadcast after this block must be mined too.
  await fixture.rpc('evm_setAutomine', [true]);
  expect(await deciding).toMatchObject({ kind: 'refuse', status: 402, code: 'PAYMENT_REQUIRED' });
  expect(await fixture.usdcOf(payer.address)).toBe(3n * price);
  await close();
});

test('behavior: serves a payment that a third party’s transaction settles first', async () => {
  const { paymentService, close } = await fixture.openPaymentService();
  const payer = await fixture.newPayer(3n * price);
  const payload = await fixture.sign(paymentService, payer);
  await fixture.rpc('evm_setAutomine', [false]);
  const deciding = paymentService.decide(attemptOf(payload));
  await fixture.untilPending(1);
  const thirdPartyHash = await fixture.sendByThirdParty(payload, 200_000_000_000n);
  await fixture.untilPending(2);
  await fixture.rpc('anvil_mine');
  // A transaction that was broadcast after this block must be mined too.
  await fixture.rpc('evm_setAutomine', [true]);
  expect(transactionOf(await deciding)).toBe(thirdPartyHash);
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('behavior: refuses and pauses a wallet that is emptied while the transaction is pending, and serves its later payment', async () => {
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

test('behavior: rebroadcasts a served payment that a reorganisation dropped', async () => {
  const { paymentService, close } = await fixture.openPaymentService({
    change: (config) => ({ ...config, timings: { ...config.timings, recheckMs: 50 } }),
  });
  const payer = await fixture.newPayer(2n * price);
  // Mine blocks first, so that the dropped block contains only the payment.
  await fixture.rpc('anvil_mine', ['0x2']);
  const payload = await fixture.sign(paymentService, payer);
  expect((await paymentService.decide(attemptOf(payload))).kind).toBe('serve');
  expect(await fixture.usdcOf(payer.address)).toBe(price);
  await fixture.rpc('anvil_reorg', [1, []]);
  await fixture.rpc('anvil_dropAllTransactions');
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
  const endMining = passTime(fixture);
  await expect.poll(() => fixture.usdcOf(payer.address), { timeout: 20_000 }).toBe(price);
  endMining();
  await close();
});

// Must stay the last test: after the dropped transaction the funding wallet's nonce manager is wrong.
test('behavior: settles a served payment with its own transaction when a reorganisation dropped the third party’s transaction', async () => {
  const { paymentService, close } = await fixture.openPaymentService({
    change: (config) => ({ ...config, timings: { ...config.timings, recheckMs: 50 } }),
  });
  const payer = await fixture.newPayer(2n * price);
  const payload = await fixture.sign(paymentService, payer);
  // Mine blocks first, so that the dropped block contains nothing else.
  await fixture.rpc('anvil_mine', ['0x2']);
  await fixture.rpc('evm_setAutomine', [false]);
  const deciding = paymentService.decide(attemptOf(payload));
  await fixture.untilPending(1);
  const thirdPartyHash = await fixture.sendByThirdParty(payload, 200_000_000_000n);
  await fixture.untilPending(2);
  await fixture.rpc('anvil_mine');
  expect(transactionOf(await deciding)).toBe(thirdPartyHash);
  await fixture.rpc('evm_setAutomine', [true]);
  await fixture.rpc('anvil_reorg', [1, []]);
  await fixture.rpc('anvil_dropAllTransactions');
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
  const endMining = passTime(fixture);
  await expect.poll(() => fixture.usdcOf(payer.address), { timeout: 20_000 }).toBe(price);
  endMining();
  await close();
});
