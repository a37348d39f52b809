import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import type { RpcProxy } from '../../sandbox/index.ts';
import type { PaymentDecision } from '../../server/payments/index.ts';
import { rewriting } from '../rpcFaults/rewriteReplies.ts';
import { attemptOf, price } from './paymentFixture.ts';
import { useProxiedFixture } from './useProxiedFixture.ts';

const setup = useProxiedFixture();

const methodsOf = (calls: { method: string }[]) => calls.map(({ method }) => method);
/** Injects the fault into the first matching request. Returns a counter of matching requests. */
function injectOnce(isMatch: (method: string) => boolean, fault: ReturnType<RpcProxy['fault']>): () => number {
  let matches = 0;
  setup.proxy.fault = (calls) => (methodsOf(calls).some(isMatch) && matches++ === 0 ? fault : undefined);
  return () => matches;
}
const isBroadcast = (method: string) => method.startsWith('eth_sendRawTransaction');
const failBroadcastOnce = (fault: ReturnType<RpcProxy['fault']>) => injectOnce(isBroadcast, fault);
/** Replaces the first transaction count of an account by 1000. */
const wrongNonceOnce = () =>
  injectOnce(
    (method) => method === 'eth_getTransactionCount',
    rewriting(({ method }, result) => (method === 'eth_getTransactionCount' ? '0x3e8' : result)),
  );

test.each(['loseReply', 'drop'] as const)('behavior: settles once after a broadcast fails with %s', async (kind) => {
  const { paymentService, close } = await setup.fixture.openPaymentService({ rpcUrl: setup.proxy.url });
  const payer = await setup.fixture.newPayer(3n * price);
  const payload = await setup.fixture.sign(paymentService, payer);
  const matchingRequests = failBroadcastOnce({ kind });

  const decision = await paymentService.decide(attemptOf(payload));

  expect(matchingRequests()).toBeGreaterThan(0);
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
  failBroadcastOnce({ kind: 'drop' });
  const decisions = await Promise.all(payloads.map((payload) => paymentService.decide(attemptOf(payload))));
  expect(decisions.map(({ kind }) => kind)).toEqual(['serve', 'serve', 'serve']);
  expect(await Promise.all(payers.map(({ address }) => setup.fixture.usdcOf(address)))).toEqual([0n, 0n, 0n]);
  await close();
});

test('behavior: serves all payments within 25 s after a broadcast hangs', async () => {
  const { paymentService, close } = await setup.fixture.openPaymentService({
    rpcUrl: setup.proxy.url,
    change: (config) => ({ ...config, timings: { ...config.timings, rpcTimeoutMs: 4_000 } }),
  });
  const payers = [
    await setup.fixture.newPayer(price),
    await setup.fixture.newPayer(price),
    await setup.fixture.newPayer(price),
  ];
  const [hanging, ...later] = await Promise.all(
    payers.map(async (payer) => attemptOf(await setup.fixture.sign(paymentService, payer), payer.address)),
  );
  const matchingRequests = failBroadcastOnce({ kind: 'hang' });
  const first = paymentService.decide(hanging as never);
  await expect.poll(matchingRequests).toBe(1);
  const startedAt = performance.now();
  const decisions = await Promise.all([first, ...later.map((attempt) => paymentService.decide(attempt))]);
  expect(decisions.map(({ kind }) => kind)).toEqual(['serve', 'serve', 'serve']);
  // Below the default `settleDeadlineMs`, 30 s.
  expect(performance.now() - startedAt).toBeLessThan(25_000);
  expect(await Promise.all(payers.map(({ address }) => setup.fixture.usdcOf(address)))).toEqual([0n, 0n, 0n]);
  await close();
});

test.each([
  ['drops the connection', { kind: 'drop' as const }],
  ['responds 500', { kind: 'status' as const, status: 500, body: 'key=SECRET' }],
  ['responds 429', { kind: 'status' as const, status: 429 }],
  ['returns a web page', { kind: 'html' as const }],
])('error: UPSTREAM_UNAVAILABLE, uncharged, when the RPC %s; the same payment settles later', async (_case, fault) => {
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
  const otherPayment = await setup.fixture.sign(paymentService, await setup.fixture.newPayer(price));
  const invalidSignature = { ...otherPayment, payload: { ...otherPayment.payload, signature: `0x${'11'.repeat(65)}` } };
  for (const kind of ['drop', 'html', 'truncate'] as const) {
    setup.proxy.fault = () => ({ kind });
    results.push(
      await paymentService.decide(attemptOf(payload)),
      await paymentService.decide(attemptOf(invalidSignature)),
    );
  }
  failBroadcastOnce({ kind: 'loseReply' });
  results.push(await paymentService.decide(attemptOf(payload)));
  await close();
  const facilitatorKey = setup.fixture.walletOf('facilitator').privateKey.slice(2);
  expect(lines.length).toBeGreaterThan(3);
  expect(`${lines.join()}${inspect(results, { depth: 12 })}`).not.toMatch(
    new RegExp(`SECRET|${new URL(setup.proxy.url).host}|${facilitatorKey}`),
  );
});

test('behavior: starts while the RPC is down, responds 503, uncharged, and settles when the RPC is available again', async () => {
  setup.proxy.fault = () => ({ kind: 'drop' });
  const { paymentService, close } = await setup.fixture.openPaymentService({ rpcUrl: setup.proxy.url });
  const payer = await setup.fixture.newPayer(price);
  const signing = await setup.fixture.openPaymentService();
  const attempt = attemptOf(await setup.fixture.sign(signing.paymentService, payer));
  await signing.close();
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

test('behavior: uses the second RPC URL when the first is down', async () => {
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

test('error: SETTLEMENT_UNKNOWN while the receipt is unavailable; the same payment is served afterwards', async () => {
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

test('behavior: serves the affected payment and later ones after one wrong transaction count', async () => {
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
  const matchingRequests = wrongNonceOnce();
  const decisions = [first, ...others].map((payload) => paymentService.decide(attemptOf(payload)));
  expect((await Promise.all(decisions)).map(({ kind }) => kind)).toEqual(['serve', 'serve', 'serve']);
  expect(matchingRequests()).toBeGreaterThan(0);
  expect(await Promise.all(payers.map(({ address }) => setup.fixture.usdcOf(address)))).toEqual([0n, 0n, 0n]);
  await setup.fixture.rpc('anvil_dropAllTransactions');
  await close();
});

test('behavior: serves a payment that a third party submits while the service’s transaction waits behind a nonce gap', async () => {
  const { paymentService, close } = await setup.fixture.openPaymentService({
    rpcUrl: setup.proxy.url,
    change: (config) => ({ ...config, timings: { ...config.timings, bumpAfterMs: 500, settleDeadlineMs: 15_000 } }),
  });
  const payer = await setup.fixture.newPayer(price);
  const payload = await setup.fixture.sign(paymentService, payer);
  wrongNonceOnce();
  const deciding = paymentService.decide(attemptOf(payload));
  const hasBroadcast = () => setup.proxy.requests.some(({ calls }) => methodsOf(calls).some(isBroadcast));
  setup.proxy.requests.length = 0;
  await expect.poll(hasBroadcast, { timeout: 10_000 }).toBe(true);
  await setup.fixture.settleByThirdParty(payload);
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
  // Uncapped: 0.001 ether for each of about 60,000 gas, 60 ether.
  expect(before - (await setup.fixture.client.getBalance(facilitator))).toBeLessThan(10n ** 16n);
  await close();
});
