import { decodePaymentResponseHeader } from '@x402/core/http';
import type { PaymentPayload } from '@x402/core/types';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type ProxiedCall, type RpcProxy, startRpcProxy } from '../../sandbox/index.ts';
import type { Admission, CashierConfig, PaymentNetwork } from '../../server/payments/index.ts';
import { failing } from '../rpcFaults/rewriteReplies.ts';
import { answerTo, attemptOf, openPayWorld, type PayWorld, price } from './payWorld.ts';
import { evmEngine, type StrangerFacilitator, startStrangerFacilitator } from './strangerFacilitator.ts';

// Authorizations that a third party submitted to the token. The balances of the token are the judge.

let world: PayWorld;
let proxy: RpcProxy;
let remote: StrangerFacilitator;

beforeAll(async () => {
  world = await openPayWorld();
  proxy = await startRpcProxy(world.chain.rpcUrl);
  const key = world.walletOf('facilitator').privateKey;
  remote = await startStrangerFacilitator(evmEngine('eip155:8453', world.chain.rpcUrl, key));
});
afterEach(() => {
  proxy.fault = () => undefined;
});
afterAll(async () => {
  await remote?.close();
  await proxy?.close();
  await world?.close();
});

const withTrial = (config: CashierConfig): CashierConfig => ({
  ...config,
  offers: config.offers.map((offer) => ({ ...offer, trialGroup: 'pretrade' })),
});
const remotely = (config: CashierConfig): CashierConfig => ({
  ...config,
  networks: config.networks.map(
    (network) => ({ ...network, facilitatorKey: undefined, remote: { url: remote.url } }) as PaymentNetwork,
  ),
});
const asks = (calls: readonly ProxiedCall[], method: string) => calls.some((call) => call.method === method);

type Serve = Extract<Admission, { kind: 'serve' }>;
function served(admission: Admission): Serve {
  if (admission.kind !== 'serve') throw new Error(`Not served: ${JSON.stringify(admission)}`);
  return admission;
}
function refused(admission: Admission): Extract<Admission, { kind: 'refuse' }> {
  if (admission.kind !== 'refuse') throw new Error(`Not refused: ${admission.kind}`);
  return admission;
}

test.each([
  ['our own key', (config: CashierConfig) => config],
  ['a remote facilitator', remotely],
])('behavior: an authorization that paid us elsewhere buys its answer once, with %s', async (_who, change) => {
  const { cashier, close } = await world.openCashier({ change });
  const payer = await world.newPayer(3n * price);
  const payload = await world.sign(cashier, payer);
  await world.submitElsewhere(payload);
  const admission = served(await cashier.admit(attemptOf(payload)));
  await admission.complete(answerTo('once'));
  expect(await cashier.admit(attemptOf(payload))).toMatchObject({ kind: 'replay', answer: answerTo('once') });
  expect(await cashier.admit(attemptOf(payload, '{"size":"2"}'))).toMatchObject({
    status: 409,
    code: 'PAYMENT_REUSED',
  });
  expect(await world.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('behavior: a thief who submits the calldata of our estimate pays for the answer of its payer', async () => {
  const { cashier, close } = await world.openCashier({ rpcUrl: proxy.url });
  const payer = await world.newPayer(3n * price);
  const payload = await world.sign(cashier, payer);
  let thief: Promise<unknown> | undefined;
  proxy.fault = (calls) => {
    if (!asks(calls, 'eth_estimateGas') || thief) return undefined;
    thief = world.submitElsewhere(payload);
    return { kind: 'delay', ms: 1_000 };
  };
  const admitting = cashier.admit(attemptOf(payload));
  await expect.poll(() => thief !== undefined).toBe(true);
  await thief;
  // The thief asks for an answer of his own, with the same authorization.
  expect(await cashier.admit(attemptOf(payload, '{"size":"stolen"}'))).toMatchObject({ status: 409 });
  await served(await admitting).complete(answerTo('payer'));
  expect(await world.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('behavior: a node that broadcasts our estimate and hangs up steals no answer', async () => {
  const { cashier, close } = await world.openCashier({ rpcUrl: proxy.url });
  const payer = await world.newPayer(3n * price);
  const payload = await world.sign(cashier, payer);
  let thief: Promise<unknown> | undefined;
  proxy.fault = (calls) => {
    if (!asks(calls, 'eth_estimateGas')) return undefined;
    thief ??= world.submitElsewhere(payload);
    return { kind: 'drop' };
  };
  const told = refused(await cashier.admit(attemptOf(payload)));
  await thief;
  expect(told).toMatchObject({ status: 503, detail: expect.stringContaining('do not sign a new one') });
  expect(told.detail).not.toContain('Nothing was charged');
  proxy.fault = () => undefined;
  expect(await cashier.admit(attemptOf(payload, '{"size":"stolen"}'))).toMatchObject({ status: 409 });
  await served(await cashier.admit(attemptOf(payload))).complete(answerTo('payer'));
  expect(await world.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('behavior: a thief between our journal and our broadcast pays for the answer of its payer', async () => {
  let payload: PaymentPayload | undefined;
  const { cashier, close } = await world.openCashier({
    change: (config) => ({
      ...config,
      ledger: {
        ...config.ledger,
        async journalNext(...step) {
          const transaction = await config.ledger.journalNext(...step);
          if (payload) await world.submitElsewhere(payload);
          return transaction;
        },
      },
    }),
  });
  const payer = await world.newPayer(3n * price);
  payload = await world.sign(cashier, payer);
  await served(await cashier.admit(attemptOf(payload))).complete(answerTo('payer'));
  expect(await cashier.admit(attemptOf(payload, '{"size":"stolen"}'))).toMatchObject({ status: 409 });
  expect(await world.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('behavior: after a restore without the payment its retry is answered once, uncharged; another body gets 409', async () => {
  const lost = await world.openCashier();
  const payer = await world.newPayer(3n * price);
  const payload = await world.sign(lost.cashier, payer);
  const first = served(await lost.cashier.admit(attemptOf(payload)));
  await first.complete(answerTo('lost'));
  await lost.close();

  const restored = await world.openCashier();
  const again = served(await restored.cashier.admit(attemptOf(payload)));
  expect(again.paymentResponse).toBe(first.paymentResponse);
  await again.complete(answerTo('restored'));
  expect(await restored.cashier.admit(attemptOf(payload, '{"size":"2"}'))).toMatchObject({ status: 409 });
  expect(await world.usdcOf(payer.address)).toBe(2n * price);
  await restored.close();
});

test('behavior: two deployments with one payTo answer one payment once each, until it ends', async () => {
  let late = 0;
  const [a, b, c] = await Promise.all(
    [0, 1, 2].map(() => world.openCashier({ change: (config) => ({ ...config, now: () => Date.now() + late }) })),
  );
  if (!a || !b || !c) throw new Error('unreachable');
  const payer = await world.newPayer(3n * price);
  const payload = await world.sign(a.cashier, payer);
  for (const { cashier } of [a, b]) {
    await served(await cashier.admit(attemptOf(payload))).complete(answerTo('once'));
    expect(await cashier.admit(attemptOf(payload, '{"size":"2"}'))).toMatchObject({ status: 409 });
  }
  late = 200_000;
  const ended = refused(await c.cashier.admit(attemptOf(payload)));
  expect(ended).toMatchObject({ status: 402, detail: expect.stringContaining('look it up before you sign') });
  expect(ended.detail).not.toContain('Nothing was charged');
  expect(await world.usdcOf(payer.address)).toBe(2n * price);
  for (const { close } of [a, b, c]) await close();
});

test('error: 402 that names the transaction that cancelled the authorization', async () => {
  const { cashier, close } = await world.openCashier();
  const payer = await world.newPayer(3n * price);
  const payload = await world.sign(cashier, payer);
  const hash = await world.sendCancel(payer, payload);
  await expect.poll(() => world.client.getTransactionReceipt({ hash }).catch(() => undefined)).toBeDefined();
  const { status, detail } = refused(await cashier.admit(attemptOf(payload)));
  expect([status, detail]).toEqual([
    402,
    `Transaction ${hash} cancelled this authorization. Sign a new one with a fresh nonce. Nothing was charged.`,
  ]);
  expect(await world.usdcOf(payer.address)).toBe(3n * price);
  await close();
});

test.each([
  ['less to us', () => ({ to: world.payTo, value: price - 1n })],
  ['somebody else', () => ({ to: world.walletOf('stranger').address, value: price })],
])('error: 402 that names what an authorization with the same nonce paid: %s', async (_what, twist) => {
  const { cashier, close } = await world.openCashier();
  const payer = await world.newPayer(3n * price);
  const payload = await world.sign(cashier, payer);
  const { nonce } = (payload.payload as { authorization: { nonce: `0x${string}` } }).authorization;
  const { to, value } = twist();
  const hash = await world.sendElsewhere(await world.signTwisted(cashier, payer, { nonce, to, value }));
  await expect.poll(() => world.client.getTransactionReceipt({ hash }).catch(() => undefined)).toBeDefined();
  const { status, detail } = refused(await cashier.admit(attemptOf(payload)));
  expect(status).toBe(402);
  expect(detail).toContain(`Transaction ${hash} used the nonce of this authorization to pay ${value} units to ${to}`);
  expect(detail).not.toContain('Nothing was charged');
  expect(await world.usdcOf(payer.address)).toBe(3n * price - value);
  await close();
});

test('error: SETTLEMENT_UNKNOWN while the node refuses logs; the answer when it returns them', async () => {
  const { cashier, close } = await world.openCashier({ rpcUrl: proxy.url });
  const payer = await world.newPayer(3n * price);
  const payload = await world.sign(cashier, payer);
  await world.submitElsewhere(payload);
  proxy.fault = (calls) =>
    asks(calls, 'eth_getLogs')
      ? failing(({ method }) => method === 'eth_getLogs', { code: -32_005, message: 'range too large' })
      : undefined;
  proxy.requests.length = 0;
  const told = refused(await cashier.admit(attemptOf(payload)));
  expect(told).toMatchObject({ status: 503, code: 'SETTLEMENT_UNKNOWN' });
  expect(told.detail).not.toContain('harged');
  const logs = proxy.requests.filter(({ calls }) => asks(calls, 'eth_getLogs'));
  // The whole range, then parts of 2,000 blocks of the 15,000 that are searched.
  expect(logs.length).toBeLessThanOrEqual(9);
  proxy.fault = () => undefined;
  await served(await cashier.admit(attemptOf(payload))).complete(answerTo('late'));
  expect(await world.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('behavior: one request of logs finds the use', async () => {
  const { cashier, close } = await world.openCashier({ rpcUrl: proxy.url });
  const payer = await world.newPayer(3n * price);
  const payload = await world.sign(cashier, payer);
  await world.submitElsewhere(payload);
  proxy.requests.length = 0;
  served(await cashier.admit(attemptOf(payload)));
  expect(proxy.requests.filter(({ calls }) => asks(calls, 'eth_getLogs'))).toHaveLength(1);
  await close();
});

test.each([
  ['our own key', withTrial],
  ['a remote facilitator', (config: CashierConfig) => withTrial(remotely(config))],
])('behavior: a used authorization buys a paid call, and the free call stays, with %s', async (_who, change) => {
  const { cashier, close } = await world.openCashier({ change });
  const payer = await world.newPayer(3n * price);
  const payload = await world.sign(cashier, payer);
  await world.submitElsewhere(payload);
  const paid = served(await cashier.admit(attemptOf(payload)));
  expect(paid.free).toBeUndefined();
  expect(decodePaymentResponseHeader(paid.paymentResponse).transaction).toMatch(/^0x[0-9a-f]{64}$/);
  await paid.complete(answerTo('paid'));
  const free = served(await cashier.admit(attemptOf(await world.sign(cashier, payer))));
  expect(free.free).toBe(true);
  expect(await world.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('behavior: a refused payment that a node has seen stays bound to its request', async () => {
  const { cashier, close } = await world.openCashier();
  const payer = await world.newPayer(price - 1n);
  const payload = await world.sign(cashier, payer);
  expect(refused(await cashier.admit(attemptOf(payload))).status).toBe(402);
  await world.give(payer.address, 1n);
  await world.submitElsewhere(payload);
  expect(await cashier.admit(attemptOf(payload, '{"size":"stolen"}'))).toMatchObject({ status: 409 });
  served(await cashier.admit(attemptOf(payload)));
  expect(await world.usdcOf(payer.address)).toBe(0n);
  await close();
});
