import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { payment, quoteInput, type Served, serveFakes } from '../surfaces/serveFakes.ts';

// MCP revision 2026-07-28 as raw requests: without a handshake, with the revision in `_meta` and in headers.

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

test('default: responds to server/discover, tools/list and tools/call without initialize', async () => {
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
    result: {
      tools: [{ name: 'quote' }, { name: 'pretrade_check' }, { name: 'build_transaction' }, { name: 'health' }],
    },
  });

  const unpaid = await send('tools/call', { name: 'quote', arguments: quoteInput });
  expect(unpaid.headers.get('content-type')).toBe('application/json');
  expect(await unpaid.json()).toMatchObject({
    result: { isError: true, structuredContent: { code: 'PAYMENT_REQUIRED', x402Version: 2 } },
  });
  expect(served.paymentService.attempts).toEqual([]);
  const bought = await send('tools/call', { name: 'quote', arguments: quoteInput, _meta: paid });
  expect(await bought.json()).toMatchObject({
    result: {
      resultType: 'complete',
      structuredContent: { chain: 'base' },
      _meta: { 'x402/payment-response': { success: true } },
    },
  });
  expect(served.paymentService.attempts).toHaveLength(1);
});

test.each(['2099-01-01', '2025-11-25'])(
  'error: -32022, uncharged, for revision %s in _meta',
  async (requestedRevision) => {
    const message = {
      jsonrpc: '2.0',
      id: 7,
      method: 'tools/call',
      params: { name: 'quote', arguments: quoteInput, _meta: { ...envelope(requestedRevision), ...paid } },
    };
    const refused = await served.post('/mcp', message, headersOf('tools/call', 'quote', requestedRevision));
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      id: 7,
      error: { code: -32022, data: { supported: [revision], requested: requestedRevision } },
    });
    expect(served.paymentService.attempts).toEqual([]);
  },
);

test('error: 400 for an unknown revision that only the header contains', async () => {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const refused = await served.post('/mcp', message, headersOf('tools/list', undefined, '2099-01-01'));
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({ error: { code: expect.any(Number) } });
});

test.each([
  ['Mcp-Method', { 'mcp-method': 'tools/list' }],
  ['Mcp-Name', { 'mcp-name': 'health' }],
  ['MCP-Protocol-Version', { 'mcp-protocol-version': '2025-11-25' }],
])('error: -32020, uncharged, for a paid call whose %s header contradicts the body', async (_case, wrongHeader) => {
  const params = { name: 'quote', arguments: quoteInput, _meta: { ...envelope(), ...paid } };
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  const refused = await served.post('/mcp', message, { ...headersOf('tools/call', 'quote'), ...wrongHeader });
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({ id: 1, error: { code: -32020 } });
  expect(served.paymentService.attempts).toEqual([]);
});

test('error: 404 with -32601 for a method that the revision does not have', async () => {
  for (const method of ['initialize', 'ping', 'resources/list', 'logging/setLevel']) {
    const refused = await send(method);
    expect(refused.status).toBe(404);
    expect(await refused.json()).toMatchObject({ error: { code: -32601 } });
  }
});

test('error: -32602 for an unknown tool', async () => {
  expect(await (await send('tools/call', { name: 'sell_everything', arguments: {} })).json()).toMatchObject({
    error: { code: -32602, message: expect.stringContaining('Unknown tool sell_everything') },
  });
});

test('error: -32600, uncharged, for a batch, which the revision does not allow', async () => {
  const params = { name: 'quote', arguments: quoteInput, _meta: { ...envelope(), ...paid } };
  const refused = await served.post(
    '/mcp',
    [{ jsonrpc: '2.0', id: 1, method: 'tools/call', params }],
    headersOf('tools/call', 'quote'),
  );
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({ error: { code: -32600 } });
  expect(served.paymentService.attempts).toEqual([]);
});

test('default: each message counts as one request of the rate limit', async () => {
  expect((await send('server/discover')).headers.get('ratelimit')).toMatch(/r=9/);
  expect((await send('tools/call', { name: 'health' })).headers.get('ratelimit')).toMatch(/r=8/);
  for (let sent = 0; sent < 8; sent += 1) await send('tools/list');
  const refused = await send('tools/call', { name: 'quote', arguments: quoteInput, _meta: paid });
  expect(refused.status).toBe(429);
  expect(served.paymentService.attempts).toEqual([]);
});

test('behavior: ends a subscription at once, because the tools never change', async () => {
  const listening = await send('subscriptions/listen', { notifications: { toolsListChanged: true } });
  const text = await listening.text();
  expect(text).toContain('notifications/subscriptions/acknowledged');
  expect(text).toContain('"resultType":"complete"');
});

test('behavior: 202 without a body for notifications', async () => {
  for (const method of ['notifications/cancelled', 'notifications/initialized']) {
    const message = { jsonrpc: '2.0', method, params: { requestId: 1, _meta: envelope() } };
    const accepted = await served.post('/mcp', message, headersOf(method));
    expect(accepted.status).toBe(202);
    expect(await accepted.text()).toBe('');
  }
});

test.each([
  ['arguments', (nested: string) => `"arguments":{"a":${nested}},"_meta":${JSON.stringify(envelope())}`],
  [
    'x402/payment',
    (nested: string) => `"arguments":{},"_meta":{"x402/payment":{"a":${nested}},${JSON.stringify(envelope()).slice(1)}`,
  ],
])('error: INVALID_REQUEST for %s with 7,500 nested arrays', async (what, bodyWith) => {
  const nested = '['.repeat(7_500) + ']'.repeat(7_500);
  const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"quote",${bodyWith(nested)}}}`;
  const answer = await (await served.post('/mcp', text, headersOf('tools/call', 'quote'))).json();
  expect(answer).toMatchObject({
    result: { isError: true, structuredContent: { code: 'INVALID_REQUEST', detail: expect.stringContaining(what) } },
  });
});

test('error: 413 for a body over 16 KiB, 400 for one that is not JSON', async () => {
  const large = await send('tools/call', { name: 'quote', arguments: { a: 'x'.repeat(17_000) } });
  expect(large.status).toBe(413);
  expect((await served.post('/mcp', '{', headersOf('tools/list'))).status).toBe(400);
});

test('security: logs an unexpected error once, without its message in the response and without console output', async () => {
  const printed = (['log', 'info', 'warn', 'error', 'debug'] as const).map((level) => vi.spyOn(console, level));
  served.paymentService.decide = () => Promise.reject(new TypeError('a secret cause'));
  const text = await (await send('tools/call', { name: 'quote', arguments: quoteInput, _meta: paid })).text();
  expect(text).toContain('INTERNAL');
  expect(text).not.toContain('a secret cause');
  expect(served.logs.filter((line) => line.includes('a secret cause'))).toHaveLength(1);
  for (const method of ['server/discover', 'nothing/known']) await send(method);
  for (const spy of printed) {
    expect(spy).not.toHaveBeenCalled();
    spy.mockRestore();
  }
});

test('default: CORS allows the headers of the revision', async () => {
  const preflight = await fetch(`${served.url}/mcp`, { method: 'OPTIONS' });
  const allowed = preflight.headers.get('access-control-allow-headers')?.split(', ');
  expect(allowed).toEqual(expect.arrayContaining(['mcp-protocol-version', 'mcp-method', 'mcp-name']));
});

test.each(['null', '7', '"text"', '[]', '[1]', '{"jsonrpc":"2.0","id":1,"result":{}}'])(
  'error: responds to the body %s with 202 or 400',
  async (body) => {
    const answer = await served.post('/mcp', body, { accept: 'application/json, text/event-stream' });
    expect([202, 400]).toContain(answer.status);
  },
);
