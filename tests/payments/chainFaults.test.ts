import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type RpcProxy, startRpcProxy } from '../../sandbox/rpcProxy.ts';
import type { Admission } from '../../server/payments/index.ts';
import { rewriting } from '../rpcFaults/rewriteReplies.ts';
import { attemptOf, openPayWorld, type PayWorld, price } from './payWorld.ts';

let world: PayWorld;
let proxy: RpcProxy;

beforeAll(async () => {
  world = await openPayWorld();
  proxy = await startRpcProxy(world.chain.rpcUrl);
});
afterEach(() => {
  proxy.fault = () => undefined;
});
afterAll(async () => {
  await proxy?.close();
  await world?.close();
});

const methodsOf = (calls: { method: string }[]) => calls.map(({ method }) => method);
/** The first request of this method meets the fault, and only that one. */
function once(method: string, fault: ReturnType<RpcProxy['fault']>): () => number {
  let met = 0;
  proxy.fault = (calls) => (methodsOf(calls).includes(method) && met++ === 0 ? fault : undefined);
  return () => met;
}
const isBroadcast = (method: string) => method.startsWith('eth_sendRawTransaction');
/** The same for the first broadcast, with or without waiting for the receipt. */
function onceBroadcast(fault: ReturnType<RpcProxy['fault']>): () => number {
  let met = 0;
  proxy.fault = (calls) => (methodsOf(calls).some(isBroadcast) && met++ === 0 ? fault : undefined);
  return () => met;
}
test.each(['loseReply', 'drop'] as const)(
  'behavior: a broadcast that meets %s is settled all the same, once',
  async (kind) => {
    const { cashier, close } = await world.openCashier({ rpcUrl: proxy.url });
    const payer = await world.newPayer(3n * price);
    const payload = await world.sign(cashier, payer);
    const met = onceBroadcast({ kind });

    const admission = await cashier.admit(attemptOf(payload));

    expect(met()).toBeGreaterThan(0);
    expect(admission.kind).toBe('serve');
    expect(await world.usdcOf(payer.address)).toBe(2n * price);
    await close();
  },
);

test('behavior: a lost broadcast does not hold up the payments behind it', async () => {
  const { cashier, close } = await world.openCashier({ rpcUrl: proxy.url });
  const payers = [await world.newPayer(price), await world.newPayer(price), await world.newPayer(price)];
  const payloads = await Promise.all(payers.map((payer) => world.sign(cashier, payer)));
  onceBroadcast({ kind: 'drop' });
  const admissions = await Promise.all(payloads.map((payload) => cashier.admit(attemptOf(payload))));
  expect(admissions.map(({ kind }) => kind)).toEqual(['serve', 'serve', 'serve']);
  expect(await Promise.all(payers.map(({ address }) => world.usdcOf(address)))).toEqual([0n, 0n, 0n]);
  await close();
});

test('a broadcast that hangs delays the payments behind it by seconds, and all are served', async () => {
  const { cashier, close } = await world.openCashier({
    rpcUrl: proxy.url,
    change: (config) => ({ ...config, timings: { ...config.timings, rpcTimeoutMs: 4_000 } }),
  });
  const payers = [await world.newPayer(price), await world.newPayer(price), await world.newPayer(price)];
  const [hanging, ...behind] = await Promise.all(
    payers.map(async (payer) => attemptOf(await world.sign(cashier, payer), payer.address)),
  );
  const met = onceBroadcast({ kind: 'hang' });
  const held = cashier.admit(hanging as never);
  await expect.poll(met).toBe(1);
  const begun = performance.now();
  const admissions = await Promise.all([held, ...behind.map((attempt) => cashier.admit(attempt))]);
  expect(admissions.map(({ kind }) => kind)).toEqual(['serve', 'serve', 'serve']);
  // `settleDeadlineMs` would be 30 s.
  expect(performance.now() - begun).toBeLessThan(25_000);
  expect(await Promise.all(payers.map(({ address }) => world.usdcOf(address)))).toEqual([0n, 0n, 0n]);
  await close();
});

test.each([
  ['is gone', { kind: 'drop' as const }],
  ['answers 500', { kind: 'status' as const, status: 500, body: 'key=SECRET' }],
  ['answers 429', { kind: 'status' as const, status: 429 }],
  ['answers a web page', { kind: 'html' as const }],
])('error: UPSTREAM_UNAVAILABLE, uncharged, when the RPC %s; never an invalid signature', async (_name, fault) => {
  const { cashier, close } = await world.openCashier({ rpcUrl: proxy.url });
  const payer = await world.newPayer(3n * price);
  const payload = await world.sign(cashier, payer);
  proxy.fault = () => fault;

  const admission = await cashier.admit(attemptOf(payload));

  expect(admission).toMatchObject({
    kind: 'refuse',
    status: 503,
    code: 'UPSTREAM_UNAVAILABLE',
    headers: { 'Retry-After': '5' },
  });
  expect(JSON.stringify(admission)).not.toMatch(/SECRET|127\.0\.0\.1|http:|at .*\.ts/);
  proxy.fault = () => undefined;
  expect(await world.usdcOf(payer.address)).toBe(3n * price);
  expect((await cashier.admit(attemptOf(payload))).kind).toBe('serve');
  expect(await world.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('behavior: neither the key in an RPC URL nor the facilitator key stands in any log line or answer', async () => {
  const lines: unknown[] = [];
  const write = (...line: unknown[]) => void lines.push(inspect(line, { depth: 12 }));
  const { cashier, close } = await world.openCashier({
    rpcUrl: `${proxy.url}/v2/SECRET`,
    change: (config) => ({ ...config, logger: { info: write, warn: write, error: write } }),
  });
  const payload = await world.sign(cashier, await world.newPayer(3n * price));
  const told: Admission[] = [];
  const contractWallet = await world.newPayer(price);
  const foreign = await world.sign(cashier, contractWallet);
  const crooked = { ...foreign, payload: { ...foreign.payload, signature: `0x${'11'.repeat(65)}` } };
  for (const kind of ['drop', 'html', 'truncate'] as const) {
    proxy.fault = () => ({ kind });
    told.push(await cashier.admit(attemptOf(payload)), await cashier.admit(attemptOf(crooked)));
  }
  onceBroadcast({ kind: 'loseReply' });
  told.push(await cashier.admit(attemptOf(payload)));
  await close();
  const facilitatorKey = world.walletOf('facilitator').privateKey.slice(2);
  expect(lines.length).toBeGreaterThan(3);
  expect(`${lines.join()}${inspect(told, { depth: 12 })}`).not.toMatch(
    new RegExp(`SECRET|${new URL(proxy.url).host}|${facilitatorKey}`),
  );
});

test('behavior: a cashier opens while its RPC is down, refuses uncharged, and sells when it is back', async () => {
  proxy.fault = () => ({ kind: 'drop' });
  const { cashier, close } = await world.openCashier({ rpcUrl: proxy.url });
  const payer = await world.newPayer(price);
  const attempt = attemptOf(await world.sign(cashier, payer));
  expect(await cashier.admit(attempt)).toMatchObject({ kind: 'refuse', status: 503, code: 'UPSTREAM_UNAVAILABLE' });
  proxy.fault = () => undefined;
  expect((await cashier.admit(attempt)).kind).toBe('serve');
  expect(await world.usdcOf(payer.address)).toBe(0n);
  await close();
});

test('behavior: a second RPC URL takes over when the first is down', async () => {
  const { cashier, close } = await world.openCashier({
    change: (config) => ({
      ...config,
      networks: config.networks.map((network) => ({ ...network, rpcUrls: [proxy.url, world.chain.rpcUrl] })),
    }),
  });
  const payer = await world.newPayer(price);
  proxy.fault = () => ({ kind: 'drop' });
  expect((await cashier.admit(attemptOf(await world.sign(cashier, payer)))).kind).toBe('serve');
  await close();
});

test('error: SETTLEMENT_UNKNOWN while the receipt is not to be had; the same payment is then served', async () => {
  const { cashier, close } = await world.openCashier({
    rpcUrl: proxy.url,
    change: (config) => ({ ...config, timings: { ...config.timings, settleDeadlineMs: 400 } }),
  });
  const payer = await world.newPayer(3n * price);
  const attempt = attemptOf(await world.sign(cashier, payer));
  proxy.fault = (calls) => (methodsOf(calls).includes('eth_getTransactionReceipt') ? { kind: 'drop' } : undefined);

  const unknown = await cashier.admit(attempt);
  expect(unknown).toMatchObject({
    kind: 'refuse',
    status: 503,
    code: 'SETTLEMENT_UNKNOWN',
    headers: { 'Retry-After': '5' },
  });
  expect(unknown).toHaveProperty('detail', expect.stringContaining('send the same PAYMENT-SIGNATURE again'));
  expect(await cashier.admit(attempt)).toMatchObject({ code: 'SETTLEMENT_UNKNOWN' });

  proxy.fault = () => undefined;
  let served = await cashier.admit(attempt);
  while (served.kind === 'refuse') {
    expect(served.code).toBe('SETTLEMENT_UNKNOWN');
    served = await cashier.admit(attempt);
  }
  expect(served.kind).toBe('serve');
  expect(await world.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('behavior: one wrong count of nonces holds up neither its payment nor the next ones', async () => {
  const { cashier, close } = await world.openCashier({
    rpcUrl: proxy.url,
    change: (config) => ({ ...config, timings: { ...config.timings, bumpAfterMs: 500 } }),
  });
  const payers = [await world.newPayer(price), await world.newPayer(price), await world.newPayer(price)];
  const [first, ...others] = await Promise.all(payers.map((payer) => world.sign(cashier, payer)));
  if (!first) throw new Error('no payment');
  const met = once(
    'eth_getTransactionCount',
    rewriting(({ method }, told) => (method === 'eth_getTransactionCount' ? '0x3e8' : told)),
  );
  const admissions = [first, ...others].map((payload) => cashier.admit(attemptOf(payload)));
  expect((await Promise.all(admissions)).map(({ kind }) => kind)).toEqual(['serve', 'serve', 'serve']);
  expect(met()).toBeGreaterThan(0);
  expect(await Promise.all(payers.map(({ address }) => world.usdcOf(address)))).toEqual([0n, 0n, 0n]);
  await world.rpc('anvil_dropAllTransactions');
  await close();
});

test('behavior: a node that asks for an absurd tip is given a sober one', async () => {
  const { cashier, close } = await world.openCashier({ rpcUrl: proxy.url });
  const payer = await world.newPayer(price);
  const facilitator = { address: world.walletOf('facilitator').address };
  const before = await world.client.getBalance(facilitator);
  proxy.fault = (calls) =>
    methodsOf(calls).includes('eth_maxPriorityFeePerGas') ? rewriting(() => '0x38d7ea4c68000') : undefined;
  expect((await cashier.admit(attemptOf(await world.sign(cashier, payer)))).kind).toBe('serve');
  // 0.001 ether for each of some 60,000 gas would be sixty ether.
  expect(before - (await world.client.getBalance(facilitator))).toBeLessThan(10n ** 16n);
  await close();
});
