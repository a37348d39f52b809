import { decodePaymentResponseHeader } from '@x402/core/http';
import type { PaymentPayload } from '@x402/core/types';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type ProxiedCall, type RpcProxy, startRpcProxy } from '../../sandbox/index.ts';
import type { PaymentConfig, PaymentDecision, PaymentNetworkConfig } from '../../server/payments/index.ts';
import { failing } from '../rpcFaults/rewriteReplies.ts';
import { createEvmFacilitator, type FacilitatorServer, startFacilitatorServer } from './facilitatorServer.ts';
import {
  answerTo,
  assertServed,
  attemptOf,
  openPaymentFixture,
  type PaymentFixture,
  price,
  withTrial,
} from './paymentFixture.ts';

// Authorizations that a third party submitted to the token. The tests assert on token balances.

let fixture: PaymentFixture;
let proxy: RpcProxy;
let remote: FacilitatorServer;

beforeAll(async () => {
  fixture = await openPaymentFixture();
  proxy = await startRpcProxy(fixture.chain.rpcUrl);
  const key = fixture.walletOf('facilitator').privateKey;
  remote = await startFacilitatorServer(createEvmFacilitator('eip155:8453', fixture.chain.rpcUrl, key));
});
afterEach(() => {
  proxy.fault = () => undefined;
});
afterAll(async () => {
  await remote?.close();
  await proxy?.close();
  await fixture?.close();
});

const remotely = (config: PaymentConfig): PaymentConfig => ({
  ...config,
  networks: config.networks.map(
    (network) => ({ ...network, facilitatorKey: undefined, remote: { url: remote.url } }) as PaymentNetworkConfig,
  ),
});
const hasCall = (calls: readonly ProxiedCall[], method: string) => calls.some((call) => call.method === method);
function assertRefused(decision: PaymentDecision): Extract<PaymentDecision, { kind: 'refuse' }> {
  if (decision.kind !== 'refuse') throw new Error(`Not refused: ${decision.kind}`);
  return decision;
}

test.each([
  ['a facilitator key', (config: PaymentConfig) => config],
  ['a remote facilitator', remotely],
])('behavior: with %s, serves an authorization once that paid payTo in another transaction', async (_case, change) => {
  const { paymentService, close } = await fixture.openPaymentService({ change });
  const payer = await fixture.newPayer(3n * price);
  const payload = await fixture.sign(paymentService, payer);
  await fixture.settleByThirdParty(payload);
  const decision = assertServed(await paymentService.decide(attemptOf(payload)));
  await decision.complete(answerTo('once'));
  expect(await paymentService.decide(attemptOf(payload))).toMatchObject({ kind: 'replay', answer: answerTo('once') });
  expect(await paymentService.decide(attemptOf(payload, '{"size":"2"}'))).toMatchObject({
    status: 409,
    code: 'PAYMENT_REUSED',
  });
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('security: serves the payer, not the third party, when a third party submits the calldata of the gas estimate', async () => {
  const { paymentService, close } = await fixture.openPaymentService({ rpcUrl: proxy.url });
  const payer = await fixture.newPayer(3n * price);
  const payload = await fixture.sign(paymentService, payer);
  let theft: Promise<unknown> | undefined;
  proxy.fault = (calls) => {
    if (!hasCall(calls, 'eth_estimateGas') || theft) return undefined;
    theft = fixture.settleByThirdParty(payload);
    return { kind: 'delay', ms: 1_000 };
  };
  const deciding = paymentService.decide(attemptOf(payload));
  await expect.poll(() => theft !== undefined).toBe(true);
  await theft;
  // The third party sends another request with the same authorization.
  expect(await paymentService.decide(attemptOf(payload, '{"size":"stolen"}'))).toMatchObject({ status: 409 });
  await assertServed(await deciding).complete(answerTo('payer'));
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('security: serves a payment that a node broadcast from the gas estimate, without a second charge', async () => {
  const { paymentService, close } = await fixture.openPaymentService({ rpcUrl: proxy.url });
  const payer = await fixture.newPayer(3n * price);
  const payload = await fixture.sign(paymentService, payer);
  let theft: Promise<unknown> | undefined;
  proxy.fault = (calls) => {
    if (!hasCall(calls, 'eth_estimateGas')) return undefined;
    theft ??= fixture.settleByThirdParty(payload);
    return { kind: 'drop' };
  };
  const refusal = assertRefused(await paymentService.decide(attemptOf(payload)));
  await theft;
  expect(refusal).toMatchObject({ status: 503, detail: expect.stringContaining('Do not sign a new payment') });
  expect(refusal.detail).not.toContain('Nothing was charged');
  proxy.fault = () => undefined;
  expect(await paymentService.decide(attemptOf(payload, '{"size":"stolen"}'))).toMatchObject({ status: 409 });
  await assertServed(await paymentService.decide(attemptOf(payload))).complete(answerTo('payer'));
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('security: serves the payer when a third party submits the authorization between journal and broadcast', async () => {
  let payload: PaymentPayload | undefined;
  const { paymentService, close } = await fixture.openPaymentService({
    change: (config) => ({
      ...config,
      ledger: {
        ...config.ledger,
        async journalNext(...step) {
          const transaction = await config.ledger.journalNext(...step);
          if (payload) await fixture.settleByThirdParty(payload);
          return transaction;
        },
      },
    }),
  });
  const payer = await fixture.newPayer(3n * price);
  payload = await fixture.sign(paymentService, payer);
  await assertServed(await paymentService.decide(attemptOf(payload))).complete(answerTo('payer'));
  expect(await paymentService.decide(attemptOf(payload, '{"size":"stolen"}'))).toMatchObject({ status: 409 });
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('behavior: after a restore to a database without the payment, serves its retry once, uncharged, and 409 for another body', async () => {
  const lost = await fixture.openPaymentService();
  const payer = await fixture.newPayer(3n * price);
  const payload = await fixture.sign(lost.paymentService, payer);
  const first = assertServed(await lost.paymentService.decide(attemptOf(payload)));
  await first.complete(answerTo('lost'));
  await lost.close();

  const restored = await fixture.openPaymentService();
  const retry = assertServed(await restored.paymentService.decide(attemptOf(payload)));
  expect(retry.paymentResponse).toBe(first.paymentResponse);
  await retry.complete(answerTo('restored'));
  expect(await restored.paymentService.decide(attemptOf(payload, '{"size":"2"}'))).toMatchObject({ status: 409 });
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
  await restored.close();
});

test('behavior: two deployments with one payTo serve a payment once each, until it expires', async () => {
  let clockOffsetMs = 0;
  const [a, b, c] = await Promise.all(
    [0, 1, 2].map(() =>
      fixture.openPaymentService({ change: (config) => ({ ...config, now: () => Date.now() + clockOffsetMs }) }),
    ),
  );
  if (!a || !b || !c) throw new Error('unreachable');
  const payer = await fixture.newPayer(3n * price);
  const payload = await fixture.sign(a.paymentService, payer);
  for (const { paymentService } of [a, b]) {
    await assertServed(await paymentService.decide(attemptOf(payload))).complete(answerTo('once'));
    expect(await paymentService.decide(attemptOf(payload, '{"size":"2"}'))).toMatchObject({ status: 409 });
  }
  clockOffsetMs = 200_000;
  const expired = assertRefused(await c.paymentService.decide(attemptOf(payload)));
  expect(expired).toMatchObject({
    status: 402,
    detail: expect.stringContaining('look up whether it paid before you sign'),
  });
  expect(expired.detail).not.toContain('Nothing was charged');
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
  for (const { close } of [a, b, c]) await close();
});

test('error: 402 with the transaction that cancelled the authorization', async () => {
  const { paymentService, close } = await fixture.openPaymentService();
  const payer = await fixture.newPayer(3n * price);
  const payload = await fixture.sign(paymentService, payer);
  const hash = await fixture.sendCancel(payer, payload);
  await expect.poll(() => fixture.client.getTransactionReceipt({ hash }).catch(() => undefined)).toBeDefined();
  const { status, detail } = assertRefused(await paymentService.decide(attemptOf(payload)));
  expect([status, detail]).toEqual([
    402,
    `Transaction ${hash} cancelled this authorization. Sign a new one with a fresh nonce. Nothing was charged.`,
  ]);
  expect(await fixture.usdcOf(payer.address)).toBe(3n * price);
  await close();
});

test.each([
  ['less to payTo', () => ({ to: fixture.payTo, value: price - 1n })],
  ['another recipient', () => ({ to: fixture.walletOf('facilitator').address, value: price })],
])(
  'error: 402 with the transaction of another authorization with the same nonce that paid %s',
  async (_case, toChanges) => {
    const { paymentService, close } = await fixture.openPaymentService();
    const payer = await fixture.newPayer(3n * price);
    const payload = await fixture.sign(paymentService, payer);
    const { nonce } = (payload.payload as { authorization: { nonce: `0x${string}` } }).authorization;
    const { to, value } = toChanges();
    const hash = await fixture.sendByThirdParty(await fixture.signAltered(paymentService, payer, { nonce, to, value }));
    await expect.poll(() => fixture.client.getTransactionReceipt({ hash }).catch(() => undefined)).toBeDefined();
    const { status, detail } = assertRefused(await paymentService.decide(attemptOf(payload)));
    expect(status).toBe(402);
    expect(detail).toContain(`Transaction ${hash} used the nonce of this authorization to pay ${value} units to ${to}`);
    expect(detail).not.toContain('Nothing was charged');
    expect(await fixture.usdcOf(payer.address)).toBe(3n * price - value);
    await close();
  },
);

test('error: SETTLEMENT_UNKNOWN while the node rejects log requests; the payment is served afterwards', async () => {
  const { paymentService, close } = await fixture.openPaymentService({ rpcUrl: proxy.url });
  const payer = await fixture.newPayer(3n * price);
  const payload = await fixture.sign(paymentService, payer);
  await fixture.settleByThirdParty(payload);
  proxy.fault = (calls) =>
    hasCall(calls, 'eth_getLogs')
      ? failing(({ method }) => method === 'eth_getLogs', { code: -32_005, message: 'range too large' })
      : undefined;
  proxy.requests.length = 0;
  const refusal = assertRefused(await paymentService.decide(attemptOf(payload)));
  expect(refusal).toMatchObject({ status: 503, code: 'SETTLEMENT_UNKNOWN' });
  expect(refusal.detail).toContain('may have been charged');
  expect(refusal.detail).not.toMatch(/Nothing was charged|charged nothing|You were charged/);
  const logs = proxy.requests.filter(({ calls }) => hasCall(calls, 'eth_getLogs'));
  // One request for the whole hour, then one for each 2,000 blocks of it.
  expect(logs.length).toBeLessThanOrEqual(9);
  proxy.fault = () => undefined;
  await assertServed(await paymentService.decide(attemptOf(payload))).complete(answerTo('late'));
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('behavior: finds the transaction of a used authorization with one log request', async () => {
  const { paymentService, close } = await fixture.openPaymentService({ rpcUrl: proxy.url });
  const payer = await fixture.newPayer(3n * price);
  const payload = await fixture.sign(paymentService, payer);
  await fixture.settleByThirdParty(payload);
  proxy.requests.length = 0;
  assertServed(await paymentService.decide(attemptOf(payload)));
  expect(proxy.requests.filter(({ calls }) => hasCall(calls, 'eth_getLogs'))).toHaveLength(1);
  await close();
});

test.each([
  ['a facilitator key', withTrial],
  ['a remote facilitator', (config: PaymentConfig) => withTrial(remotely(config))],
])('behavior: with %s, serves a used authorization as a paid call, and keeps the free call', async (_case, change) => {
  const { paymentService, close } = await fixture.openPaymentService({ change });
  const payer = await fixture.newPayer(3n * price);
  const payload = await fixture.sign(paymentService, payer);
  await fixture.settleByThirdParty(payload);
  const paid = assertServed(await paymentService.decide(attemptOf(payload)));
  expect(paid.free).toBeUndefined();
  expect(decodePaymentResponseHeader(paid.paymentResponse).transaction).toMatch(/^0x[0-9a-f]{64}$/);
  await paid.complete(answerTo('paid'));
  const free = assertServed(await paymentService.decide(attemptOf(await fixture.sign(paymentService, payer))));
  expect(free.free).toBe(true);
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('security: a refused payment stays bound to its request, because a node may have its signature', async () => {
  const { paymentService, close } = await fixture.openPaymentService();
  const payer = await fixture.newPayer(price - 1n);
  const payload = await fixture.sign(paymentService, payer);
  expect(assertRefused(await paymentService.decide(attemptOf(payload))).status).toBe(402);
  await fixture.give(payer.address, 1n);
  await fixture.settleByThirdParty(payload);
  expect(await paymentService.decide(attemptOf(payload, '{"size":"stolen"}'))).toMatchObject({ status: 409 });
  assertServed(await paymentService.decide(attemptOf(payload)));
  expect(await fixture.usdcOf(payer.address)).toBe(0n);
  await close();
});
