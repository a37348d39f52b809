import { decodePaymentResponseHeader } from '@x402/core/http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { knownSelector, stateSelector } from '../../engine/pools/encodeStateCall.ts';
import type { ProxiedCall } from '../../sandbox/index.ts';
import type { RunningServer } from '../../server/startServer.ts';
import { type ClusterFixture, openClusterFixture } from './clusterFixture.ts';

// Three services with one PostgreSQL; USDC balances show every charge.

const quotePrice = 20_000n;
const checkPrice = 50_000n;
const aliases = ['/v1/pretrade/check', '/v1/token-safety', '/v1/rug-check'];

let fixture: ClusterFixture;
let replicas: RunningServer[];
beforeAll(async () => {
  fixture = await openClusterFixture();
  const database = await fixture.newDatabase();
  // Start concurrently on an empty database: one replica migrates, the others wait.
  replicas = await Promise.all([1, 2, 3].map(() => fixture.start(database)));
});
afterAll(async () => {
  await Promise.all((replicas ?? []).map((replica) => replica.close()));
  await fixture?.close();
});

const at = (n: number, path: string): string => `${replicas[n % replicas.length]?.url}${path}`;
const quote = (sizeIn: string) => ({ tokenIn: fixture.chain.wrappedNative, tokenOut: fixture.chain.usdc, sizeIn });
const isLensCall = ({ method, params }: ProxiedCall) =>
  method === 'eth_call' &&
  [stateSelector, knownSelector].some((selector) => (params[0] as { data?: string }).data?.startsWith(selector));
const lensCalls = () => fixture.proxy.requests.filter(({ calls }) => calls.some(isLensCall)).length;

test('behavior: of 25 concurrent first calls of a wallet over three paths and three replicas, exactly one is free', async () => {
  const before = await fixture.taken();
  const signatures = await Promise.all(Array.from({ length: 25 }, () => fixture.sign(at(0, aliases[0] ?? ''))));
  const receipts = await Promise.all(
    signatures.map(async (signature, n) => {
      const url = at(n, aliases[Math.floor(n / 3) % 3] ?? '');
      const response = await fixture.post(url, { token: fixture.chain.wrappedNative }, signature);
      expect(response.status, await response.clone().text()).toBe(200);
      return decodePaymentResponseHeader(response.headers.get('payment-response') ?? '');
    }),
  );
  expect(receipts.filter(({ extra }) => extra?.freeTrial)).toHaveLength(1);
  expect((await fixture.taken()) - before).toBe(24n * checkPrice);
});

test('behavior: one payment sent four times to every replica is charged once with equal answers', async () => {
  const before = await fixture.taken();
  const signature = await fixture.sign(at(0, '/v1/quote'));
  const answers = await Promise.all(
    Array.from({ length: 12 }, async (_, n) => {
      const response = await fixture.post(at(n, '/v1/quote'), quote('0.5'), signature);
      return {
        status: response.status,
        receipt: response.headers.get('payment-response'),
        body: await response.text(),
      };
    }),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
  expect(new Set(answers.map(({ receipt }) => receipt)).size).toBe(1);
  expect((await fixture.taken()) - before).toBe(quotePrice);

  const elsewhere = await fixture.post(at(1, '/v1/quote'), quote('0.6'), signature);
  expect(elsewhere.status).toBe(409);
});

test('behavior: until validUntil all replicas return the same answer from one chain read', async () => {
  const before = await fixture.taken();
  fixture.proxy.requests.length = 0;
  const signatures = await Promise.all(Array.from({ length: 9 }, () => fixture.sign(at(0, '/v1/quote'))));
  const bodies = await Promise.all(
    signatures.map(async (signature, n) => (await fixture.post(at(n, '/v1/quote'), quote('0.77'), signature)).text()),
  );
  expect(new Set(bodies).size).toBe(1);
  expect(lensCalls()).toBe(1);
  expect((await fixture.taken()) - before).toBe(9n * quotePrice);
});

test('behavior: replicas share the limit per wallet', async () => {
  const database = await fixture.newDatabase();
  const limited = await Promise.all([1, 2].map(() => fixture.start(database, { RATE_LIMIT_PER_WALLET: '3' })));
  const buy = async (n: number) => {
    const url = `${limited[n % 2]?.url}/v1/quote`;
    return (await fixture.post(url, quote('0.5'), await fixture.sign(url))).status;
  };
  expect([await buy(0), await buy(0), await buy(1)]).toEqual([200, 200, 200]);
  // Replicas exchange counts in the background; then both are at the limit.
  await expect.poll(() => buy(1), { timeout: 20_000 }).toBe(429);
  await expect.poll(() => buy(0), { timeout: 20_000 }).toBe(429);
  await Promise.all(limited.map((replica) => replica.close()));
});

test('error: without the database between settlement and answer: 503, one charge, and the answer on retry', async () => {
  const own = await fixture.start(await fixture.newDatabase());
  const url = `${own.url}/v1/quote`;
  const signature = await fixture.sign(url);
  const before = await fixture.taken();
  let crashed: Promise<void> | undefined;
  fixture.proxy.fault = (calls) => {
    // The engine's first read comes after the settlement.
    if (calls.some(isLensCall)) {
      crashed ??= fixture.postgres.crash();
    }
    return crashed ? { kind: 'status', status: 503 } : undefined;
  };
  const broken = await fixture.post(url, quote('0.31'), signature);
  expect(broken.status).toBe(503);
  expect(await broken.text()).toMatch(/same PAYMENT-SIGNATURE/);
  await crashed;
  fixture.proxy.fault = () => undefined;

  const gone = await fixture.post(url, quote('0.31'), signature);
  expect(gone.status).toBe(503);
  const text = JSON.stringify([...gone.headers]) + (await gone.text());
  expect(text).not.toMatch(/postgres|5432|ECONN|at .*\.ts/);
  const stranger = await fixture.post(url, quote('0.32'), await fixture.sign(url));
  expect(stranger.status).toBe(503);

  await fixture.postgres.restart();
  await expect.poll(async () => (await fixture.post(url, quote('0.31'), signature)).status).toBe(200);
  expect((await fixture.taken()) - before).toBe(quotePrice);
  await own.close();
});

test('behavior: a 402 needs neither chain nor database', async () => {
  const own = await fixture.start(await fixture.newDatabase());
  const url = `${own.url}/v1/quote`;
  const unpaid = async () => {
    const response = await fixture.post(url, quote('0.4'));
    return { status: response.status, offer: response.headers.get('payment-required'), body: await response.text() };
  };
  const before = await unpaid();
  expect(before.status).toBe(402);
  fixture.proxy.requests.length = 0;
  fixture.proxy.fault = () => ({ kind: 'hang' });
  await fixture.postgres.crash();
  const responses = await Promise.all(Array.from({ length: 50 }, unpaid));
  const own402 = ({ body, ...rest }: typeof before) => ({
    ...rest,
    body: body.replace(/"(?:requestId|instance)":"[^"]*"/g, ''),
  });
  expect(new Set(responses.map((one) => JSON.stringify(own402(one))))).toEqual(
    new Set([JSON.stringify(own402(before))]),
  );
  expect(lensCalls()).toBe(0);
  fixture.proxy.fault = () => undefined;
  await fixture.postgres.restart();
  await own.close();
});
