import { afterAll, beforeAll, expect, test } from 'vitest';
import { executorRelease } from '../../engine/index.ts';
import { type Served, serveFakes } from './serveFakes.ts';

let live: Served;
let sandbox: Served;
beforeAll(async () => {
  live = await serveFakes();
  sandbox = await serveFakes({ sandbox: { notice: 'SANDBOX', chains: {}, wallets: [], tokens: [] } });
});
afterAll(async () => {
  await live.close();
  await sandbox.close();
});

test('default: /health returns version, mode, chains and payment networks', async () => {
  const response = await fetch(`${live.url}/health`);
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({
    status: 'ok',
    version: '1.0.0',
    mode: 'live',
    chains: {
      base: { status: 'ok', blockNumber: '38211450', executor: 'missing', lenses: 'missing' },
      polygon: { status: 'ok', blockNumber: '38211450', executor: 'missing', lenses: 'missing' },
    },
    executor: executorRelease,
    database: 'ok',
    payment: { networks: ['eip155:8453'], settlement: { 'eip155:8453': 'ok' }, gas: { 'eip155:8453': 'ok' } },
  });
  live.engine.down = true;
  expect(await (await fetch(`${live.url}/health`)).json()).toMatchObject({
    status: 'ok',
    chains: { base: { status: 'down', blockNumber: null } },
  });
  live.engine.down = false;
});

test('default: /ready is 200 while the database is available, otherwise 503 with STORE', async () => {
  let isStoreAvailable = true;
  const served = await serveFakes({ isStoreAvailable: () => isStoreAvailable });
  const ready = await fetch(`${served.url}/ready`);
  expect(ready.status).toBe(200);
  expect(ready.headers.get('cache-control')).toBe('no-store');
  expect(await ready.json()).toEqual({ ready: true, missing: [] });
  served.engine.down = true;
  expect((await fetch(`${served.url}/ready`)).status).toBe(200);
  isStoreAvailable = false;
  const unready = await fetch(`${served.url}/ready`);
  expect(unready.status).toBe(503);
  expect(unready.headers.get('retry-after')).toBe('1');
  expect(await unready.json()).toEqual({ ready: false, missing: ['STORE'] });
  await served.close();
});

test('error: /health is degraded with status 200 while the database cannot be written', async () => {
  const served = await serveFakes({ isStoreAvailable: () => false });
  const response = await fetch(`${served.url}/health`);
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ status: 'degraded', database: 'unavailable' });
  await served.close();
});

test('error: /health is degraded and shows both times while the clock differs from the chains', async () => {
  const clockSkew = { serviceTime: '2026-11-21T12:10:00.000Z', chainTime: '2026-11-21T12:00:00.000Z' };
  const served = await serveFakes({ clockSkew });
  expect(await (await fetch(`${served.url}/health`)).json()).toMatchObject({ status: 'degraded', clock: clockSkew });
  await served.close();
});

test('behavior: HEAD returns the headers of GET without a body', async () => {
  const response = await fetch(`${live.url}/health`, { method: 'HEAD' });
  expect(response.status).toBe(200);
  expect(await response.text()).toBe('');
});

test('behavior: in sandbox mode /health and /docs contain SANDBOX, and /sandbox is served', async () => {
  expect(await (await fetch(`${sandbox.url}/health`)).json()).toMatchObject({
    mode: 'sandbox',
    notice: expect.stringContaining('SANDBOX'),
  });
  expect(await (await fetch(`${sandbox.url}/docs/`)).text()).toContain('SANDBOX');
  expect((await fetch(`${sandbox.url}/sandbox`)).status).toBe(200);
});

test('error: in live mode /sandbox is 404 and the docs do not mention it', async () => {
  const response = await fetch(`${live.url}/sandbox`);
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ code: 'NOT_FOUND' });
  expect(await (await fetch(`${live.url}/docs/`)).text()).not.toContain('SANDBOX');
});

test('security: serves the docs and their files with a policy that forbids inline scripts', async () => {
  const response = await fetch(`${live.url}/docs`);
  expect(response.url).toBe(`${live.url}/docs/`);
  expect(response.headers.get('content-security-policy')).toContain("script-src 'self';");
  const html = await response.text();
  expect(html).not.toMatch(/<script(?![^>]*\ssrc=)[^>]*>\s*\S/);
  const files = [...html.matchAll(/(?:src|href)=["'](\/[^"'#]+)["']/g)].map(([, file]) => file ?? '');
  expect(files.length).toBeGreaterThan(3);
  for (const file of files) expect((await fetch(new URL(file, `${live.url}/docs/`))).status, file).toBe(200);
  const script = files.find((file) => /\/swagger\.\w+\.js$/.test(file));
  expect(await (await fetch(live.url + script)).text()).toContain('/openapi.json');
});

test('security: the request log contains no header, query or body', async () => {
  live.logs.length = 0;
  await live.post('/v1/quote?secret=1', { secret: 2 }, { 'payment-signature': 'secret' });
  await expect.poll(() => live.logs.length).toBeGreaterThan(0);
  expect(live.logs.join('')).toContain('/v1/quote');
  expect(live.logs.join('')).not.toContain('secret');
});

test.each([
  ['range', 'bytes=99999999-'],
  ['if-match', '"another"'],
  ['if-unmodified-since', 'Thu, 01 Jan 1970 00:00:00 GMT'],
])('behavior: ignores the conditional or range header %s', async (name, value) => {
  for (const path of ['/docs/swagger-ui.css', '/assets/site.css', '/openapi.json', '/docs/']) {
    const response = await fetch(live.url + path, { headers: { [name]: value } });
    expect(response.status, path).toBe(200);
    expect((await response.text()).length).toBeGreaterThan(1_000);
  }
});

test('error: NOT_FOUND for files of Swagger UI that the page does not load', async () => {
  const page = await (await fetch(`${live.url}/docs/`)).text();
  const files = [...page.matchAll(/(?:src|href)=['"]\/docs\/([^'"]+)/g)].map(([, name]) => name);
  expect(files.length).toBe(2);
  for (const name of [...files, 'swagger-ui-bundle.js.LICENSE.txt'])
    expect((await fetch(`${live.url}/docs/${name}`)).status, name).toBe(200);
  for (const name of ['package.json', 'index.html', 'oauth2-redirect.html', 'absolute-path.js', 'README.md']) {
    const response = await fetch(`${live.url}/docs/${name}`);
    expect(response.status, name).toBe(404);
    expect(await response.json()).toMatchObject({ code: 'NOT_FOUND', requestId: response.headers.get('x-request-id') });
  }
});
