import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { payment, question, type Served, serveFakes } from '../surfaces/serveFakes.ts';

// Revision 2026-07-28 as raw requests: no handshake, the revision in `_meta` and in headers.

const revision = '2026-07-28';
const paid = { 'x402/payment': payment() };

let served: Served;
beforeEach(async () => {
  served = await serveFakes({ perMinute: 10 });
});
afterEach(() => served.close());

function envelope(protocolVersion = revision) {
  return {
    'io.modelcontextprotocol/protocolVersion': protocolVersion,
    'io.modelcontextprotocol/clientInfo': { name: 'a test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
}

function headersOf(method: string, name?: string, protocolVersion = revision): Record<string, string> {
  return {
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': protocolVersion,
    'mcp-method': method,
    ...(name !== undefined && { 'mcp-name': name }),
  };
}

async function send(method: string, { _meta, ...params }: { name?: string; [key: string]: unknown } = {}) {
  const message = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: { ...envelope(), ...(_meta ?? {}) } } };
  return served.post('/mcp', message, headersOf(method, params.name));
}

test('answers server/discover, tools/list and tools/call without initialize', async () => {
  const discovered = await (await send('server/discover')).json();
  expect(discovered).toMatchObject({
    id: 1,
    result: {
      supportedVersions: [revision],
      capabilities: { tools: {} },
      instructions: expect.stringContaining('x402/payment'),
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'truefill' } },
    },
  });
  expect(await (await send('tools/list')).json()).toMatchObject({
    result: { tools: [{ name: 'quote' }, { name: 'pretrade_check' }, { name: 'health' }] },
  });

  const unpaid = await send('tools/call', { name: 'quote', arguments: question });
  expect(unpaid.headers.get('content-type')).toBe('application/json');
  expect(await unpaid.json()).toMatchObject({
    result: { isError: true, structuredContent: { code: 'PAYMENT_REQUIRED', x402Version: 2 } },
  });
  expect(served.paymentService.attempts).toEqual([]);
  const bought = await send('tools/call', { name: 'quote', arguments: question, _meta: paid });
  expect(await bought.json()).toMatchObject({
    result: {
      resultType: 'complete',
      structuredContent: { chain: 'base' },
      _meta: { 'x402/payment-response': { success: true } },
    },
  });
  expect(served.paymentService.attempts).toHaveLength(1);
});

test.each(['2099-01-01', '2025-11-25'])('refuses a request whose _meta names revision %s', async (named) => {
  const message = {
    jsonrpc: '2.0',
    id: 7,
    method: 'tools/call',
    params: { name: 'quote', arguments: question, _meta: { ...envelope(named), ...paid } },
  };
  const refused = await served.post('/mcp', message, headersOf('tools/call', 'quote', named));
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({
    id: 7,
    error: { code: -32022, data: { supported: [revision], requested: named } },
  });
  expect(served.paymentService.attempts).toEqual([]);
});

test('refuses an unknown revision that only the header names', async () => {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const refused = await served.post('/mcp', message, headersOf('tools/list', undefined, '2099-01-01'));
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({ error: { code: expect.any(Number) } });
});

test.each([
  ['Mcp-Method', { 'mcp-method': 'tools/list' }],
  ['Mcp-Name', { 'mcp-name': 'health' }],
  ['MCP-Protocol-Version', { 'mcp-protocol-version': '2025-11-25' }],
])('refuses a paid call whose %s header contradicts the body, and charges nothing', async (_name, contradicting) => {
  const params = { name: 'quote', arguments: question, _meta: { ...envelope(), ...paid } };
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  const refused = await served.post('/mcp', message, { ...headersOf('tools/call', 'quote'), ...contradicting });
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({ id: 1, error: { code: -32020 } });
  expect(served.paymentService.attempts).toEqual([]);
});

test('answers 404 with -32601 for a method that the revision lacks', async () => {
  for (const method of ['initialize', 'ping', 'resources/list', 'logging/setLevel']) {
    const refused = await send(method);
    expect(refused.status).toBe(404);
    expect(await refused.json()).toMatchObject({ error: { code: -32601 } });
  }
});

test('answers an unknown tool with -32602', async () => {
  expect(await (await send('tools/call', { name: 'sell_everything', arguments: {} })).json()).toMatchObject({
    error: { code: -32602, message: expect.stringContaining('Unknown tool sell_everything') },
  });
});

test('refuses a batch of the new revision and charges nothing', async () => {
  const params = { name: 'quote', arguments: question, _meta: { ...envelope(), ...paid } };
  const refused = await served.post(
    '/mcp',
    [{ jsonrpc: '2.0', id: 1, method: 'tools/call', params }],
    headersOf('tools/call', 'quote'),
  );
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({ error: { code: -32600 } });
  expect(served.paymentService.attempts).toEqual([]);
});

test('counts one request against the limit for each message', async () => {
  expect((await send('server/discover')).headers.get('ratelimit')).toMatch(/r=9/);
  expect((await send('tools/call', { name: 'health' })).headers.get('ratelimit')).toMatch(/r=8/);
  for (let sent = 0; sent < 8; sent += 1) await send('tools/list');
  const refused = await send('tools/call', { name: 'quote', arguments: question, _meta: paid });
  expect(refused.status).toBe(429);
  expect(served.paymentService.attempts).toEqual([]);
});

test('ends a subscription at once, because the tools never change', async () => {
  const listening = await send('subscriptions/listen', { notifications: { toolsListChanged: true } });
  const text = await listening.text();
  expect(text).toContain('notifications/subscriptions/acknowledged');
  expect(text).toContain('"resultType":"complete"');
});

test('accepts a notification and a cancel without an answer', async () => {
  for (const method of ['notifications/cancelled', 'notifications/initialized']) {
    const message = { jsonrpc: '2.0', method, params: { requestId: 1, _meta: envelope() } };
    const accepted = await served.post('/mcp', message, headersOf(method));
    expect(accepted.status).toBe(202);
    expect(await accepted.text()).toBe('');
  }
});

test.each([
  ['arguments', (deep: string) => `"arguments":{"a":${deep}},"_meta":${JSON.stringify(envelope())}`],
  [
    'x402/payment',
    (deep: string) => `"arguments":{},"_meta":{"x402/payment":{"a":${deep}},${JSON.stringify(envelope()).slice(1)}`,
  ],
])('refuses %s as deep as a body may be', async (what, put) => {
  const deep = '['.repeat(7_500) + ']'.repeat(7_500);
  const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"quote",${put(deep)}}}`;
  const answer = await (await served.post('/mcp', text, headersOf('tools/call', 'quote'))).json();
  expect(answer).toMatchObject({
    result: { isError: true, structuredContent: { code: 'INVALID_REQUEST', detail: expect.stringContaining(what) } },
  });
});

test('refuses a body over 16 KiB and one that is no JSON', async () => {
  const large = await send('tools/call', { name: 'quote', arguments: { a: 'x'.repeat(17_000) } });
  expect(large.status).toBe(413);
  expect((await served.post('/mcp', '{', headersOf('tools/list'))).status).toBe(400);
});

test('logs an unnamed failure, keeps it from the client and prints nothing', async () => {
  const printed = (['log', 'info', 'warn', 'error', 'debug'] as const).map((level) => vi.spyOn(console, level));
  served.paymentService.decide = () => Promise.reject(new TypeError('a secret cause'));
  const text = await (await send('tools/call', { name: 'quote', arguments: question, _meta: paid })).text();
  expect(text).toContain('INTERNAL');
  expect(text).not.toContain('a secret cause');
  expect(served.logs.filter((line) => line.includes('a secret cause'))).toHaveLength(1);
  for (const method of ['server/discover', 'nothing/known']) await send(method);
  for (const spy of printed) {
    expect(spy).not.toHaveBeenCalled();
    spy.mockRestore();
  }
});

test('lets a page of another origin send the headers of the revision', async () => {
  const preflight = await fetch(`${served.url}/mcp`, { method: 'OPTIONS' });
  const allowed = preflight.headers.get('access-control-allow-headers')?.split(', ');
  expect(allowed).toEqual(expect.arrayContaining(['mcp-protocol-version', 'mcp-method', 'mcp-name']));
});

test.each(['null', '7', '"text"', '[]', '[1]', '{"jsonrpc":"2.0","id":1,"result":{}}'])(
  'answers the body %s without hanging',
  async (body) => {
    const answer = await served.post('/mcp', body, { accept: 'application/json, text/event-stream' });
    expect([202, 400]).toContain(answer.status);
  },
);
