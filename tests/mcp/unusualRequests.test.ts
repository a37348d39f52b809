import { afterEach, beforeEach, expect, test } from 'vitest';
import { payment, quoteInput, type Served, serveFakes } from '../surfaces/serveFakes.ts';

// MCP requests that the SDK's clients do not send.

let served: Served;
beforeEach(async () => {
  served = await serveFakes({ perMinute: 10 });
});
afterEach(() => served.close());

const send = (messages: unknown) => served.post('/mcp', messages, { accept: 'application/json, text/event-stream' });
const message = (id: unknown, params: object) => ({ jsonrpc: '2.0', id, method: 'tools/call', params });
const paid = { 'x402/payment': payment() };

test('error: 429, uncharged, for a batch with more messages than the rate limit allows', async () => {
  const unpaid = message(1, { name: 'quote', arguments: {} });
  const two = await send([unpaid, { ...unpaid, id: 2 }]);
  expect(two.headers.get('ratelimit')).toMatch(/r=8/);
  expect(await two.json()).toHaveLength(2);
  const many = Array.from({ length: 9 }, (_, id) => message(id, { name: 'quote', arguments: quoteInput, _meta: paid }));
  const refused = await send(many);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await refused.json()).toMatchObject({ code: 'RATE_LIMITED' });
  expect(served.paymentService.attempts).toEqual([]);
});

test('behavior: responds to a call that the same batch cancels', async () => {
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
  const answers = await send([message(1, { name: 'quote', arguments: quoteInput, _meta: paid }), cancel]);
  expect(await answers.json()).toMatchObject({ id: 1, result: { structuredContent: { chain: 'base' } } });
});

test('error: 400, uncharged, for a batch with a duplicate id', async () => {
  const call = message(1, { name: 'quote', arguments: quoteInput, _meta: paid });
  const answer = await send([call, call]);
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ code: 'INVALID_REQUEST' });
  expect(served.paymentService.attempts).toEqual([]);
});

test.each([
  ['arguments', (nested: string) => `"arguments":{"a":${nested}}`],
  ['x402/payment', (nested: string) => `"arguments":{},"_meta":{"x402/payment":{"a":${nested}}}`],
])('error: INVALID_REQUEST for %s with 7,500 nested arrays', async (what, bodyWith) => {
  const nested = '['.repeat(7_500) + ']'.repeat(7_500);
  const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"quote",${bodyWith(nested)}}}`;
  const answer = (await (await send(text)).json()) as { result: unknown };
  expect(answer.result).toMatchObject({
    isError: true,
    structuredContent: { code: 'INVALID_REQUEST', detail: expect.stringContaining(what) },
  });
});

test('default: counts each call by tool and REST status, except calls of unknown tools', async () => {
  const called: string[] = [];
  const counted = await serveFakes({ onToolCalled: (tool, status) => called.push(`${tool} ${status}`) });
  const call = (params: object) =>
    counted.post('/mcp', message(1, params), { accept: 'application/json, text/event-stream' });
  await call({ name: 'health' });
  await call({ name: 'quote', arguments: quoteInput });
  await call({ name: 'quote', arguments: quoteInput, _meta: paid });
  await call({ name: 'pretrade_check', arguments: { token: 1 } });
  await call({ name: 'nothing', arguments: {} });
  counted.paymentService.decide = () => Promise.reject(new TypeError('internal detail'));
  await call({ name: 'quote', arguments: quoteInput, _meta: paid });
  expect(called).toEqual(['health 200', 'quote 402', 'quote 200', 'pretrade_check 400', 'quote 500']);
  await counted.close();
});

test('security: logs an unexpected error with the request id of the response, which does not contain it', async () => {
  served.paymentService.decide = () => Promise.reject(new TypeError('internal detail'));
  const answer = await send(message(1, { name: 'quote', arguments: quoteInput, _meta: paid }));
  const { result } = (await answer.json()) as { result: { structuredContent: { code: string; requestId: string } } };
  expect(result.structuredContent.code).toBe('INTERNAL');
  const line = served.logs.find((text) => text.includes('request failed'));
  expect(JSON.parse(line ?? '{}')).toMatchObject({
    requestId: result.structuredContent.requestId,
    err: { message: 'internal detail' },
  });
  expect(JSON.stringify(result)).not.toContain('internal detail');
});
