import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodePaymentRequiredHeader } from '@x402/core/http';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { packedSelector } from '../../engine/chain/packedWords.ts';
import { stateSelector } from '../../engine/pools/encodeStateCall.ts';
import {
  createNodeClient,
  type RpcProxy,
  type Sandbox,
  type SandboxChain,
  startRpcProxy,
  startSandbox,
  startSolana,
} from '../../sandbox/index.ts';
import { readConfig } from '../../server/config/index.ts';
import { type RunningServer, startServer } from '../../server/startServer.ts';
import { postJson, signOffer, usdcOf } from '../support/buyer.ts';
import { findWallet } from '../support/findWallet.ts';

// Live mode with a local chain that has Base's chain id, behind a proxy with faults. Only quotes call the lens, so that
// tests can fail quotes without failing settlements.

let sandbox: Sandbox;
let chain: SandboxChain;
let proxy: RpcProxy;
let server: RunningServer;
let dataDir: string;

beforeAll(async () => {
  sandbox = await startSandbox({ chains: ['base'], mainnetUsdc: true });
  if (!sandbox.chains.base) throw new Error('No Base.');
  chain = sandbox.chains.base;
  proxy = await startRpcProxy(chain.rpcUrl);
  dataDir = await mkdtemp(join(tmpdir(), 'truefill-live-'));
  server = await startServer(readConfig(environment()));
});
afterAll(async () => {
  await server?.close();
  await proxy?.close();
  await sandbox?.close();
  await rm(dataDir, { recursive: true, force: true });
});
beforeEach(() => {
  proxy.fault = () => undefined;
  proxy.requests.length = 0;
});

const walletOf = (role: string) => findWallet(sandbox.wallets, role);

const environment = () => ({
  RPC_URL_BASE: `${proxy.url}/v2/secret-api-key`,
  PAY_TO_EVM: walletOf('payTo').address,
  FACILITATOR_KEY_EVM: walletOf('facilitator').privateKey,
  DATA_DIR: dataDir,
  PORT: '0',
  HOST: '127.0.0.1',
  LOG_LEVEL: 'silent',
  POOL_HINTS: 'off',
  PUBLIC_URL: 'https://truefill.example',
  FRESHNESS_MS_BASE: '0',
});

const quoteInput = () => ({ tokenIn: chain.wrappedNative, tokenOut: chain.usdc, sizeIn: '1.25' });

const post = (body: unknown, headers?: Record<string, string>) => postJson(`${server.url}/v1/quote`, body, headers);

const payToBalance = () => usdcOf(chain, walletOf('payTo').address);
const sign = () => signOffer(`${server.url}/v1/quote`, walletOf('demo'));

const isQuote = (calls: { method: string; params: unknown[] }[]) =>
  calls.some(
    ({ method, params }) =>
      method === 'eth_call' &&
      [stateSelector, packedSelector].some((selector) => (params[0] as { data?: string }).data?.startsWith(selector)),
  );

test('default: live mode serves the configured chain, exposes no RPC URL and has no /sandbox', async () => {
  const health = await (await fetch(`${server.url}/health`)).text();
  expect(JSON.parse(health)).toMatchObject({
    status: 'ok',
    mode: 'live',
    chains: { base: { status: 'ok' } },
    payment: { networks: ['eip155:8453'] },
  });
  expect(health).not.toMatch(/secret-api-key|127\.0\.0\.1|SANDBOX/);
  expect((await fetch(`${server.url}/sandbox`)).status).toBe(404);
  const offer = decodePaymentRequiredHeader((await post({})).headers.get('payment-required') ?? '');
  expect(offer.resource?.url).toBe('https://truefill.example/v1/quote');
});

test('default: an unpaid request causes no RPC request; a paid quote causes at most two besides the settlement', async () => {
  const signature = await sign();
  expect((await post(quoteInput())).status).toBe(402);
  expect(proxy.requests).toEqual([]);
  expect((await post(quoteInput(), signature)).status).toBe(200);
  // A new market: its states, then its plan. Both share a request unless the connection was idle for a second.
  expect([1, 2]).toContain(proxy.requests.filter(({ calls }) => isQuote(calls)).length);
});

test('error: 422 without a charge when the chain is not configured', async () => {
  const before = await payToBalance();
  const response = await post({ ...quoteInput(), chain: 'polygon' }, await sign());
  expect(response.status).toBe(422);
  expect(await payToBalance()).toBe(before);
});

test('error: 503 when the read fails after the payment; the same signature gets the answer without another charge', async () => {
  const before = await payToBalance();
  const signature = await sign();
  proxy.fault = (calls) => (isQuote(calls) ? { kind: 'drop' } : undefined);
  const failed = await post(quoteInput(), signature);
  const text = await failed.text();
  expect(failed.status).toBe(503);
  expect(failed.headers.get('retry-after')).toBeTruthy();
  expect(failed.headers.get('payment-response')).toBeTruthy();
  expect(text).toContain('send the same PAYMENT-SIGNATURE again');
  expect(text).not.toMatch(/secret-api-key|127\.0\.0\.1/);
  expect((await payToBalance()) - before).toBe(20_000n);

  proxy.fault = () => undefined;
  await expect.poll(async () => (await post(quoteInput(), signature)).status, { interval: 300 }).toBe(200);
  expect((await payToBalance()) - before).toBe(20_000n);
});

test('behavior: charges nothing while the RPC node is unavailable, and serves again afterwards', async () => {
  const before = await payToBalance();
  const signature = await sign();
  proxy.fault = () => ({ kind: 'drop' });
  const statuses: number[] = [];
  for (let i = 0; i < 4; i += 1) {
    const response = await post(quoteInput(), signature);
    statuses.push(response.status);
    expect(response.headers.get('retry-after')).toBeTruthy();
    expect(await response.text()).not.toMatch(/secret-api-key|127\.0\.0\.1/);
  }
  expect(statuses).toEqual([503, 503, 503, 503]);
  expect(await payToBalance()).toBe(before);

  proxy.fault = () => undefined;
  await expect.poll(async () => (await post(quoteInput(), signature)).status, { interval: 300 }).toBe(200);
  expect((await payToBalance()) - before).toBe(20_000n);
});

test('default: accepts Solana payments; the start fails if payTo has no token account', async () => {
  const solana = await startSolana();
  const [payTo, facilitator, withoutAccount] = ['payTo', 'facilitator', 'stranger'].map((role) =>
    findWallet(solana.wallets, role),
  );
  const variables = {
    ...environment(),
    DATA_DIR: join(dataDir, 'solana'),
    RPC_URL_SOLANA: solana.rpcUrl,
    PAY_TO_SVM: payTo?.address ?? '',
    FACILITATOR_KEY_SVM: facilitator?.secretKey ?? '',
  };
  const invalid = { ...variables, PAY_TO_SVM: withoutAccount?.address ?? '' };
  await expect(startServer(readConfig(invalid))).rejects.toMatchObject({ name: 'PaymentNetworkMismatchError' });
  const running = await startServer(readConfig(variables));
  const health = await (await fetch(`${running.url}/health`)).text();
  expect(health).toContain('solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp');
  expect(health).not.toContain(solana.rpcUrl);
  await running.close();
  await solana.close();
});

test('error: WrongChainError at start when the RPC URL serves another chain', async () => {
  const wrong = { ...environment(), RPC_URL_BASE: '', RPC_URL_POLYGON: proxy.url, DATA_DIR: join(dataDir, 'wrong') };
  await expect(startServer(readConfig(wrong))).rejects.toMatchObject({ name: 'WrongChainError' });
});

test('error: DatabaseInUseError at start when another service uses the database', async () => {
  await expect(startServer(readConfig(environment()))).rejects.toMatchObject({ name: 'DatabaseInUseError' });
});

/** Calls the local node without the proxy. */
const callNode = (method: string, params: unknown[] = []) => createNodeClient(chain.rpcUrl).call(method, params);

test('behavior: close() completes the request in progress and refuses new ones', async () => {
  const ownServer = await startServer(readConfig({ ...environment(), DATA_DIR: join(dataDir, 'closing') }));
  const signature = await sign();
  const reached = new Promise<void>((resolve) => {
    proxy.fault = (calls) => {
      if (calls.some(({ method }) => method.startsWith('eth_sendRawTransaction'))) resolve();
      return undefined;
    };
  });
  await callNode('evm_setAutomine', [false]);
  const answer = fetch(`${ownServer.url}/v1/quote`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...signature },
    body: JSON.stringify({ ...quoteInput(), sizeIn: '0.75' }),
  });
  await reached;
  const closed = ownServer.close();
  const duringClose = await fetch(`${ownServer.url}/v1/quote`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(await sign()) },
    body: JSON.stringify(quoteInput()),
  });
  expect(duringClose.status).toBe(503);
  expect(duringClose.headers.get('retry-after')).toBe('1');
  expect((await fetch(`${ownServer.url}/health`)).status).toBe(503);
  await callNode('evm_setAutomine', [true]);
  await callNode('anvil_mine');
  expect((await answer).status).toBe(200);
  await closed;
  await expect(fetch(`${ownServer.url}/health`)).rejects.toThrow();
});

test('error: 503 for paid calls, and another status than ok in /health, after a start without an available RPC node', async () => {
  const signed = await sign();
  proxy.fault = () => ({ kind: 'drop' });
  const ownServer = await startServer(readConfig({ ...environment(), DATA_DIR: join(dataDir, 'down') }));
  const health = (await (await fetch(`${ownServer.url}/health`)).json()) as { chains: { base: { status: string } } };
  expect(health.chains.base.status).not.toBe('ok');
  const response = await fetch(`${ownServer.url}/v1/quote`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...signed },
    body: JSON.stringify(quoteInput()),
  });
  expect(response.status).toBe(503);
  await ownServer.close();
});

test('error: 429 with Retry-After, uncharged, for a wallet above its rate limit', async () => {
  const ownServer = await startServer(
    readConfig({ ...environment(), DATA_DIR: join(dataDir, 'wallet'), RATE_LIMIT_PER_WALLET: '1' }),
  );
  const before = await payToBalance();
  const buy = async () =>
    fetch(`${ownServer.url}/v1/quote`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(await sign()) },
      body: JSON.stringify(quoteInput()),
    });
  expect((await buy()).status).toBe(200);
  const second = await buy();
  expect(second.status).toBe(429);
  expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await second.json()).toMatchObject({ code: 'RATE_LIMITED' });
  expect((await payToBalance()) - before).toBe(20_000n);
  await ownServer.close();
});
