import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { errorTable } from '../../router/index.ts';
import { answerBrokenRequests } from '../../server/http/answerBrokenRequests.ts';
import { openServer } from '../../server/http/openServer.ts';
import { payment, quoteInput, type Served, serveFakes } from './serveFakes.ts';

// On every surface, error bodies are RFC 9457 problem details with additional members of this service.

const base = 'http://truefill.test';

// biome-ignore lint/suspicious/noExplicitAny: bodies of any shape
type Json = any;

let served: Served;
beforeAll(async () => {
  served = await serveFakes();
});
afterAll(() => served.close());
beforeEach(() => {
  served.paymentService.refusal = undefined;
});

function expectProblem(body: Json, code: keyof typeof errorTable, requestId: string | null): void {
  const { status, title } = errorTable[code];
  expect(body).toMatchObject({
    type: `${base}/guides/errors#${code}`,
    title,
    status,
    detail: expect.stringMatching(/\w/),
    instance: `urn:uuid:${requestId}`,
    code,
    docs: `${base}/docs/`,
    requestId,
  });
}

const get = (path: string) => fetch(served.url + path);

test.each<[string, keyof typeof errorTable, () => Promise<Response>]>([
  ['a body that does not match the schema', 'INVALID_REQUEST', () => served.post('/v1/quote', { tokenIn: 1 })],
  ['a paid body that does not match the schema', 'INVALID_REQUEST', () => served.post('/v1/quote', {}, payment())],
  ['no payment', 'PAYMENT_REQUIRED', () => served.post('/v1/quote', quoteInput)],
  ['no payment on an alias', 'PAYMENT_REQUIRED', () => served.post('/v1/rug-check', { token: quoteInput.tokenIn })],
  ['an unknown path', 'NOT_FOUND', () => get('/v1/nowhere')],
  ['a wrong method', 'METHOD_NOT_ALLOWED', () => get('/v1/token-safety')],
  ['a body that is too large', 'PAYLOAD_TOO_LARGE', () => served.post('/v1/quote', 'x'.repeat(20_000))],
  [
    'a body that is not JSON',
    'UNSUPPORTED_MEDIA_TYPE',
    () => served.post('/v1/quote', quoteInput, { 'content-type': 'text/plain' }),
  ],
  [
    'another chain',
    'UNSUPPORTED_CHAIN',
    () => served.post('/v1/pretrade/check', { token: quoteInput.tokenIn, chain: 'polygon' }),
  ],
])('error: %s returns problem details on REST', async (_case, code, send) => {
  const response = await send();
  expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  expectProblem(await response.json(), code, response.headers.get('x-request-id'));
});

test('error: a refused payment returns problem details on REST', async () => {
  served.paymentService.refusal = {
    kind: 'refuse',
    status: 409,
    code: 'PAYMENT_REUSED',
    detail: 'Used before.',
    charged: true,
    headers: {},
  };
  const response = await served.post('/v1/quote', quoteInput, payment());
  expectProblem(await response.json(), 'PAYMENT_REUSED', response.headers.get('x-request-id'));
});

const accept = { accept: 'application/json, text/event-stream' };
const mcpCall = (input: unknown, payment?: unknown) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'quote', arguments: input, ...(payment !== undefined && { _meta: { 'x402/payment': payment } }) },
});

/** The bodies of a request on REST, tRPC, MCP and A2A. */
async function bodiesOf(input: unknown, isPaid: boolean): Promise<Json[]> {
  const headers = isPaid ? payment() : {};
  const message = {
    message: { messageId: 'm', role: 'user', parts: [{ kind: 'data', data: { skill: 'quote', input } }] },
  };
  const [rest, trpc, mcp, a2a] = await Promise.all(
    [
      served.post('/v1/quote', input, headers),
      served.post('/trpc/quote', input, headers),
      served.post('/mcp', mcpCall(input, isPaid ? {} : undefined), accept),
      served.post('/a2a/v1/message:send', message, headers),
    ].map(async (sent): Promise<Json> => (await sent).json()),
  );
  return [rest, trpc.error.data.reason, mcp.result.structuredContent, a2a];
}

test.each([true, false, null])(
  'error: `charged: %s` of a refused payment is in the body on every surface',
  async (charged) => {
    served.paymentService.refusal = {
      kind: 'refuse',
      status: 503,
      code: 'SETTLEMENT_UNKNOWN',
      detail: 'Cause.',
      charged,
      headers: {},
    };
    for (const body of await bodiesOf(quoteInput, true))
      expect(body).toMatchObject({ code: 'SETTLEMENT_UNKNOWN', charged });
  },
);

test.each([
  ['an unpaid request', quoteInput, false],
  ['an invalid request', { tokenIn: 1 }, false],
  ['an invalid request with a payment', { tokenIn: 1 }, true],
])('error: `charged` is false for %s on every surface', async (_case, input, isPaid) => {
  for (const body of await bodiesOf(input, isPaid)) expect(body).toMatchObject({ charged: false });
});

test('error: `charged` is null if a request with a payment, which may be a repetition, is refused before the payment is looked up', async () => {
  served.engine.down = true;
  for (const [isPaid, charged] of [
    [true, null],
    [false, false],
  ] as const) {
    for (const body of await bodiesOf(quoteInput, isPaid))
      expect(body).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', charged });
  }
  served.engine.down = false;
});

test('error: `charged` is true if the engine fails after the payment settled', async () => {
  const { behaviour } = served.engine;
  served.engine.behaviour = () => Promise.reject(new TypeError('fault'));
  for (const body of await bodiesOf(quoteInput, true)) expect(body).toMatchObject({ code: 'INTERNAL', charged: true });
  served.engine.behaviour = behaviour;
});

test('error: tRPC returns problem details in error.data.reason', async () => {
  for (const [body, code] of [
    [{ tokenIn: 1 }, 'INVALID_REQUEST'],
    [quoteInput, 'PAYMENT_REQUIRED'],
  ] as const) {
    const response = await served.post('/trpc/quote', body);
    const { error }: Json = await response.json();
    expectProblem(error.data.reason, code, response.headers.get('x-request-id'));
  }
});

test('error: MCP returns problem details in structuredContent', async () => {
  for (const [input, code] of [
    [{ tokenIn: 1 }, 'INVALID_REQUEST'],
    [quoteInput, 'PAYMENT_REQUIRED'],
  ] as const) {
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'quote', arguments: input } };
    const accept = { accept: 'application/json, text/event-stream' };
    const response = await served.post('/mcp', call, accept);
    const { result }: Json = await response.json();
    expectProblem(result.structuredContent, code, response.headers.get('x-request-id'));
  }
});

test('error: a malformed HTTP request returns problem details', async () => {
  const server = openServer((_req, res) => res.end());
  answerBrokenRequests(server, { logger: pino({ level: 'silent' }), baseUrl: base });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const text = await new Promise<string>((resolve) => {
    let received = '';
    const socket = connect(port, '127.0.0.1', () => socket.write('nonsense\r\n\r\n'));
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.on('close', () => resolve(received));
  });
  const [head = '', body = ''] = text.split('\r\n\r\n');
  expectProblem(JSON.parse(body), 'INVALID_REQUEST', /X-Request-Id: (\S+)/.exec(head)?.[1] ?? null);
  server.close();
});

test('default: every type is an anchor of the errors guide', async () => {
  const page = await (await get('/guides/errors')).text();
  for (const code of Object.keys(errorTable)) expect(page).toContain(`id="${code}"`);
});

test('default: the OpenAPI document has an example of each code that matches the error table', () => {
  const document: Json = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'));
  const { examples } = document.components;
  for (const [code, { status, title }] of Object.entries(errorTable)) {
    expect(examples[code].value).toMatchObject({ code, status, title });
    const response = document.paths['/v1/quote'].post.responses[status].content['application/json'];
    expect(Object.keys(response.examples)).toContain(code);
  }
});
