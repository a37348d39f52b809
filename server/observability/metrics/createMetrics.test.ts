import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { NodeState } from '../../../engine/index.ts';
import { DatabaseUnavailableError, type OpenPayments } from '../../storage/index.ts';
import { createMetrics } from './createMetrics.ts';
import type { MetricSources } from './metricSources.ts';

const metrics = createMetrics();
const server = createServer(
  metrics.instrumentation.request((req, res) => {
    if (req.url === '/v1/pretrade/check') return void req.destroy();
    res.statusCode = req.url?.startsWith('/v1/') ? 402 : 404;
    res.end();
  }),
);
let port = 0;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Sends the raw target: `fetch` would normalise it. */
function send(method: string, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', method, path }, (res) => {
      res.resume().on('end', () => resolve(res.statusCode ?? 0));
    });
    sent.on('error', reject).end();
  });
}

/** The value of one series; undefined if the series does not exist. */
async function sampleOf(series: string): Promise<number | undefined> {
  const line = (await metrics.scrape()).split('\n').find((text) => text.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

const seriesCount = async () => (await metrics.scrape()).split('\n').filter((line) => /^truefill_/.test(line)).length;

const node = (more: Partial<NodeState>): NodeState => ({
  position: 1,
  isCircuitOpen: false,
  capabilities: {
    overrides: 'yes',
    simulation: 'unknown',
    pastBlocks: 'yes',
    logRange: undefined,
    maxBatch: undefined,
    gasCap: undefined,
    maxReplyBytes: undefined,
  },
  budget: undefined,
  failure: undefined,
  failuresInARow: 0,
  latencyMs: undefined,
  headAgeMs: undefined,
  isQuotersOnly: false,
  ...more,
});

function sources(more: Partial<MetricSources> = {}): MetricSources {
  return {
    mode: 'live',
    engine: {
      chains: ['base'],
      chainState: () => ({ status: 'degraded', blockNumber: 7n }),
      nodeStates: () => [
        node({ latencyMs: 40, headAgeMs: 700 }),
        node({ position: 2, isCircuitOpen: true, failuresInARow: 3 }),
      ],
    },
    poolIndexes: () => ({
      base: { status: 'scanning', blocksLeft: 60, target: 100, percent: 40, secondsLeft: 60, reason: undefined },
    }),
    logSearches: () => ({ running: 1, waiting: 2 }),
    settlement: () => ({ 'eip155:8453': 'ok', 'eip155:137': 'node_unreachable' }),
    gasLeft: () => ({
      'eip155:8453': { state: 'low', settlements: 12n },
      'eip155:137': { state: 'unread', settlements: undefined },
    }),
    queues: () => ({ 'eip155:8453': { length: 3, oldestMs: 1_500 } }),
    isDraining: () => false,
    readOpenPayments: async () => [],
    now: () => 100_000,
    ...more,
  };
}

test('counts requests by served path, method and status, ignoring the query', async () => {
  await send('POST', '/v1/quote');
  await send('POST', '/v1/quote?x=1');
  await send('GET', '/v1/rug-check');
  await expect
    .poll(() => sampleOf('truefill_http_requests_total{route="/v1/quote",method="POST",status="402"}'))
    .toBe(2);
  expect(await sampleOf('truefill_http_requests_total{route="/v1/rug-check",method="GET",status="402"}')).toBe(1);
  expect(await sampleOf('truefill_http_request_seconds_count{route="/v1/quote"}')).toBe(2);
  expect(await sampleOf('truefill_http_requests_in_flight')).toBe(0);
});

test('counts a request with status `left` when the client disconnects before the response', async () => {
  await expect(send('POST', '/v1/pretrade/check')).rejects.toThrow();
  const route = 'route="/v1/pretrade/check"';
  await expect.poll(() => sampleOf(`truefill_http_requests_total{${route},method="POST",status="left"}`)).toBe(1);
  expect(await sampleOf(`truefill_http_clients_left_total{${route}}`)).toBe(1);
});

test('creates no series for unknown paths and methods', async () => {
  await send('PROPFIND', '/docs/first.js');
  await send('PROPFIND', '/nowhere');
  const before = await seriesCount();
  for (let at = 0; at < 200; at += 1) {
    await send(at % 2 ? 'PURGE' : 'PROPFIND', at % 3 ? `/x${at}/%2e%2e/${'a'.repeat(at)}` : `/docs/file-${at}.js`);
  }
  expect(await seriesCount()).toBe(before);
});

test('counts spans by outcome and rethrows an error unchanged', async () => {
  const fault = new Error('https://node.example/key');
  const rpc = { phase: 'rpc', of: 'base', endpoint: 2 } as const;
  expect(await metrics.instrumentation.span(rpc, async () => 7)).toBe(7);
  await expect(
    metrics.instrumentation.span(rpc, () => Promise.reject(fault), { failed: () => 'limited' }),
  ).rejects.toBe(fault);
  expect(await sampleOf('truefill_rpc_requests_total{of="base",endpoint="2",outcome="ok"}')).toBe(1);
  expect(await sampleOf('truefill_rpc_requests_total{of="base",endpoint="2",outcome="limited"}')).toBe(1);
  expect(await sampleOf('truefill_phase_seconds_count{phase="rpc",of="base"}')).toBe(2);
  expect(await metrics.scrape()).not.toContain('node.example');
});

test('exports no sample of the store or of draining before the state is observed', async () => {
  const scraped = await createMetrics().scrape();
  expect(scraped).toMatch(/^# TYPE truefill_store_up gauge$/m);
  expect(scraped).not.toMatch(/^truefill_(?:store_up|draining)/m);
});

test('exports the state of nodes, gas and open payments; unknown values have no sample', async () => {
  const open: OpenPayments[] = [
    { network: 'eip155:8453', state: 'settled', isFree: false, payments: 2, oldestAt: 40_000 },
    { network: 'eip155:8453', state: 'sent', isFree: false, payments: 1, oldestAt: 99_000 },
  ];
  metrics.observeState(sources({ readOpenPayments: async () => open }));
  expect(await sampleOf('truefill_rpc_latency_seconds{chain="base",endpoint="1"}')).toBe(0.04);
  expect(await sampleOf('truefill_rpc_latency_seconds{chain="base",endpoint="2"}')).toBeUndefined();
  expect(await sampleOf('truefill_rpc_head_age_seconds{chain="base",endpoint="1"}')).toBe(0.7);
  expect(await sampleOf('truefill_rpc_circuit_open{chain="base",endpoint="2"}')).toBe(1);
  expect(await sampleOf('truefill_chain_state{chain="base",state="degraded"}')).toBe(1);
  expect(await sampleOf('truefill_chain_state{chain="base",state="ok"}')).toBe(0);
  expect(await sampleOf('truefill_gas_settlements_left{network="eip155:8453"}')).toBe(12);
  expect(await sampleOf('truefill_gas_settlements_left{network="eip155:137"}')).toBeUndefined();
  expect(await sampleOf('truefill_gas_state{network="eip155:137",state="unread"}')).toBe(1);
  expect(await sampleOf('truefill_network_withdrawn{network="eip155:137",reason="node_unreachable"}')).toBe(1);
  expect(await sampleOf('truefill_network_withdrawn{network="eip155:8453",reason="node_unreachable"}')).toBe(0);
  expect(await sampleOf('truefill_payments_open{network="eip155:8453",state="credit"}')).toBe(2);
  expect(await sampleOf('truefill_payments_open{network="eip155:137",state="credit"}')).toBe(0);
  expect(await sampleOf('truefill_payments_open_oldest_seconds{network="eip155:8453",state="credit"}')).toBe(60);
  expect(await sampleOf('truefill_settlement_queue_payments{network="eip155:8453"}')).toBe(3);
  expect(await sampleOf('truefill_settlement_queue_oldest_seconds{network="eip155:8453"}')).toBe(1.5);
  expect(await sampleOf('truefill_store_up')).toBe(1);
  expect(await sampleOf('truefill_draining')).toBe(0);
});

test('omits the samples of open payments, and succeeds, when the database is unavailable', async () => {
  metrics.observeState(sources({ readOpenPayments: () => Promise.reject(new DatabaseUnavailableError('away')) }));
  expect(await sampleOf('truefill_store_up')).toBe(0);
  expect(await metrics.scrape()).not.toMatch(/^truefill_payments_open/m);
  expect(await sampleOf('truefill_gas_settlements_left{network="eip155:8453"}')).toBe(12);
});

test('shares one query between concurrent scrapes when the database hangs', async () => {
  let queries = 0;
  let answer = (_rows: OpenPayments[]) => {};
  const hanging = new Promise<OpenPayments[]>((resolve) => {
    answer = resolve;
  });
  metrics.observeState(
    sources({
      readOpenPayments() {
        queries += 1;
        return hanging;
      },
    }),
  );
  expect((await Promise.all([metrics.scrape(), metrics.scrape()])).join()).toContain('truefill_store_up 0');
  expect(queries).toBe(1);
  answer([]);
  await expect.poll(() => sampleOf('truefill_store_up')).toBe(1);
});
