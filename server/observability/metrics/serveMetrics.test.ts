import { afterEach, expect, test } from 'vitest';
import { createMetrics, type Metrics } from './createMetrics.ts';
import { type MetricsServer, serveMetrics } from './serveMetrics.ts';

let server: MetricsServer | undefined;
afterEach(async () => {
  await server?.close();
});

const faults: unknown[] = [];
async function serve(metrics: Metrics): Promise<string> {
  server = await serveMetrics(metrics, { host: '127.0.0.1', port: 0 }, (error) => faults.push(error));
  return server.url;
}

test('serves /metrics in the Prometheus text format, without caching', async () => {
  const url = await serve(createMetrics());
  const response = await fetch(url);
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(await response.text()).toMatch(/^nodejs_eventloop_lag_p99_seconds \d/m);
  expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
});

test('responds 404 to other paths and 405 to other methods', async () => {
  const url = await serve(createMetrics());
  expect((await fetch(new URL('/', url))).status).toBe(404);
  expect((await fetch(new URL('/v1/quote', url), { method: 'POST' })).status).toBe(404);
  expect((await fetch(url, { method: 'POST' })).status).toBe(405);
});

test('responds 500 without a body when a scrape fails, and reports the error', async () => {
  const fault = new Error('secret');
  const url = await serve({ ...createMetrics(), scrape: () => Promise.reject(fault) });
  const response = await fetch(url);
  expect(response.status).toBe(500);
  expect(await response.text()).toBe('');
  expect(faults).toEqual([fault]);
});

test('rejects with EADDRINUSE for a port in use', async () => {
  const url = await serve(createMetrics());
  const taken = { host: '127.0.0.1', port: Number(new URL(url).port) };
  await expect(serveMetrics(createMetrics(), taken, () => {})).rejects.toMatchObject({ code: 'EADDRINUSE' });
});
