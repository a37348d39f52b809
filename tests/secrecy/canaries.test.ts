import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type CanarySetup, canaries, openCanarySetup } from './canarySetup.ts';

// Every secret of the configuration is a canary, every remote service echoes its requests, and each dependency fails in
// turn. After each test no output of the process may contain a canary: logs, responses, headers, metrics.

let setup: CanarySetup;
beforeAll(async () => {
  setup = await openCanarySetup();
});
afterAll(() => setup?.close());

/** The secret verbatim, in a URL, in JSON, and in base64 at each of three alignments. */
function formsOf(secret: string): string[] {
  const inBase64 = [0, 1, 2].map((shift) =>
    Buffer.from(' '.repeat(shift) + secret)
      .toString('base64')
      .slice(4, -4),
  );
  return [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), ...inBase64];
}

function found(text: string): string[] {
  return setup.secrets.filter((secret) => formsOf(secret).some((form) => text.includes(form)));
}

afterEach(async () => {
  clearFaults();
  await setup.request(setup.metricsUrl);
  expect(found(setup.seen)).toEqual([]);
  expect(setup.trap.received).toBe('');
});

function clearFaults(): void {
  setup.proxies.base.fault = () => undefined;
  setup.proxies.polygon.fault = () => undefined;
}

/** Waits until the circuit of a failed node closes. */
async function awaitRecovery(): Promise<void> {
  const status = async () => JSON.parse((await setup.request('/health')).text).chains.base.status;
  await expect.poll(status, { interval: 300 }).not.toBe('down');
}

const everything = Object.values(canaries).join(' ');
const quoteOn = (chain: 'base' | 'polygon') => {
  const { wrappedNative, usdc } = setup[chain];
  return { chain, tokenIn: wrappedNative, tokenOut: usdc, sizeIn: '1.25' };
};
const checkOf = () => ({ token: setup.base.wrappedNative });
const paths = ['/v1/quote', '/v1/pretrade/check', '/v1/token-safety', '/v1/rug-check'];

test('the search finds a canary in each of its forms', () => {
  for (const form of formsOf(canaries.rpcPath)) expect(found(`x${form}x`), form).toEqual([canaries.rpcPath]);
});

test('discloses no secret in free paths, rejections and documents', async () => {
  for (const path of ['/', '/health', '/ready', '/openapi.json', '/llms.txt', '/llms-full.txt', '/docs/', '/sandbox']) {
    await setup.request(path);
  }
  for (const path of ['/.well-known/x402', '/.well-known/x402.json', '/.well-known/agent-card.json', '/nowhere']) {
    await setup.request(path);
  }
  for (const path of [...paths, '/trpc/quote', '/trpc/pretradeCheck', '/mcp']) {
    await setup.request(path);
    await setup.post(path, {});
    await setup.post(path, '{"broken');
    // A rejection may repeat a short value of the request, but no nested one.
    await setup.post(path, { tokenIn: { nested: everything }, unknown: everything });
    await setup.post(path, 'x'.repeat(20_000));
    await setup.post(path, quoteOn('base'), { 'payment-signature': 'bm90IGpzb24=' });
  }
});

test('discloses no secret in paid, replayed and reused calls; vendors receive their keys', async () => {
  const signature = await setup.sign('/v1/quote', 'eip155:8453');
  const paid = await setup.post('/v1/quote', quoteOn('base'), signature);
  expect(paid.status, paid.text).toBe(200);
  expect((await setup.post('/v1/quote', quoteOn('base'), signature)).headers.get('idempotent-replayed')).toBe('true');
  expect((await setup.post('/v1/quote', { ...quoteOn('base'), sizeIn: '2' }, signature)).status).toBe(409);

  const checked = await setup.post('/v1/rug-check', checkOf(), await setup.sign('/v1/rug-check', 'eip155:8453'));
  expect(checked.status, checked.text).toBe(200);
  for (const canary of [canaries.blockscoutKey, canaries.blockscoutPath, canaries.etherscanKey]) {
    expect(setup.vendors.received).toContain(canary);
  }
});

test.each([
  ['echoes its keys with HTTP 401', { kind: 'status', status: 401, body: everything }],
  [
    'echoes its keys with HTTP 429',
    { kind: 'status', status: 429, headers: { 'x-echo': everything }, body: everything },
  ],
  ['returns its keys instead of JSON', { kind: 'status', status: 200, body: everything }],
  ['drops connections', { kind: 'drop' }],
  [
    'returns its keys in each error',
    {
      kind: 'rewrite',
      reply: (_text: string, calls: { id: unknown }[]) =>
        reply(calls, { error: { code: -32000, message: everything, data: everything } }),
    },
  ],
  [
    'returns its keys as a revert',
    {
      kind: 'rewrite',
      reply: (_text: string, calls: { id: unknown }[]) =>
        reply(calls, { error: { code: 3, message: `execution reverted: ${everything}`, data: '0x' } }),
    },
  ],
  [
    'returns its keys as results',
    { kind: 'rewrite', reply: (_text: string, calls: { id: unknown }[]) => reply(calls, { result: everything }) },
  ],
] as const)('discloses no secret with a node that %s', async (_case, fault) => {
  await awaitRecovery();
  const signed: Record<string, string>[] = [];
  for (const path of paths.slice(0, 2)) signed.push(await setup.sign(path, 'eip155:8453'));
  setup.proxies.base.fault = () => fault;
  const before = setup.proxies.base.requests.length;
  const requested = async () => {
    const answers = await Promise.all([
      setup.post('/v1/quote', quoteOn('base'), signed[0]),
      setup.post('/v1/pretrade/check', checkOf(), signed[1]),
    ]);
    for (const { status, text } of answers) expect(status, text).toBeGreaterThanOrEqual(400);
    return setup.proxies.base.requests.length;
  };
  // While the node's circuit is open after the previous fault, it gets no request.
  await expect.poll(requested, { interval: 300 }).toBeGreaterThan(before);
  await setup.request('/health');
});

function reply(calls: { id: unknown }[], content: object): string {
  const replies = calls.map(({ id }) => ({ jsonrpc: '2.0', id, ...content }));
  return JSON.stringify(replies.length === 1 ? replies[0] : replies);
}

test.each([
  ['rejects payments with them', (echo: string) => ({ body: { isValid: false, invalidReason: echo, success: false } })],
  ['fails with them', (echo: string) => ({ status: 500, type: 'text/html', body: echo })],
  [
    'returns them as settled',
    (echo: string) => ({ body: { isValid: true, success: true, payer: echo, transaction: echo } }),
  ],
])('discloses no secret with a facilitator that receives its keys and %s', async (_case, wrap) => {
  setup.facilitator.wrap = wrap;
  const signature = await setup.sign('/v1/quote', 'eip155:137');
  const { status } = await setup.post('/v1/quote', quoteOn('polygon'), signature);
  expect(status).toBeGreaterThanOrEqual(400);
  for (const canary of [canaries.facilitatorPath, canaries.facilitatorHeader, canaries.facilitatorBearer]) {
    expect(setup.facilitator.received).toContain(canary);
  }
});

test.each([
  ['as an error', (echo: string) => ({ status: 500, body: echo })],
  ['as a type', (echo: string) => ({ type: `text/x; k="${echo.replaceAll(/[^\w -]/g, '')}"`, body: echo })],
  ['as data', (echo: string) => ({ body: { items: [{ name: echo }], result: echo, pairs: echo, message: echo } })],
])('discloses no secret with vendors that echo requests %s', async (_case, wrap) => {
  setup.vendors.wrap = wrap;
  const { status, text } = await setup.post(
    '/v1/pretrade/check',
    { ...checkOf(), sizeUSD: String(Math.ceil(Math.random() * 1e6)) },
    await setup.sign('/v1/pretrade/check', 'eip155:8453'),
  );
  expect([200, 503], text).toContain(status);
});

test('requests no URL that a remote service, a request or a payment contains', async () => {
  const to = `${setup.trap.url}/canary`;
  const links = {
    url: to,
    logo: to,
    icon_url: to,
    imageUrl: to,
    tokenURI: to,
    next_page_params: { url: to },
    href: to,
  };
  const headers = {
    host: new URL(to).host,
    'x-forwarded-host': new URL(to).host,
    forwarded: `host=${to}`,
    referer: to,
  };
  for (const path of paths) {
    expect((await setup.post(path, { ...quoteOn('base'), ...links })).status).toBe(400);
    expect((await setup.post(path, { token: to, tokenIn: to, tokenOut: to, sizeIn: to, chain: to })).status).toBe(400);
    await setup.post(path, quoteOn('base'), headers);
  }
  const signed = await setup.sign('/v1/pretrade/check', 'eip155:8453');
  const envelope = JSON.parse(Buffer.from(signed['payment-signature'], 'base64').toString());
  for (const resource of [{ url: to }, { ...envelope.resource, url: to, icon: to }]) {
    const header = Buffer.from(JSON.stringify({ ...envelope, ...links, resource })).toString('base64');
    await setup.post('/v1/pretrade/check', checkOf(), { ...headers, 'payment-signature': header });
  }
  for (const status of [200, 301, 302, 307, 308]) {
    const wrap = () => ({ status, location: to, body: { ...links, items: [{ token: links, address: { hash: to } }] } });
    setup.vendors.wrap = wrap;
    setup.facilitator.wrap = wrap;
    await awaitRecovery();
    const onBase = await setup.sign('/v1/pretrade/check', 'eip155:8453');
    const onPolygon = await setup.sign('/v1/quote', 'eip155:137');
    await setup.post('/v1/pretrade/check', { ...checkOf(), sizeUSD: String(1_000 + status) }, onBase);
    await setup.post('/v1/quote', quoteOn('polygon'), onPolygon);
    setup.proxies.base.fault = () => ({ kind: 'status', status, headers: { location: to }, body: to });
    await setup.post(
      '/v1/quote',
      { ...quoteOn('base'), sizeIn: `1.${status}` },
      await setup.sign('/v1/quote', 'eip155:8453'),
    );
    clearFaults();
  }
  setup.collector.wrap = () => ({ status: 307, location: to, body: '' });
  await setup.request('/health');
  expect(setup.trap.received).toBe('');
});

test('discloses no secret with a trace collector that echoes requests', async () => {
  setup.collector.wrap = (echo) => ({ status: 400, body: echo });
  await setup.request('/health');
  await expect.poll(() => setup.collector.received).toContain(canaries.tracesHeader);
  expect(setup.collector.received).toContain(canaries.tracesPath);
  await expect.poll(() => setup.service.output).toContain('Traces cannot be delivered');
});

test('discloses no secret when the database fails during calls', async () => {
  const signature = await setup.sign('/v1/quote', 'eip155:8453');
  await setup.postgres.crash();
  expect((await setup.post('/v1/quote', quoteOn('base'), signature)).status).toBe(503);
  await expect.poll(async () => (await setup.request('/ready')).status).toBe(503);
  expect((await setup.request(setup.metricsUrl)).text).toMatch(/^truefill_store_up 0$/m);
  for (const command of ['show', 'reconcile'])
    expect(await setup.run('server/ledgerCommand/main.ts', [command]).ended).toBe(1);
  expect(await setup.run('tools/start/start.mjs').ended).toBe(1);
  await setup.postgres.restart();
  await expect.poll(async () => (await setup.request('/ready')).status).toBe(200);
});

test.each([
  ['a port in use', () => ({ PORT: new URL(setup.metricsUrl).port })],
  [
    'a database URL that its driver cannot use',
    () => ({
      DATABASE_URL: `postgres://u:${canaries.database}@127.0.0.1/x?sslmode=verify-full&sslrootcert=/nowhere/${canaries.database}`,
    }),
  ],
  ['a node of another chain', () => ({ RPC_URL_BASE: `${setup.proxies.polygon.url}/v2/${canaries.rpcPath}` })],
  [
    'invalid values',
    () => ({ RPC_URL_BASE: canaries.rpcPath, FACILITATOR_HEADERS_POLYGON: everything, ETHERSCAN_KEY: everything }),
  ],
])('discloses no secret when the start fails for %s', async (_case, more) => {
  const failed = setup.run('tools/start/start.mjs', [], more());
  expect(await failed.ended).toBe(1);
  expect(failed.output.length).toBeGreaterThan(20);
});
