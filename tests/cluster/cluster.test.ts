import { decodePaymentResponseHeader } from '@x402/core/http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packedSelector } from '../../engine/chain/packedWords.ts';
import { stateSelector } from '../../engine/pools/encodeStateCall.ts';
import type { ProxiedCall } from '../../sandbox/index.ts';
import type { RunningServer } from '../../server/startServer.ts';
import { type ClusterFixture, openClusterFixture } from './clusterFixture.ts';

// Three replicas with one PostgreSQL. The tests assert on payTo's USDC balance.

const quotePrice = 20_000n;
const checkPrice = 50_000n;
const aliases = ['/v1/pretrade/check', '/v1/token-safety', '/v1/rug-check'];

let fixture: ClusterFixture;
let replicas: RunningServer[];
beforeAll(async () => {
  fixture = await openClusterFixture();
  const database = await fixture.newDatabase();
  // The replicas start concurrently on an empty database: one migrates it, the others wait.
  replicas = await Promise.all([1, 2, 3].map(() => fixture.start(database)));
});
afterAll(async () => {
  await Promise.all((replicas ?? []).map((replica) => replica.close()));
  await fixture?.close();
});

const urlAt = (n: number, path: string): string => `${replicas[n % replicas.length]?.url}${path}`;
const quote = (sizeIn: string) => ({ tokenIn: fixture.chain.wrappedNative, tokenOut: fixture.chain.usdc, sizeIn });
const isLensCall = ({ method, params }: ProxiedCall) =>
  method === 'eth_call' &&
  [stateSelector, packedSelector].some((selector) => (params[0] as { data?: string }).data?.startsWith(selector));
const lensCalls = () => fixture.proxy.requests.filter(({ calls }) => calls.some(isLensCall)).length;

test('behavior: one of 25 concurrent first calls of a wallet over three paths and three replicas is free', async () => {
  const before = await fixture.payToBalance();
  const signatures = await Promise.all(Array.from({ length: 25 }, () => fixture.sign(urlAt(0, aliases[0] ?? ''))));
  const receipts = await Promise.all(
    signatures.map(async (signature, n) => {
      const url = urlAt(n, aliases[Math.floor(n / 3) % 3] ?? '');
      const response = await fixture.post(url, { token: fixture.chain.wrappedNative }, signature);
      expect(response.status, await response.clone().text()).toBe(200);
      return decodePaymentResponseHeader(response.headers.get('payment-response') ?? '');
    }),
  );
  expect(receipts.filter(({ extra }) => extra?.freeTrial)).toHaveLength(1);
  expect((await fixture.payToBalance()) - before).toBe(24n * checkPrice);
});

test('behavior: a payment that is sent four times to each replica is charged once and gets the same answer', async () => {
  const before = await fixture.payToBalance();
  const signature = await fixture.sign(urlAt(0, '/v1/quote'));
  const answers = await Promise.all(
    Array.from({ length: 12 }, async (_, n) => {
      const response = await fixture.post(urlAt(n, '/v1/quote'), quote('0.5'), signature);
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
  expect((await fixture.payToBalance()) - before).toBe(quotePrice);

  const onOtherReplica = await fixture.post(urlAt(1, '/v1/quote'), quote('0.6'), signature);
  expect(onOtherReplica.status).toBe(409);
});

test('behavior: all replicas return the same answer until validUntil', async () => {
  const database = await fixture.newDatabase();
  const sharing = await Promise.all([1, 2, 3].map(() => fixture.start(database)));
  const urlOf = (n: number) => `${sharing[n % sharing.length]?.url}/v1/quote`;
  const before = await fixture.payToBalance();
  const signatures = await Promise.all(Array.from({ length: 9 }, () => fixture.sign(urlOf(0))));
  const bodies = await Promise.all(
    signatures.map(async (signature, n) => (await fixture.post(urlOf(n), quote('0.77'), signature)).text()),
  );
  expect(new Set(bodies).size).toBe(1);
  expect((await fixture.payToBalance()) - before).toBe(9n * quotePrice);
  await Promise.all(sharing.map((each) => each.close()));
});

test('behavior: replicas share the rate limit of a wallet', async () => {
  const database = await fixture.newDatabase();
  const limited = await Promise.all([1, 2].map(() => fixture.start(database, { RATE_LIMIT_PER_WALLET: '3' })));
  const buy = async (n: number) => {
    const url = `${limited[n % 2]?.url}/v1/quote`;
    return (await fixture.post(url, quote('0.5'), await fixture.sign(url))).status;
  };
  expect([await buy(0), await buy(0), await buy(1)]).toEqual([200, 200, 200]);
  // Replicas share their counts in the background.
  await expect.poll(() => buy(1), { timeout: 20_000 }).toBe(429);
  await expect.poll(() => buy(0), { timeout: 20_000 }).toBe(429);
  await Promise.all(limited.map((replica) => replica.close()));
});

test('error: 503 when the database fails between settlement and answer; the retry gets the answer, with one charge in total', async () => {
  const replica = await fixture.start(await fixture.newDatabase());
  const url = `${replica.url}/v1/quote`;
  const signature = await fixture.sign(url);
  // Signed before the node fails: after two failed reads the network is not offered for a while.
  const otherSignature = await fixture.sign(url);
  const before = await fixture.payToBalance();
  let crashed: Promise<void> | undefined;
  fixture.proxy.fault = (calls) => {
    // The engine's first read follows the settlement.
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

  const whileDown = await fixture.post(url, quote('0.31'), signature);
  expect(whileDown.status).toBe(503);
  const text = JSON.stringify([...whileDown.headers]) + (await whileDown.text());
  expect(text).not.toMatch(/postgres|5432|ECONN|at .*\.ts/);
  const newPayment = await fixture.post(url, quote('0.32'), otherSignature);
  expect(newPayment.status).toBe(503);

  await fixture.postgres.restart();
  await expect.poll(async () => (await fixture.post(url, quote('0.31'), signature)).status).toBe(200);
  expect((await fixture.payToBalance()) - before).toBe(quotePrice);
  await replica.close();
});

test('behavior: returns the same 402 while chain and database are unavailable', async () => {
  const replica = await fixture.start(await fixture.newDatabase());
  const url = `${replica.url}/v1/quote`;
  const unpaid = async () => {
    const response = await fixture.post(url, quote('0.4'));
    return { status: response.status, offer: response.headers.get('payment-required'), body: await response.text() };
  };
  const before = await unpaid();
  expect(before.status).toBe(402);
  fixture.proxy.requests.length = 0;
  await fixture.postgres.crash();
  fixture.proxy.fault = () => ({ kind: 'hang' });
  const responses = await Promise.all(Array.from({ length: 50 }, unpaid));
  /** Removes the fields that differ for each request. */
  const withoutIds = ({ body, ...rest }: typeof before) => ({
    ...rest,
    body: body.replace(/"(?:requestId|instance)":"[^"]*"/g, ''),
  });
  expect(new Set(responses.map((response) => JSON.stringify(withoutIds(response))))).toEqual(
    new Set([JSON.stringify(withoutIds(before))]),
  );
  expect(lensCalls()).toBe(0);
  fixture.proxy.fault = () => undefined;
  await fixture.postgres.restart();
  await replica.close();
});
