import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { payment, quoteInput, type Served, serveFakes } from './serveFakes.ts';

let served: Served;
beforeAll(async () => {
  served = await serveFakes();
});
afterAll(() => served.close());
beforeEach(() => {
  served.engine.queries.length = 0;
  served.paymentService.attempts.length = 0;
});

/** Sends the request target unchanged, without the normalisation of HTTP clients. */
function send(
  method: string,
  target: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; head: string; body: string }> {
  const body = JSON.stringify(quoteInput);
  const lines = [
    `${method} ${target} HTTP/1.1`,
    'Host: truefill.test',
    'Connection: close',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(served.port, '127.0.0.1', () => socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`));
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      text += chunk;
    });
    socket.on('error', reject);
    socket.on('close', () => {
      const [head = '', answer = ''] = text.split('\r\n\r\n');
      resolve({ status: Number(head.split(' ')[1]), head, body: answer });
    });
  });
}

const unknownTargets = [
  '/v1/quote/',
  '//v1/quote',
  '/v1//quote',
  '/v1/quote//',
  '/V1/quote',
  '/v1/Quote',
  '/v1/QUOTE',
  '/v1%2Fquote',
  '/v1%2fquote',
  '/%2Fv1/quote',
  '/v1/%71uote',
  '/v1/quot%65',
  '/v1/quote%00',
  '/v1/quote%20',
  '/v1/quote;x=1',
  '/v1/quote.json',
  '/v1/quote#x',
  '/v1\\quote',
  '\\v1\\quote',
  '/v1/./quote',
  '/v1/../v1/quote',
  '/docs/../v1/quote',
  '/docs/%2e%2e/v1/quote',
  '/x/v1/quote',
  '/v1/quote/x',
  '/api/v1/quote',
  '/quote',
  '/v2/quote',
  '/trpc',
  '/trpc/',
  '/trpc/quote/',
  '/trpc//quote',
  '//trpc/quote',
  '/trpc/any/prefix/quote',
  '/trpc/quote,quote',
  '/trpc/quote,quote?batch=1',
  '/trpc/quote?batch=1',
  '/trpc/quote?',
  '/trpc/quote?input=%7B%7D',
  '/trpc/Quote',
  '/TRPC/quote',
  '/trpc/quot%65',
  '/trpc%2Fquote',
  '/trpc/v1/quote',
  '/trpc/quote.quote',
  '/trpc/.quote',
  '/trpc/constructor',
  '/trpc/__proto__',
  '/trpc/health',
  'http://truefill.test/v1/quote',
  'http://truefill.test/trpc/quote',
  '*',
];

test.each(unknownTargets)(
  'security: POST %s is 400 or 404 with and without a payment; the engine is not called',
  async (target) => {
    for (const headers of [{}, payment()]) {
      const { status } = await send('POST', target, headers);
      expect([400, 404]).toContain(status);
    }
    expect(served.engine.queries).toEqual([]);
    expect(served.paymentService.attempts).toEqual([]);
  },
);

test.each(['GET', 'PUT', 'PATCH', 'DELETE', 'QUERY', 'PROPFIND'])(
  'error: %s on a paid path of REST and tRPC is 405 with instructions',
  async (method) => {
    const rest = await send(method, '/v1/quote', payment());
    expect(rest.status).toBe(405);
    expect(rest.head).toMatch(/\r\nAllow: POST\r\n/i);
    expect(JSON.parse(rest.body)).toMatchObject({
      code: 'METHOD_NOT_ALLOWED',
      exampleRequest: { sizeIn: '1.5' },
      docs: expect.any(String),
    });
    expect(JSON.parse(rest.body).detail).toMatch(/POST/);

    const trpc = await send(method, '/trpc/quote', payment());
    expect(trpc.status).toBe(405);
    expect(JSON.parse(trpc.body)).toMatchObject({
      error: { data: { code: 'METHOD_NOT_SUPPORTED', reason: { code: 'METHOD_NOT_ALLOWED' } } },
    });
    expect(served.paymentService.attempts).toEqual([]);
  },
);

test('behavior: a method override header does not turn GET into POST', async () => {
  const { status } = await send('GET', '/v1/quote', { 'X-HTTP-Method-Override': 'POST', ...payment() });
  expect(status).toBe(405);
  expect(served.paymentService.attempts).toEqual([]);
});

test('behavior: HEAD on a paid path is 405 without a body', async () => {
  const { status, body } = await send('HEAD', '/v1/quote', payment());
  expect(status).toBe(405);
  expect(body).toBe('');
});

test('behavior: OPTIONS allows paid calls from a browser', async () => {
  for (const path of ['/v1/quote', '/trpc/quote']) {
    const response = await fetch(served.url + path, { method: 'OPTIONS' });
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-allow-methods')).toBe('POST');
    const allowed = response.headers.get('access-control-allow-headers') ?? '';
    for (const header of ['payment-signature', 'content-type', 'access-control-expose-headers'])
      expect(allowed).toContain(header);
  }
  // `*` is valid because no cookie or other credential is sent.
  expect((await served.post('/v1/quote', quoteInput)).headers.get('access-control-expose-headers')).toBe('*');
});

test('error: 404 is JSON with a link to the docs', async () => {
  const response = await fetch(`${served.url}/nowhere`);
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({
    code: 'NOT_FOUND',
    docs: 'http://truefill.test/docs/',
    requestId: response.headers.get('x-request-id'),
  });
});

test('error: POST on a free path is 405', async () => {
  for (const path of ['/health', '/openapi.json', '/docs/']) {
    const response = await served.post(path, {});
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, HEAD');
  }
});
