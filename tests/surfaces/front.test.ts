import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { question, type Served, serveFakes } from './serveFakes.ts';

// The shorter way in front of Express must not be told from Express: each request goes to both, as bytes, and the bytes
// of the answers are compared, but for the time and the request's own name.

const perMinute = 400;
let express: Served;
let front: Served;
let proxiedExpress: Served;
let proxiedFront: Served;
beforeAll(async () => {
  const now = () => 1_795_254_662_000;
  // Behind proxies there is TLS, and a header more.
  const baseUrl = 'https://truefill.test';
  [express, front, proxiedExpress, proxiedFront] = await Promise.all([
    serveFakes({ now, perMinute, withoutFront: true }),
    serveFakes({ now, perMinute }),
    serveFakes({ now, perMinute, baseUrl, trustedProxies: 2, withoutFront: true }),
    serveFakes({ now, perMinute, baseUrl, trustedProxies: 2 }),
  ]);
});
afterAll(async () => {
  for (const served of [express, front, proxiedExpress, proxiedFront]) await served?.close();
});

/** Sends parts as they are, and takes what comes until the server closes or is silent for good. */
function exchange(port: number, parts: readonly (string | Buffer)[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
    socket.on('connect', async () => {
      for (const part of parts) {
        socket.write(part);
        await new Promise((next) => setTimeout(next, 5));
      }
    });
  });
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g;
const sameForBoth = (answer: string) => answer.replace(uuid, 'UUID').replace(/^Date: .*$/gim, 'Date: now');

const body = JSON.stringify(question);
const check = JSON.stringify({ token: question.tokenIn });
const close = 'Connection: close';
const payment = `PAYMENT-SIGNATURE: ${Buffer.from('{"n":"1"}').toString('base64')}`;

/** A POST of some text with headers beside the usual ones. */
function post(path: string, text: string, more: readonly string[] = [], type = 'application/json'): string {
  const head = [`POST ${path} HTTP/1.1`, 'Host: x', close, `Content-Type: ${type}`, ...more];
  return `${[...head, `Content-Length: ${Buffer.byteLength(text)}`].join('\r\n')}\r\n\r\n${text}`;
}

const chunked = `POST /v1/quote HTTP/1.1\r\nHost: x\r\n${close}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;

const requests: [what: string, parts: (string | Buffer)[]][] = [
  ['the plain question', [post('/v1/quote', body)]],
  ['the same again', [post('/v1/quote', body)]],
  ['a probe of nothing', [post('/v1/quote', '')]],
  ['a probe of an empty object', [post('/v1/quote', ' { } ')]],
  ['a check', [post('/v1/pretrade/check', check)]],
  ['an alias', [post('/v1/token-safety', check)]],
  ['another alias', [post('/v1/rug-check', check)]],
  ['a query behind the path', [post('/v1/quote?a=1', body)]],
  ['tRPC', [post('/trpc/quote', body)]],
  ['tRPC with a query', [post('/trpc/quote?batch=1', body)]],
  ['a slash behind the path', [post('/v1/quote/', body)]],
  ['another letter case', [post('/V1/quote', body)]],
  ['an encoded path', [post('/v1/%71uote', body)]],
  ['a path that climbs', [post('/v1/../v1/quote', body)]],
  ['an absolute target', [post('http://x/v1/quote', body)]],
  ['no such path', [post('/v1/nothing', body)]],
  ['no JSON', [post('/v1/quote', '{"tokenIn":')]],
  ['an array', [post('/v1/quote', '[]')]],
  ['many faults', [post('/v1/quote', '{"tokenIn":1,"tokenOut":"0x","sizeIn":"-1","chain":"mars","more":true}')]],
  ['an unserved chain', [post('/v1/quote', JSON.stringify({ ...question, chain: 'arbitrum' }))]],
  ['a key "__proto__"', [post('/v1/quote', `{"__proto__":{"a":1},${body.slice(1)}`)]],
  ['beyond ASCII', [post('/v1/quote', '{"tokenIn":"é ☃ 𝕏"}')]],
  ['not UTF-8', [post('/v1/quote', '').replace('Content-Length: 0', 'Content-Length: 2'), Buffer.from([0xff, 0xfe])]],
  ['a BOM', [post('/v1/quote', `\ufeff${body}`)]],
  ['white space around', [post('/v1/quote', `\n ${body}\t`)]],
  ['another content type', [post('/v1/quote', body, [], 'text/plain')]],
  ['a content type with charset', [post('/v1/quote', body, [], 'application/json; charset=utf-8')]],
  ['another charset', [post('/v1/quote', body, [], 'application/json; charset=latin1')]],
  ['no content type', [post('/v1/quote', body).replace('Content-Type: application/json\r\n', '')]],
  ['two content types', [post('/v1/quote', body, ['Content-Type: text/plain'])]],
  ['Accept: text/html', [post('/v1/quote', body, ['Accept: text/html'])]],
  ['Accept: nothing that we have', [post('/v1/quote', body, ['Accept: image/png'])]],
  ['Accept: */*;q=0', [post('/v1/quote', body, ['Accept: */*;q=0'])]],
  ['an origin', [post('/v1/quote', body, ['Origin: https://a.example'])]],
  ['a validator', [post('/v1/quote', body, ['If-None-Match: *', 'If-Modified-Since: Sat, 01 Jan 2000 00:00:00 GMT'])]],
  ['another method in a header', [post('/v1/quote', body, ['X-HTTP-Method-Override: GET'])]],
  ['a request id of its own', [post('/v1/quote', body, ['X-Request-Id: mine'])]],
  [
    'a body that comes in pieces',
    [post('/v1/quote', body).slice(0, 40), post('/v1/quote', body).slice(40, -9), body.slice(-9)],
  ],
  [
    'two requests on one connection',
    [post('/v1/quote', body).replace(close, 'Connection: keep-alive'), post('/v1/quote', body)],
  ],
  [
    'two requests at once',
    [post('/v1/quote', body).replace(close, 'Connection: keep-alive') + post('/v1/pretrade/check', check)],
  ],
  ['HTTP/1.0', [post('/v1/quote', body).replace('HTTP/1.1', 'HTTP/1.0')]],
  ['chunks', [chunked]],
  ['chunks and a length', [chunked.replace('Transfer-Encoding', 'Content-Length: 5\r\nTransfer-Encoding')]],
  ['two lengths', [post('/v1/quote', body, ['Content-Length: 1'])]],
  ['a length with a sign', [post('/v1/quote', body).replace('Content-Length: ', 'Content-Length: +')]],
  ['a packed body', [post('/v1/quote', body, ['Content-Encoding: gzip'])]],
  ['an identity body', [post('/v1/quote', body, ['Content-Encoding: identity'])]],
  ['a body of the longest', [post('/v1/quote', ' '.repeat(16_384))]],
  ['a body beyond', [post('/v1/quote', ' '.repeat(16_385))]],
  ['who waits to be told to go on', [post('/v1/quote', body, ['Expect: 100-continue'])]],
  ['an upgrade', [post('/v1/quote', body, ['Upgrade: h2c'])]],
  ['GET', [`GET /v1/quote HTTP/1.1\r\nHost: x\r\n${close}\r\n\r\n`]],
  ['GET by a person', [`GET /v1/quote HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\n${close}\r\n\r\n`]],
  ['HEAD', [`HEAD /v1/quote HTTP/1.1\r\nHost: x\r\n${close}\r\n\r\n`]],
  ['OPTIONS', [`OPTIONS /v1/quote HTTP/1.1\r\nHost: x\r\nOrigin: null\r\n${close}\r\n\r\n`]],
  ['PUT', [post('/v1/quote', body).replace('POST', 'PUT')]],
  ['health', [`GET /health HTTP/1.1\r\nHost: x\r\n${close}\r\n\r\n`]],
  ['health with a query', [`GET /health?a HTTP/1.1\r\nHost: x\r\n${close}\r\n\r\n`]],
  ['health by HEAD', [`HEAD /health HTTP/1.1\r\nHost: x\r\n${close}\r\n\r\n`]],
  ['health with a body', [`GET /health HTTP/1.1\r\nHost: x\r\n${close}\r\nContent-Length: 2\r\n\r\n{}`]],
  [
    'health for a validator',
    [`GET /health HTTP/1.1\r\nHost: x\r\nIf-None-Match: *\r\nAccept: text/html\r\n${close}\r\n\r\n`],
  ],
  ['ready', [`GET /ready HTTP/1.1\r\nHost: x\r\n${close}\r\n\r\n`]],
  ['ready with a query', [`GET /ready?a HTTP/1.1\r\nHost: x\r\n${close}\r\n\r\n`]],
  ['ready by HEAD', [`HEAD /ready HTTP/1.1\r\nHost: x\r\n${close}\r\n\r\n`]],
  ['a paid question', [post('/v1/quote', body, [payment])]],
  ['the same payment again', [post('/v1/quote', body, [payment])]],
  ['a payment without a body', [post('/v1/quote', '', [payment])]],
  ['an empty payment', [post('/v1/quote', body, ['PAYMENT-SIGNATURE: '])]],
  ['two payments', [post('/v1/quote', body, [payment, 'payment-signature: x'])]],
  ['a payment on tRPC', [post('/trpc/quote', body, [payment])]],
  ['a paid check', [post('/v1/rug-check', check, [payment.replace('eyJu', 'eyJt')])]],
];

test.each(requests)('default: %s is answered alike, to the byte', async (_what, parts) => {
  const [slow, fast] = await Promise.all([exchange(express.port, parts), exchange(front.port, parts)]);
  expect(sameForBoth(fast)).toBe(sameForBoth(slow));
  expect(fast).toMatch(/^HTTP\/1\.1 \d{3} /);
});

test.each([
  ['none', []],
  ['one', ['X-Forwarded-For: 203.0.113.7']],
  ['three', ['X-Forwarded-For: 198.51.100.1, 203.0.113.7 ,192.0.2.1']],
  ['two headers', ['X-Forwarded-For: 198.51.100.1', 'X-Forwarded-For: 2001:db8:1:2::3']],
  ['no addresses', ['X-Forwarded-For: ,, unknown']],
])('behavior: behind proxies the limit counts the same address: %s', async (_what, more) => {
  const parts = [post('/v1/quote', body, more)];
  const [slow, fast] = await Promise.all([exchange(proxiedExpress.port, parts), exchange(proxiedFront.port, parts)]);
  expect(sameForBoth(fast)).toBe(sameForBoth(slow));
  expect(fast).toContain('RateLimit-Policy');
  expect(fast).toContain('Strict-Transport-Security');
});

test('behavior: refusals of the cashier and failures of the engine come out alike', async () => {
  const ways = [express, front];
  async function both(parts: string[], status: number): Promise<void> {
    const [slow = '', fast = ''] = await Promise.all(ways.map(({ port }) => exchange(port, parts)));
    expect(sameForBoth(fast)).toBe(sameForBoth(slow));
    expect(fast).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  }
  // Another size each time, or the answer would be known.
  const paid = (n: number) => [
    post('/v1/quote', JSON.stringify({ ...question, sizeIn: `7${n}` }), [
      `PAYMENT-SIGNATURE: ${Buffer.from(`{"n":"x${n}"}`).toString('base64')}`,
    ]),
  ];
  for (const status of [400, 402, 409, 429, 503] as const) {
    for (const { cashier } of ways) {
      cashier.refusal = {
        kind: 'refuse',
        status,
        code: 'NO_SUCH',
        detail: 'No.',
        headers: { 'Retry-After': '7', 'PAYMENT-REQUIRED': 'abc' },
      };
    }
    await both(paid(0), status);
  }
  for (const { cashier, engine } of ways) {
    cashier.refusal = undefined;
    engine.behaviour = async () => {
      throw new Error('boom');
    };
  }
  await both(paid(1), 500);
  for (const { cashier, engine } of ways) {
    cashier.cannotStore = true;
    engine.down = true;
  }
  await both([post('/v1/quote', body)], 503);
  for (const { cashier, engine } of ways) {
    engine.down = false;
    cashier.admit = async () => {
      throw new Error('a bug');
    };
  }
  await both(paid(2), 500);
});

test('behavior: who breaks off in the middle of a body is not logged as answered, either way', async () => {
  for (const withoutFront of [true, false]) {
    const served = await serveFakes({ withoutFront });
    const socket = connect(served.port, '127.0.0.1');
    socket.write(post('/v1/quote', body).slice(0, -9));
    await new Promise((next) => setTimeout(next, 200));
    socket.destroy();
    const told = () =>
      served.logs.map((line) => JSON.parse(line)).map(({ status, clientLeft }) => ({ status, clientLeft }));
    await expect.poll(told, { timeout: 5_000 }).toEqual([{ status: undefined, clientLeft: true }]);
    await served.close();
  }
});

test('behavior: a body that was on its way when the process began to close buys nothing, and is not waited for', async () => {
  for (const withoutFront of [true, false]) {
    const served = await serveFakes({ withoutFront });
    const text = post('/v1/quote', body, [payment]);
    const socket = connect(served.port, '127.0.0.1');
    socket.write(text.slice(0, -9));
    await new Promise((next) => setTimeout(next, 200));
    await served.drain();
    socket.write(text.slice(-9));
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk as Buffer);
    const answer = Buffer.concat(chunks).toString();
    expect(answer).toMatch(/^HTTP\/1\.1 503 [\s\S]*\r\nConnection: close\r\n[\s\S]*"UPSTREAM_UNAVAILABLE"/);
    expect(served.cashier.attempts).toHaveLength(0);
    await served.close();
  }
});

test('behavior: who has had his share hears so alike', async () => {
  const parts = [post('/v1/quote', body)];
  for (let turn = 0; turn < perMinute; turn += 40) {
    await Promise.all(
      Array.from({ length: 40 }, () => Promise.all([front, express].map(({ port }) => exchange(port, parts)))),
    );
  }
  const [slow, fast] = await Promise.all([exchange(express.port, parts), exchange(front.port, parts)]);
  expect(sameForBoth(fast)).toBe(sameForBoth(slow));
  expect(fast).toMatch(/^HTTP\/1\.1 429 /);
});

test('behavior: one line of the log for each request, alike', () => {
  const lines = (served: Served) =>
    served.logs.map((line) => ({ ...JSON.parse(line), time: 0, ms: 0, requestId: 'r', err: undefined }));
  const sorted = (served: Served) =>
    lines(served)
      .map((line) => JSON.stringify(line))
      .sort();
  expect(sorted(front).length).toBeGreaterThan(requests.length);
  expect(sorted(front)).toEqual(sorted(express));
});
