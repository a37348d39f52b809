import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import type { RpcProxy } from '../../sandbox/index.ts';
import type { PaymentDecision } from '../../server/payments/index.ts';
import { rewriting } from '../rpcFaults/rewriteReplies.ts';
import { attemptOf, price } from './paymentFixture.ts';
import { useProxiedFixture } from './useProxiedFixture.ts';

const setup = useProxiedFixture();

const methodsOf = (calls: { method: string }[]) => calls.map(({ method }) => method);
/** Injects the fault into the first request with this method. */
function once(method: string, fault: ReturnType<RpcProxy['fault']>): () => number {
  let met = 0;
  setup.proxy.fault = (calls) => (methodsOf(calls).includes(method) && met++ === 0 ? fault : undefined);
  return () => met;
}
const isBroadcast = (method: string) => method.startsWith('eth_sendRawTransaction');
/** Injects the fault into the first broadcast, with or without waiting for the receipt. */
function onceBroadcast(fault: ReturnType<RpcProxy['fault']>): () => number {
  let met = 0;
  setup.proxy.fault = (calls) => (methodsOf(calls).some(isBroadcast) && met++ === 0 ? fault : undefined);
  return () => met;
}
test.each(['loseReply', 'drop'] as const)('behavior: settles once after a broadcast fails with %s', async (kind) => {
  const { paymentService, close } = await setup.fixture.openPaymentService({ rpcUrl: setup.proxy.url });
  const payer = await setup.fixture.newPayer(3n * price);
  const payload = await setup.fixture.sign(paymentService, payer);
  const met = onceBroadcast({ kind });

  const decision = await paymentService.decide(attemptOf(payload));

  expect(met()).toBeGreaterThan(0);
  expect(decision.kind).toBe('serve');
  expect(await setup.fixture.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('behavior: a lost broadcast does not delay later payments', async () => {
  const { paymentService, close } = await setup.fixture.openPaymentService({ rpcUrl: setup.proxy.url });
  const payers = [
    await setup.fixture.newPayer(price),
    await setup.fixture.newPayer(price),
    await setup.fixture.newPayer(price),
  ];
  const payloads = await Promise.all(payers.map((payer) => setup.fixture.sign(paymentService, payer)));
  onceBroadcast({ kind: 'drop' });
  const decisions = await Promise.all(payloads.map((payload) => paymentService.decide(attemptOf(payload))));
  expect(decisions.map(({ kind }) => kind)).toEqual(['serve', 'serve', 'serve']);
  expect(await Promise.all(payers.map(({ address }) => setup.fixture.usdcOf(address)))).toEqual([0n, 0n, 0n]);
  await close();
});

test('behavior: serves all payments, seconds later, after a broadcast hangs', async () => {
  const { paymentService, close } = await setup.fixture.openPaymentService({
    rpcUrl: setup.proxy.url,
    change: (config) => ({ ...config, timings: { ...config.timings, rpcTimeoutMs: 4_000 } }),
  });
  const payers = [
    await setup.fixture.newPayer(price),
    await setup.fixture.newPayer(price),
    await setup.fixture.newPayer(price),
  ];
  const [hanging, ...behind] = await Promise.all(
    payers.map(async (payer) => attemptOf(await setup.fixture.sign(paymentService, payer), payer.address)),
  );
  const met = onceBroadcast({ kind: 'hang' });
  const held = paymentService.decide(hanging as never);
  await expect.poll(met).toBe(1);
  const begun = performance.now();
  const decisions = await Promise.all([held, ...behind.map((attempt) => paymentService.decide(attempt))]);
  expect(decisions.map(({ kind }) => kind)).toEqual(['serve', 'serve', 'serve']);
  // `settleDeadlineMs` would be 30 s.
  expect(performance.now() - begun).toBeLessThan(25_000);
  expect(await Promise.all(payers.map(({ address }) => setup.fixture.usdcOf(address)))).toEqual([0n, 0n, 0n]);
  await close();
});

test.each([
  ['is gone', { kind: 'drop' as const }],
  ['answers 500', { kind: 'status' as const, status: 500, body: 'key=SECRET' }],
  ['answers 429', { kind: 'status' as const, status: 429 }],
  ['answers a web page', { kind: 'html' as const }],
])('error: UPSTREAM_UNAVAILABLE, uncharged, when the RPC %s; never an invalid signature', async (_name, fault) => {
  const { paymentService, close } = await setup.fixture.openPaymentService({ rpcUrl: setup.proxy.url });
  const payer = await setup.fixture.newPayer(3n * price);
  const payload = await setup.fixture.sign(paymentService, payer);
  setup.proxy.fault = () => fault;

  const decision = await paymentService.decide(attemptOf(payload));

  expect(decision).toMatchObject({
    kind: 'refuse',
    status: 503,
    code: 'UPSTREAM_UNAVAILABLE',
    headers: { 'Retry-After': '5' },
  });
  expect(JSON.stringify(decision)).not.toMatch(/SECRET|127\.0\.0\.1|http:|at .*\.ts/);
  setup.proxy.fault = () => undefined;
  expect(await setup.fixture.usdcOf(payer.address)).toBe(3n * price);
  expect((await paymentService.decide(attemptOf(payload))).kind).toBe('serve');
  expect(await setup.fixture.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('behavior: no log line or response contains the RPC URL’s key or the facilitator key', async () => {
  const lines: unknown[] = [];
  const write = (...line: unknown[]) => void lines.push(inspect(line, { depth: 12 }));
  const { paymentService, close } = await setup.fixture.openPaymentService({
    rpcUrl: `${setup.proxy.url}/v2/SECRET`,
    change: (config) => ({ ...config, logger: { info: write, warn: write, error: write } }),
  });
  const payload = await setup.fixture.sign(paymentService, await setup.fixture.newPayer(3n * price));
  const results: PaymentDecision[] = [];
  const contractWallet = await setup.fixture.newPayer(price);
  const foreign = await setup.fixture.sign(paymentService, contractWallet);
  const crooked = { ...foreign, payload: { ...foreign.payload, signature: `0x${'11'.repeat(65)}` } };
  for (const kind of ['drop', 'html', 'truncate'] as const) {
    setup.proxy.fault = () => ({ kind });
    results.push(await paymentService.decide(attemptOf(payload)), await paymentService.decide(attemptOf(crooked)));
  }
  onceBroadcast({ kind: 'loseReply' });
  results.push(await paymentService.decide(attemptOf(payload)));
  await close();
  const facilitatorKey = setup.fixture.walletOf('facilitator').privateKey.slice(2);
  expect(lines.length).toBeGreaterThan(3);
  expect(`${lines.join()}${inspect(results, { depth: 12 })}`).not.toMatch(
    new RegExp(`SECRET|${new URL(setup.proxy.url).host}|${facilitatorKey}`),
  );
});

test('behavior: starts while its RPC is down, responds 503 uncharged, and settles when it is back', async () => {
  setup.proxy.fault = () => ({ kind: 'drop' });
  const { paymentService, close } = await setup.fixture.openPaymentService({ rpcUrl: setup.proxy.url });
  const payer = await setup.fixture.newPayer(price);
  const attempt = attemptOf(await setup.fixture.sign(paymentService, payer));
  expect(await paymentService.decide(attempt)).toMatchObject({
    kind: 'refuse',
    status: 503,
    code: 'UPSTREAM_UNAVAILABLE',
  });
  setup.proxy.fault = () => undefined;
  expect((await paymentService.decide(attempt)).kind).toBe('serve');
  expect(await setup.fixture.usdcOf(payer.address)).toBe(0n);
  await close();
});

test('behavior: a second RPC URL takes over when the first is down', async () => {
  const { paymentService, close } = await setup.fixture.openPaymentService({
    change: (config) => ({
      ...config,
      networks: config.networks.map((network) => ({
        ...network,
        rpcUrls: [setup.proxy.url, setup.fixture.chain.rpcUrl],
      })),
    }),
  });
  const payer = await setup.fixture.newPayer(price);
  setup.proxy.fault = () => ({ kind: 'drop' });
  expect((await paymentService.decide(attemptOf(await setup.fixture.sign(paymentService, payer)))).kind).toBe('serve');
  await close();
});

test('error: SETTLEMENT_UNKNOWN while the receipt is unavailable; the same payment is served later', async () => {
  const { paymentService, close } = await setup.fixture.openPaymentService({
    rpcUrl: setup.proxy.url,
    change: (config) => ({ ...config, timings: { ...config.timings, settleDeadlineMs: 400 } }),
  });
  const payer = await setup.fixture.newPayer(3n * price);
  const attempt = attemptOf(await setup.fixture.sign(paymentService, payer));
  setup.proxy.fault = (calls) =>
    methodsOf(calls).includes('eth_getTransactionReceipt') ? { kind: 'drop' } : undefined;

  const unknown = await paymentService.decide(attempt);
  expect(unknown).toMatchObject({
    kind: 'refuse',
    status: 503,
    code: 'SETTLEMENT_UNKNOWN',
    headers: { 'Retry-After': '5' },
  });
  expect(unknown).toHaveProperty('detail', expect.stringContaining('send the same PAYMENT-SIGNATURE again'));
  expect(await paymentService.decide(attempt)).toMatchObject({ code: 'SETTLEMENT_UNKNOWN' });

  setup.proxy.fault = () => undefined;
  let served = await paymentService.decide(attempt);
  while (served.kind === 'refuse') {
    expect(served.code).toBe('SETTLEMENT_UNKNOWN');
    served = await paymentService.decide(attempt);
  }
  expect(served.kind).toBe('serve');
  expect(await setup.fixture.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('behavior: one wrong transaction count delays neither its payment nor later ones', async () => {
  const { paymentService, close } = await setup.fixture.openPaymentService({
    rpcUrl: setup.proxy.url,
    change: (config) => ({ ...config, timings: { ...config.timings, bumpAfterMs: 500 } }),
  });
  const payers = [
    await setup.fixture.newPayer(price),
    await setup.fixture.newPayer(price),
    await setup.fixture.newPayer(price),
  ];
  const [first, ...others] = await Promise.all(payers.map((payer) => setup.fixture.sign(paymentService, payer)));
  if (!first) throw new Error('no payment');
  const met = once(
    'eth_getTransactionCount',
    rewriting(({ method }, result) => (method === 'eth_getTransactionCount' ? '0x3e8' : result)),
  );
  const decisions = [first, ...others].map((payload) => paymentService.decide(attemptOf(payload)));
  expect((await Promise.all(decisions)).map(({ kind }) => kind)).toEqual(['serve', 'serve', 'serve']);
  expect(met()).toBeGreaterThan(0);
  expect(await Promise.all(payers.map(({ address }) => setup.fixture.usdcOf(address)))).toEqual([0n, 0n, 0n]);
  await setup.fixture.rpc('anvil_dropAllTransactions');
  await close();
});

test('behavior: serves a payment that a third party submits while its own transaction is stranded behind a gap', async () => {
  const { paymentService, close } = await setup.fixture.openPaymentService({
    rpcUrl: setup.proxy.url,
    change: (config) => ({ ...config, timings: { ...config.timings, bumpAfterMs: 500, settleDeadlineMs: 15_000 } }),
  });
  const payer = await setup.fixture.newPayer(price);
  const payload = await setup.fixture.sign(paymentService, payer);
  once(
    'eth_getTransactionCount',
    rewriting(({ method }, result) => (method === 'eth_getTransactionCount' ? '0x3e8' : result)),
  );
  const deciding = paymentService.decide(attemptOf(payload));
  const hasBroadcast = () => setup.proxy.requests.some(({ calls }) => methodsOf(calls).some(isBroadcast));
  setup.proxy.requests.length = 0;
  await expect.poll(hasBroadcast, { timeout: 5_000 }).toBe(true);
  await setup.fixture.submitElsewhere(payload);
  expect(await deciding).toMatchObject({ kind: 'serve' });
  expect(await setup.fixture.usdcOf(payer.address)).toBe(0n);
  await setup.fixture.rpc('anvil_dropAllTransactions');
  await close();
});

test('behavior: caps an absurd priority fee suggested by a node', async () => {
  const { paymentService, close } = await setup.fixture.openPaymentService({ rpcUrl: setup.proxy.url });
  const payer = await setup.fixture.newPayer(price);
  const facilitator = { address: setup.fixture.walletOf('facilitator').address };
  const before = await setup.fixture.client.getBalance(facilitator);
  setup.proxy.fault = (calls) =>
    methodsOf(calls).includes('eth_maxPriorityFeePerGas') ? rewriting(() => '0x38d7ea4c68000') : undefined;
  expect((await paymentService.decide(attemptOf(await setup.fixture.sign(paymentService, payer)))).kind).toBe('serve');
  // 0.001 ether for each of some 60,000 gas would be sixty ether.
  expect(before - (await setup.fixture.client.getBalance(facilitator))).toBeLessThan(10n ** 16n);
  await close();
});
