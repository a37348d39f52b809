import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { quoteInput, type Served, serveFakes } from './serveFakes.ts';

// Raw HTTP requests with unusual paths, headers and framing. Only requests with a payment reach the payment service.

let served: Served;
beforeAll(async () => {
  served = await serveFakes({ now: () => 1_795_254_662_000 });
});
afterAll(() => served.close());

/** Sends the parts unchanged and returns all bytes that the server sends before it closes the connection. */
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

/** Asks the server to confirm that it has received the headers. */
const expectContinue = 'Expect: 100-continue';

/** Sends all but the last nine bytes, and waits until the server has received the headers. */
async function sendIncomplete(socket: Socket, text: string): Promise<void> {
  socket.write(text.slice(0, -9));
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1\.1 100 /);
}

const body = JSON.stringify(quoteInput);
const checkBody = JSON.stringify({ token: quoteInput.tokenIn });
const close = 'Connection: close';
const paymentHeader = (payment: object) =>
  `PAYMENT-SIGNATURE: ${Buffer.from(JSON.stringify(payment)).toString('base64')}`;
const payment = paymentHeader({ n: '1' });
const otherPayment = paymentHeader({ m: '1' });

/** A POST request with this body and additional headers. */
function post(path: string, text: string, extraHeaders: readonly string[] = [], type = 'application/json'): string {
  const head = [`POST ${path} HTTP/1.1`, 'Host: x', close, `Content-Type: ${type}`, ...extraHeaders];
  return `${[...head, `Content-Length: ${Buffer.byteLength(text)}`].join('\r\n')}\r\n\r\n${text}`;
}

const chunked = `POST /v1/quote HTTP/1.1\r\nHost: x\r\n${close}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;

const requests: [what: string, parts: (string | Buffer)[], ...statuses: number[]][] = [
  ['an ordinary request', [post('/v1/quote', body)], 402],
  ['the same request again', [post('/v1/quote', body)], 402],
  ['an empty body', [post('/v1/quote', '')], 402],
  ['an empty object', [post('/v1/quote', ' { } ')], 402],
  ['a pretrade check', [post('/v1/pretrade/check', checkBody)], 402],
  ['an alias', [post('/v1/token-safety', checkBody)], 402],
  ['another alias', [post('/v1/rug-check', checkBody)], 402],
  ['a query string', [post('/v1/quote?a=1', body)], 402],
  ['tRPC', [post('/trpc/quote', body)], 402],
  ['tRPC with a query', [post('/trpc/quote?batch=1', body)], 404],
  ['a trailing slash', [post('/v1/quote/', body)], 404],
  ['another letter case', [post('/V1/quote', body)], 404],
  ['an encoded path', [post('/v1/%71uote', body)], 404],
  ['a path with ..', [post('/v1/../v1/quote', body)], 404],
  ['an absolute target', [post('http://x/v1/quote', body)], 404],
  ['an unknown path', [post('/v1/nothing', body)], 404],
  ['invalid JSON', [post('/v1/quote', '{"tokenIn":')], 400],
  ['an array', [post('/v1/quote', '[]')], 400],
  ['many faults', [post('/v1/quote', '{"tokenIn":1,"tokenOut":"0x","sizeIn":"-1","chain":"mars","more":true}')], 400],
  ['an unserved chain', [post('/v1/quote', JSON.stringify({ ...quoteInput, chain: 'arbitrum' }))], 422],
  ['a key "__proto__"', [post('/v1/quote', `{"__proto__":{"a":1},${body.slice(1)}`)], 400],
  ['characters beyond ASCII', [post('/v1/quote', '{"tokenIn":"é ☃ 𝕏"}')], 400],
  [
    'not UTF-8',
    [post('/v1/quote', '').replace('Content-Length: 0', 'Content-Length: 2'), Buffer.from([0xff, 0xfe])],
    400,
  ],
  ['a BOM', [post('/v1/quote', `\ufeff${body}`)], 402],
  ['surrounding white space', [post('/v1/quote', `\n ${body}\t`)], 402],
  ['another content type', [post('/v1/quote', body, [], 'text/plain')], 415],
  ['a content type with charset', [post('/v1/quote', body, [], 'application/json; charset=utf-8')], 402],
  ['another charset', [post('/v1/quote', body, [], 'application/json; charset=latin1')], 415],
  ['no content type', [post('/v1/quote', body).replace('Content-Type: application/json\r\n', '')], 415],
  ['two content types', [post('/v1/quote', body, ['Content-Type: text/plain'])], 402],
  ['Accept: text/html', [post('/v1/quote', body, ['Accept: text/html'])], 402],
  ['Accept: an unavailable type', [post('/v1/quote', body, ['Accept: image/png'])], 402],
  ['Accept: */*;q=0', [post('/v1/quote', body, ['Accept: */*;q=0'])], 402],
  ['an Origin header', [post('/v1/quote', body, ['Origin: https://a.example'])], 402],
  [
    'conditional headers',
    [post('/v1/quote', body, ['If-None-Match: *', 'If-Modified-Since: Sat, 01 Jan 2000 00:00:00 GMT'])],
    402,
  ],
  ['a method override header', [post('/v1/quote', body, ['X-HTTP-Method-Override: GET'])], 402],
  ['a request id of the client', [post('/v1/quote', body, ['X-Request-Id: mine'])], 402],
  [
    'a body in several packets',
    [post('/v1/quote', body).slice(0, 40), post('/v1/quote', body).slice(40, -9), body.slice(-9)],
    402,
  ],
  [
    'two requests on one connection',
    [post('/v1/quote', body).replace(close, 'Connection: keep-alive'), post('/v1/quote', body)],
    402,
    402,
  ],
  [
    'two pipelined requests',
    [post('/v1/quote', body).replace(close, 'Connection: keep-alive') + post('/v1/pretrade/check', checkBody)],
    402,
    402,
  ],
  ['HTTP/1.0', [post('/v1/quote', body).replace('HTTP/1.1', 'HTTP/1.0')], 402],
  ['chunked encoding', [chunked], 402],
  [
    'chunked encoding and a length',
    [chunked.replace('Transfer-Encoding', 'Content-Length: 5\r\nTransfer-Encoding')],
    400,
  ],
  ['two lengths', [post('/v1/quote', body, ['Content-Length: 1'])], 400],
  ['a length with a sign', [post('/v1/quote', body).replace('Content-Length: ', 'Content-Length: +')], 400],
  ['a gzip body', [post('/v1/quote', body, ['Content-Encoding: gzip'])], 415],
  ['identity encoding', [post('/v1/quote', body, ['Content-Encoding: identity'])], 402],
  ['a body of the maximum length', [post('/v1/quote', ' '.repeat(16_384))], 402],
  ['a body above the maximum length', [post('/v1/quote', ' '.repeat(16_385))], 413],
  ['a request with Expect: 100-continue', [post('/v1/quote', body, [expectContinue])], 100, 402],
  ['an upgrade', [post('/v1/quote', body, ['Upgrade: h2c'])], 402],
  ['GET', [`GET /v1/quote HTTP/1.1\r\nHost: x\r\n${close}\r\n\r\n`], 405],
  ['GET from a browser', [`GET /v1/quote HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\n${close}\r\n\r\n`], 405],
  ['HEAD', [`HEAD /v1/quote HTTP/1.1\r\nHost: x\r\n${close}\r\n\r\n`], 405],
  ['OPTIONS', [`OPTIONS /v1/quote HTTP/1.1\r\nHost: x\r\nOrigin: null\r\n${close}\r\n\r\n`], 204],
  ['no Host header', [post('/v1/quote', body).replace('Host: x\r\n', '')], 400],
  ['two Host headers', [post('/v1/quote', body, ['Host: y'])], 400],
  ['health without a Host header', [`GET /health HTTP/1.1\r\n${close}\r\n\r\n`], 400],
  ['HTTP/1.0 without a Host header', ['GET /health HTTP/1.0\r\n\r\n'], 200],
  ['PUT', [post('/v1/quote', body).replace('POST', 'PUT')], 405],
  ['health', [`GET /health HTTP/1.1\r\nHost: x\r\n${close}\r\n\r\n`], 200],
  ['health with a query', [`GET /health?a HTTP/1.1\r\nHost: x\r\n${close}\r\n\r\n`], 200],
  ['health by HEAD', [`HEAD /health HTTP/1.1\r\nHost: x\r\n${close}\r\n\r\n`], 200],
  ['health with a body', [`GET /health HTTP/1.1\r\nHost: x\r\n${close}\r\nContent-Length: 2\r\n\r\n{}`], 200],
  [
    'health with a condition',
    [`GET /health HTTP/1.1\r\nHost: x\r\nIf-None-Match: *\r\nAccept: text/html\r\n${close}\r\n\r\n`],
    200,
  ],
  ['ready', [`GET /ready HTTP/1.1\r\nHost: x\r\n${close}\r\n\r\n`], 200],
  ['ready with a query', [`GET /ready?a HTTP/1.1\r\nHost: x\r\n${close}\r\n\r\n`], 200],
  ['ready by HEAD', [`HEAD /ready HTTP/1.1\r\nHost: x\r\n${close}\r\n\r\n`], 200],
  ['a paid request', [post('/v1/quote', body, [payment])], 200],
  ['the same payment again', [post('/v1/quote', body, [payment])], 200],
  ['a payment without a body', [post('/v1/quote', '', [payment])], 400],
  ['an empty payment', [post('/v1/quote', body, ['PAYMENT-SIGNATURE: '])], 402],
  ['two payments', [post('/v1/quote', body, [payment, 'payment-signature: x'])], 200],
  ['a payment on tRPC', [post('/trpc/quote', body, [payment])], 200],
  ['a paid pretrade check', [post('/v1/rug-check', checkBody, [otherPayment])], 200],
];

test.each(requests)('default: returns the expected status for %s', async (_case, parts, ...statuses) => {
  const { attempts } = served.paymentService;
  const before = attempts.length;
  const answer = await exchange(served.port, parts);
  expect([...answer.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status))).toEqual(statuses);
  if (!/payment-signature/i.test(parts.join(''))) expect(attempts.length).toBe(before);
});

test('behavior: logs an incomplete body as a disconnect without a status', async () => {
  const server = await serveFakes();
  const socket = connect(server.port, '127.0.0.1');
  await sendIncomplete(socket, post('/v1/quote', body, [expectContinue]));
  socket.destroy();
  const logged = () =>
    server.logs.map((line) => JSON.parse(line)).map(({ status, clientLeft }) => ({ status, clientLeft }));
  await expect.poll(logged).toEqual([{ status: undefined, clientLeft: true }]);
  await server.close();
});

test('error: returns 503 without a charge if the body arrives while the service is draining', async () => {
  const server = await serveFakes();
  const text = post('/v1/quote', body, [payment, expectContinue]);
  const socket = connect(server.port, '127.0.0.1');
  await sendIncomplete(socket, text);
  await server.drain();
  socket.write(text.slice(-9));
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  const answer = Buffer.concat(chunks).toString();
  expect(answer).toMatch(/^HTTP\/1\.1 503 [\s\S]*\r\nConnection: close\r\n[\s\S]*"UPSTREAM_UNAVAILABLE"/);
  expect(server.paymentService.attempts).toHaveLength(0);
  await server.close();
});
