import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RpcProxy, type Sandbox, type SandboxChain, startRpcProxy, startSandbox } from '../../sandbox/index.ts';
import { readConfig } from '../../server/config/index.ts';
import { type RunningServer, startServer } from '../../server/startServer.ts';
import { postJson, signOffer } from '../support/buyer.ts';
import { findWallet } from '../support/findWallet.ts';

// Metrics and traces of a paid call, and /ready.

interface Span {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  attributes: { key: string; value: Record<string, unknown> }[];
}

let sandbox: Sandbox;
let chain: SandboxChain;
let proxy: RpcProxy;
let collector: Server;
let server: RunningServer;
let folder: string;
let exported = '';
const spans: Span[] = [];

beforeAll(async () => {
  sandbox = await startSandbox({ chains: ['base'], mainnetUsdc: true });
  chain = sandbox.chains.base as SandboxChain;
  proxy = await startRpcProxy(chain.rpcUrl);
  folder = await mkdtemp(join(tmpdir(), 'truefill-observability-'));
  collector = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    exported += `${req.url} ${text}`;
    for (const { scopeSpans } of JSON.parse(text).resourceSpans) {
      for (const scope of scopeSpans) spans.push(...scope.spans);
    }
    res.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  server = await start();
});
afterAll(async () => {
  await server?.close();
  collector?.closeAllConnections();
  collector?.close();
  await proxy?.close();
  await sandbox?.close();
  await rm(folder, { recursive: true, force: true });
});

const walletOf = (role: string) => findWallet(sandbox.wallets, role);

function start(more: Record<string, string> = {}): Promise<RunningServer> {
  const { port } = collector.address() as AddressInfo;
  return startServer(
    readConfig({
      RPC_URL_BASE: `${proxy.url},http://127.0.0.1:9`,
      PAY_TO_EVM: walletOf('payTo').address,
      FACILITATOR_KEY_EVM: walletOf('facilitator').privateKey,
      DATA_DIR: folder,
      PORT: '0',
      HOST: '127.0.0.1',
      LOG_LEVEL: 'silent',
      FRESHNESS_MS_BASE: '600000',
      PUBLIC_URL: 'https://truefill.example',
      BLOCKSCOUT_URL: 'off',
      DEXSCREENER_URL: 'off',
      GECKOTERMINAL_URL: 'off',
      METRICS_PORT: '0',
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      ...more,
    }),
  );
}

const post = (body: unknown, headers?: Record<string, string>) => postJson(`${server.url}/v1/quote`, body, headers);

async function buy(): Promise<Response> {
  const quoteInput = { tokenIn: chain.wrappedNative, tokenOut: chain.usdc, sizeIn: '1.25' };
  return post(quoteInput, {
    ...(await signOffer(`${server.url}/v1/quote`, walletOf('demo'))),
    // A caller's `traceparent` is ignored: it could force tracing or join another trace.
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  });
}

const scrape = async (): Promise<string> => (await fetch(server.metricsUrl ?? '')).text();

/** Value of the series with these labels, in any order; undefined without one. */
async function sampleOf(name: string, labels: Record<string, string>): Promise<number | undefined> {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  const line = (await scrape())
    .split('\n')
    .find((text) => text.startsWith(`${name}{`) && pairs.every((pair) => text.includes(pair)));
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ') + 1));
}

test('metrics count a paid call in every phase, and its RPC requests by node', async () => {
  expect((await buy()).status).toBe(200);
  const network = 'eip155:8453';
  expect(await sampleOf('truefill_phase_total', { phase: 'verify', of: network, outcome: 'valid' })).toBe(1);
  expect(await sampleOf('truefill_phase_total', { phase: 'settle', of: network, outcome: 'settled' })).toBe(1);
  expect(await sampleOf('truefill_phase_total', { phase: 'engine', of: 'quote', outcome: 'ok' })).toBe(1);
  for (const step of ['load', 'claim', 'journal', 'settled', 'answered']) {
    expect(await sampleOf('truefill_phase_total', { phase: 'store', of: step, outcome: 'ok' }), step).toBe(1);
  }
  for (const of of ['base', network]) {
    expect(await sampleOf('truefill_rpc_requests_total', { of, endpoint: '1', outcome: 'ok' })).toBeGreaterThan(0);
  }
  expect(
    await sampleOf('truefill_rpc_requests_total', { of: 'base', endpoint: '2', outcome: 'unreachable' }),
  ).toBeGreaterThan(0);
  expect(await sampleOf('truefill_answers_asked_total', { of: 'quote', answer: 'miss' })).toBe(1);
  expect(await sampleOf('truefill_rpc_head_age_seconds', { chain: 'base', endpoint: '1' })).toBeDefined();
  expect(await sampleOf('truefill_rpc_head_age_seconds', { chain: 'base', endpoint: '2' })).toBeUndefined();
  expect(await sampleOf('truefill_payments_open', { network, state: 'credit' })).toBe(0);
  await expect.poll(() => sampleOf('truefill_gas_settlements_left', { network })).toBeGreaterThan(0);
  expect(await scrape()).not.toContain('127.0.0.1');
});

test('metrics count a request with a cached answer as a hit', async () => {
  expect((await buy()).status).toBe(200);
  expect(await sampleOf('truefill_answers_asked_total', { of: 'quote', answer: 'hit' })).toBeGreaterThan(0);
});

test('a scrape sends no RPC request', async () => {
  const count = () => proxy.requests.filter(({ calls }) => calls.some(({ method }) => method === 'eth_call')).length;
  const sent: number[] = [];
  for (let times = 0; times < 5; times += 1) {
    const before = count();
    await scrape();
    sent.push(count() - before);
  }
  // The service's own watches may send one beside a scrape.
  expect(Math.min(...sent)).toBe(0);
});

test('the trace of a paid call has its phases as children of the request, without payer and node URL', async () => {
  const isPaidRequest = ({ name, attributes }: Span) =>
    name === 'POST /v1/quote' &&
    attributes.some(({ key, value }) => key.endsWith('status_code') && value.intValue === 200);
  await expect.poll(() => spans.find(isPaidRequest)).toBeDefined();
  const root = spans.find(isPaidRequest);
  expect(root?.parentSpanId).toBeFalsy();
  expect(root?.traceId).not.toBe('0af7651916cd43dd8448eb211c80319c');
  const children = spans.filter(({ traceId }) => traceId === root?.traceId);
  for (const name of ['verify eip155:8453', 'settle eip155:8453', 'engine quote', 'rpc base', 'store answered']) {
    expect(
      children.map((span) => span.name),
      name,
    ).toContain(name);
  }
  const engine = children.find(({ name }) => name === 'engine quote');
  expect(children.some(({ name, parentSpanId }) => name === 'rpc base' && parentSpanId === engine?.spanId)).toBe(true);
  expect(root?.attributes.find(({ key }) => key === 'truefill.request_id')?.value).toEqual({
    stringValue: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  expect(exported).not.toMatch(new RegExp(`${walletOf('demo').address}|127\\.0\\.0\\.1`, 'i'));
});

test('/ready returns 503 while the process starts and while it drains', async () => {
  expect(await (await fetch(`${server.url}/ready`)).json()).toEqual({ ready: true, missing: [] });

  // A slow start: the only node delays its first response.
  let start503: unknown;
  proxy.fault = () => ({ kind: 'delay', ms: 1_500 });
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  const starting = start({
    PORT: String(port),
    DATA_DIR: join(folder, 'own'),
    METRICS_PORT: '',
    OTEL_EXPORTER_OTLP_ENDPOINT: '',
  });
  await expect
    .poll(async () => {
      start503 = await fetch(`http://127.0.0.1:${port}/ready`).then(
        async (response) => ({ ...((await response.json()) as object), status: response.status }),
        () => undefined,
      );
      return start503;
    })
    .toMatchObject({ status: 503, ready: false, missing: ['STARTED'] });
  const own = await starting;
  proxy.fault = () => undefined;

  const sending = new Promise<void>((resolve) => {
    proxy.fault = (calls) => {
      if (!calls.some(({ method }) => method.startsWith('eth_sendRawTransaction'))) return undefined;
      resolve();
      return { kind: 'delay', ms: 3_000 };
    };
  });
  const before = server;
  server = own;
  const paid = buy();
  await sending;
  const closed = own.close();
  const draining = await fetch(`${own.url}/ready`);
  expect(draining.status).toBe(503);
  expect(await draining.json()).toEqual({ ready: false, missing: ['INTAKE'] });
  expect((await paid).status).toBe(200);
  await closed;
  server = before;
});
