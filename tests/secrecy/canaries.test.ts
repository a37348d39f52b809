import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type CanarySetup, canaries, openCanarySetup } from './canarySetup.ts';

// Each secret of the configuration is a canary, remote services echo their requests, and dependencies fail. After each
// test, no log, response, header or metric may contain a canary.

let setup: CanarySetup;
beforeAll(async () => {
  setup = await openCanarySetup();
});
afterAll(() => setup?.close());

/** Returns the secret verbatim, URL-encoded, in JSON, and in base64 at each of three alignments. */
function encodingsOf(secret: string): string[] {
  const base64Encodings = [0, 1, 2].map((shift) =>
    Buffer.from(' '.repeat(shift) + secret)
      .toString('base64')
      .slice(4, -4),
  );
  return [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), ...base64Encodings];
}

function findSecrets(text: string): string[] {
  return setup.secrets.filter((secret) => encodingsOf(secret).some((form) => text.includes(form)));
}

afterEach(async () => {
  clearFaults();
  await setup.request(setup.metricsUrl);
  expect(findSecrets(setup.output)).toEqual([]);
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

const allCanaries = Object.values(canaries).join(' ');
const quoteOn = (chain: 'base' | 'polygon') => {
  const { wrappedNative, usdc } = setup[chain];
  return { chain, tokenIn: wrappedNative, tokenOut: usdc, sizeIn: '1.25' };
};
const checkOf = () => ({ token: setup.base.wrappedNative });
const paths = ['/v1/quote', '/v1/pretrade/check', '/v1/token-safety', '/v1/rug-check'];

test('security: the search finds a canary in each of its encodings', () => {
  for (const form of encodingsOf(canaries.rpcPath)) expect(findSecrets(`x${form}x`), form).toEqual([canaries.rpcPath]);
});

test('security: free paths, refusals and documents contain no secret', async () => {
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
    // A refusal may repeat a short value of the request, but not a nested one.
    await setup.post(path, { tokenIn: { nested: allCanaries }, unknown: allCanaries });
    await setup.post(path, 'x'.repeat(20_000));
    await setup.post(path, quoteOn('base'), { 'payment-signature': 'bm90IGpzb24=' });
  }
});

test('security: paid, replayed and refused calls contain no secret; vendors receive their keys', async () => {
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
  ['echoes its keys with HTTP 401', { kind: 'status', status: 401, body: allCanaries }],
  [
    'echoes its keys with HTTP 429',
    { kind: 'status', status: 429, headers: { 'x-echo': allCanaries }, body: allCanaries },
  ],
  ['returns its keys instead of JSON', { kind: 'status', status: 200, body: allCanaries }],
  ['drops connections', { kind: 'drop' }],
  [
    'returns its keys in each error',
    {
      kind: 'rewrite',
      reply: (_text: string, calls: { id: unknown }[]) =>
        reply(calls, { error: { code: -32000, message: allCanaries, data: allCanaries } }),
    },
  ],
  [
    'returns its keys as a revert',
    {
      kind: 'rewrite',
      reply: (_text: string, calls: { id: unknown }[]) =>
        reply(calls, { error: { code: 3, message: `execution reverted: ${allCanaries}`, data: '0x' } }),
    },
  ],
  [
    'returns its keys as results',
    { kind: 'rewrite', reply: (_text: string, calls: { id: unknown }[]) => reply(calls, { result: allCanaries }) },
  ],
] as const)('security: no output contains a secret when a node %s', async (_case, fault) => {
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
  [
    'rejects payments with these keys',
    (echo: string) => ({ body: { isValid: false, invalidReason: echo, success: false } }),
  ],
  ['fails with these keys', (echo: string) => ({ status: 500, type: 'text/html', body: echo })],
  [
    'returns these keys in settlements',
    (echo: string) => ({ body: { isValid: true, success: true, payer: echo, transaction: echo } }),
  ],
])('security: no output contains a secret when the facilitator receives its keys and %s', async (_case, wrap) => {
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
  ['as a content type', (echo: string) => ({ type: `text/x; k="${echo.replaceAll(/[^\w -]/g, '')}"`, body: echo })],
  ['as data', (echo: string) => ({ body: { items: [{ name: echo }], result: echo, pairs: echo, message: echo } })],
])('security: no output contains a secret when vendors echo requests %s', async (_case, wrap) => {
  setup.vendors.wrap = wrap;
  const { status, text } = await setup.post(
    '/v1/pretrade/check',
    { ...checkOf(), sizeUSD: String(Math.ceil(Math.random() * 1e6)) },
    await setup.sign('/v1/pretrade/check', 'eip155:8453'),
  );
  expect([200, 503], text).toContain(status);
});

test('security: sends no request to a URL in a response of a remote service, a request or a payment', async () => {
  const trapUrl = `${setup.trap.url}/canary`;
  const links = {
    url: trapUrl,
    logo: trapUrl,
    icon_url: trapUrl,
    imageUrl: trapUrl,
    tokenURI: trapUrl,
    next_page_params: { url: trapUrl },
    href: trapUrl,
  };
  const headers = {
    host: new URL(trapUrl).host,
    'x-forwarded-host': new URL(trapUrl).host,
    forwarded: `host=${trapUrl}`,
    referer: trapUrl,
  };
  for (const path of paths) {
    expect((await setup.post(path, { ...quoteOn('base'), ...links })).status).toBe(400);
    expect(
      (await setup.post(path, { token: trapUrl, tokenIn: trapUrl, tokenOut: trapUrl, sizeIn: trapUrl, chain: trapUrl }))
        .status,
    ).toBe(400);
    await setup.post(path, quoteOn('base'), headers);
  }
  const signed = await setup.sign('/v1/pretrade/check', 'eip155:8453');
  const envelope = JSON.parse(Buffer.from(signed['payment-signature'], 'base64').toString());
  for (const resource of [{ url: trapUrl }, { ...envelope.resource, url: trapUrl, icon: trapUrl }]) {
    const header = Buffer.from(JSON.stringify({ ...envelope, ...links, resource })).toString('base64');
    await setup.post('/v1/pretrade/check', checkOf(), { ...headers, 'payment-signature': header });
  }
  for (const status of [200, 301, 302, 307, 308]) {
    const wrap = () => ({
      status,
      location: trapUrl,
      body: { ...links, items: [{ token: links, address: { hash: trapUrl } }] },
    });
    setup.vendors.wrap = wrap;
    setup.facilitator.wrap = wrap;
    await awaitRecovery();
    const onBase = await setup.sign('/v1/pretrade/check', 'eip155:8453');
    const onPolygon = await setup.sign('/v1/quote', 'eip155:137');
    await setup.post('/v1/pretrade/check', { ...checkOf(), sizeUSD: String(1_000 + status) }, onBase);
    await setup.post('/v1/quote', quoteOn('polygon'), onPolygon);
    const next = await setup.sign('/v1/quote', 'eip155:8453');
    setup.proxies.base.fault = () => ({ kind: 'status', status, headers: { location: trapUrl }, body: trapUrl });
    await setup.post('/v1/quote', { ...quoteOn('base'), sizeIn: `1.${status}` }, next);
    clearFaults();
  }
  setup.collector.wrap = () => ({ status: 307, location: trapUrl, body: '' });
  await setup.request('/health');
  expect(setup.trap.received).toBe('');
});

test('security: no output contains a secret when the trace collector echoes requests', async () => {
  setup.collector.wrap = (echo) => ({ status: 400, body: echo });
  await setup.request('/health');
  await expect.poll(() => setup.collector.received).toContain(canaries.tracesHeader);
  expect(setup.collector.received).toContain(canaries.tracesPath);
  await expect.poll(() => setup.service.output).toContain('Traces cannot be delivered');
});

test('security: no output contains a secret when the database fails during calls', async () => {
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
    () => ({ RPC_URL_BASE: canaries.rpcPath, FACILITATOR_HEADERS_POLYGON: allCanaries, ETHERSCAN_KEY: allCanaries }),
  ],
])('security: no output contains a secret when the start fails because of %s', async (_case, variables) => {
  const failed = setup.run('tools/start/start.mjs', [], variables());
  expect(await failed.ended).toBe(1);
  expect(failed.output.length).toBeGreaterThan(20);
});
