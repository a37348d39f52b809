import { decodePaymentSignatureHeader } from '@x402/core/http';
import { toHex } from 'viem';
import { expect, test } from 'vitest';
import { type ProxiedCall, startRpcProxy } from '../../sandbox/rpcProxy.ts';
import { createEvmFacilitator, startFacilitatorServer } from './facilitatorServer.ts';
import { answerTo, attemptOf, price } from './paymentFixture.ts';
import { ledgerKeyOf } from './signPayment.ts';
import { useRemoteFacilitator } from './useRemoteFacilitator.ts';
import { passTime } from './waitForChain.ts';

// Payments that a remote facilitator refused, settled late or lost. The tests assert on balances on chain.

const setup = useRemoteFacilitator();

test('behavior: refuses the payment when the facilitator refuses to settle it, and serves the retry', async () => {
  const { paymentService, close } = await setup.open({ timings: { facilitatorSettleTimeoutMs: 10_000 } });
  const payer = await setup.fixture.newPayer(3n * price);
  const attempt = attemptOf(await setup.fixture.sign(paymentService, payer));
  const errorReason = 'invalid_exact_evm_insufficient_balance';
  const errorMessage = 'https://rpc.example/SECRET';
  setup.once('/settle', {
    kind: 'respond',
    body: { success: false, errorReason, errorMessage, transaction: '', network: 'eip155:8453' },
  });
  const decision = await paymentService.decide(attempt);
  expect(decision).toMatchObject({ status: 402, code: 'PAYMENT_REQUIRED' });
  setup.expectNoSecret(decision);
  expect((await paymentService.decide(attempt)).kind).toBe('serve');
  expect(await setup.fixture.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('behavior: serves a refused payment that was settled later', async () => {
  const { paymentService, ledger, close } = await setup.open({ timings: { facilitatorSettleTimeoutMs: 10_000 } });
  const attempt = attemptOf(await setup.fixture.sign(paymentService, await setup.fixture.newPayer(price)));
  setup.once('/settle', { kind: 'respond', body: { success: false, errorReason: 'insufficient_funds' } });
  expect(await paymentService.decide(attempt)).toMatchObject({ status: 402 });
  // Settles the payment without the service, so that the facilitator reports it as used.
  const payload = decodePaymentSignatureHeader(attempt.paymentHeader);
  expect(await setup.x402.settle(payload, payload.accepted)).toMatchObject({ success: true });
  expect((await paymentService.decide(attempt)).kind).toBe('serve');
  expect(await ledger.takeOverUnfinished()).toEqual([]);
  await close();
});

test('behavior: serves a refused payment that was settled 80 blocks ago when the facilitator verifies it as unused', async () => {
  const { paymentService, close } = await setup.open({ timings: { facilitatorSettleTimeoutMs: 10_000 } });
  const payer = await setup.fixture.newPayer(price);
  const attempt = attemptOf(await setup.fixture.sign(paymentService, payer));
  setup.once('/settle', { kind: 'respond', body: { success: false, errorReason: 'insufficient_funds' } });
  expect(await paymentService.decide(attempt)).toMatchObject({ status: 402 });
  const payload = decodePaymentSignatureHeader(attempt.paymentHeader);
  expect(await setup.x402.settle(payload, payload.accepted)).toMatchObject({ success: true });
  await setup.fixture.rpc('anvil_mine', ['0x50']);
  setup.always('/verify', { kind: 'respond', body: { isValid: true, payer: payer.address } });
  expect((await paymentService.decide(attempt)).kind).toBe('serve');
  expect(await setup.fixture.usdcOf(payer.address)).toBe(0n);
  await close();
});

test('behavior: with a facilitator key, serves a payment that a remote facilitator refused and settled later', async () => {
  const file = setup.fixture.newLedgerFile();
  const first = await setup.open({ file, timings: { facilitatorSettleTimeoutMs: 10_000 } });
  const payer = await setup.fixture.newPayer(2n * price);
  const attempt = attemptOf(await setup.fixture.sign(first.paymentService, payer));
  setup.once('/settle', { kind: 'respond', body: { success: false, errorReason: 'insufficient_funds' } });
  expect(await first.paymentService.decide(attempt)).toMatchObject({ status: 402 });
  await first.close();
  const payload = decodePaymentSignatureHeader(attempt.paymentHeader);
  expect(await setup.x402.settle(payload, payload.accepted)).toMatchObject({ success: true });
  const second = await setup.fixture.openPaymentService({ file });
  expect((await second.paymentService.decide(attempt)).kind).toBe('serve');
  expect(await setup.fixture.usdcOf(payer.address)).toBe(price);
  await second.close();
});

test('behavior: the recheck finds a refused payment that was settled later, and its credit is served', async () => {
  const { paymentService, ledger, close } = await setup.open({
    timings: { facilitatorSettleTimeoutMs: 10_000, reconcileMs: 50 },
  });
  const payer = await setup.fixture.newPayer(3n * price);
  const attempt = attemptOf(await setup.fixture.sign(paymentService, payer));
  const payload = decodePaymentSignatureHeader(attempt.paymentHeader);
  const stateOf = async () => (await ledger.load(ledgerKeyOf(payload)))?.state;
  setup.once('/settle', { kind: 'respond', body: { success: false, errorReason: 'insufficient_funds' } });
  expect(await paymentService.decide(attempt)).toMatchObject({ status: 402 });
  expect(await stateOf()).toBe('refused');
  expect(await setup.x402.settle(payload, payload.accepted)).toMatchObject({ success: true });
  // The interval between two rechecks grows with the age of the payment, here to about 2 s.
  await expect.poll(stateOf).toBe('settled');
  setup.facilitator.requests.length = 0;
  const decision = await paymentService.decide(attempt);
  if (decision.kind !== 'serve') throw new Error(JSON.stringify(decision));
  await decision.complete(answerTo('after all'));
  expect(setup.facilitator.requests).toEqual([]);
  expect(await setup.fixture.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('behavior: serves a payment that the facilitator settled but reports as unfunded, while the service’s node lags', async () => {
  const proxy = await startRpcProxy(setup.fixture.chain.rpcUrl);
  const { paymentService, close } = await setup.fixture.openPaymentService({
    rpcUrl: proxy.url,
    change: (config) => setup.remotely(config, undefined, { facilitatorSettleTimeoutMs: 10_000 }),
  });
  const payer = await setup.fixture.newPayer(price);
  const attempt = attemptOf(await setup.fixture.sign(paymentService, payer));
  const height = toHex(await setup.fixture.client.getBlockNumber());
  setup.once('/settle', {
    kind: 'respond',
    after: true,
    body: { success: false, errorReason: 'insufficient_funds', transaction: '' },
  });
  let laggingReads = 2;
  const readsHead = ({ method, params }: ProxiedCall) => method === 'eth_getBlockByNumber' && params[0] === 'latest';
  proxy.fault = (calls) =>
    calls.some(readsHead) && setup.facilitator.requests.some(({ path }) => path === '/settle') && laggingReads-- > 0
      ? {
          kind: 'alter',
          rewrite: (original) =>
            original.map((call) => (readsHead(call) ? { ...call, params: [height, false] } : call)),
        }
      : undefined;
  expect((await paymentService.decide(attempt)).kind).toBe('serve');
  expect(await setup.fixture.usdcOf(payer.address)).toBe(0n);
  await close();
  await proxy.close();
});

test('behavior: requests a remote settlement again after a restart when a reorganisation dropped it', async () => {
  const secondWallet = setup.fixture.walletOf('facilitator');
  await setup.fixture.rpc('anvil_setBalance', [secondWallet.address, toHex(10n ** 18n)]);
  const facilitators = [
    setup.x402,
    createEvmFacilitator('eip155:8453', setup.fixture.chain.rpcUrl, secondWallet.privateKey),
  ];
  const switching = await startFacilitatorServer({
    getSupported: () => setup.x402.getSupported(),
    verify: (...original: Parameters<typeof setup.x402.verify>) => facilitators[0]?.verify(...original),
    settle: (...original: Parameters<typeof setup.x402.settle>) => facilitators[0]?.settle(...original),
  } as typeof setup.x402);
  const file = setup.fixture.newLedgerFile();
  const timings = { facilitatorSettleTimeoutMs: 10_000, recheckMs: 50 };
  const first = await setup.open({ file, url: switching.url, timings });
  const payer = await setup.fixture.newPayer(2n * price);
  // Mine blocks first, so that the dropped block contains only the payment.
  await setup.fixture.rpc('anvil_mine', ['0x2']);
  const decision = await first.paymentService.decide(attemptOf(await setup.fixture.sign(first.paymentService, payer)));
  if (decision.kind !== 'serve') throw new Error(JSON.stringify(decision));
  await decision.complete(answerTo('served'));
  await first.close();
  expect(await setup.fixture.usdcOf(payer.address)).toBe(price);

  await setup.fixture.rpc('anvil_reorg', [1, []]);
  await setup.fixture.rpc('anvil_dropAllTransactions');
  expect(await setup.fixture.usdcOf(payer.address)).toBe(2n * price);
  facilitators.shift();
  const second = await setup.open({ file, url: switching.url, timings });
  const endMining = passTime(setup.fixture);
  await expect.poll(() => setup.fixture.usdcOf(payer.address), { timeout: 20_000 }).toBe(price);
  endMining();
  await second.close();
  await switching.close();
});
