import { connect } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { payment, quoteInput, type Served, serveFakes } from './serveFakes.ts';

// The published middleware prints thrown errors, returns 402 for payments that were charged, and accepts X-PAYMENT. The
// gate must prevent all three.

let served: Served;
const printed: unknown[][] = [];
beforeEach(async () => {
  served = await serveFakes();
  printed.length = 0;
  for (const method of ['error', 'warn', 'log'] as const) {
    vi.spyOn(console, method).mockImplementation((...line) => void printed.push(line));
  }
});
afterEach(async () => {
  vi.restoreAllMocks();
  await served.close();
});

const surfaces = ['/v1/quote', '/trpc/quote'];
/** The error body of a REST or tRPC response. */
async function errorOf(response: Response): Promise<{ code: string; detail: string }> {
  const body = (await response.json()) as { error?: { data: { reason: never } } };
  return body.error?.data.reason ?? (body as never);
}

test.each(surfaces)('error: 500 without console output when the payment service throws: %s', async (path) => {
  served.paymentService.decide = async () => {
    throw new Error('https://node.example/secret-key is down');
  };
  const response = await served.post(path, quoteInput, payment());
  expect([response.status, (await errorOf(response)).code]).toEqual([500, 'INTERNAL']);
  expect(printed).toEqual([]);
});

test.each(surfaces)('error: 503 with a credit when the answer cannot be stored: %s', async (path) => {
  served.paymentService.cannotStore = true;
  const response = await served.post(path, quoteInput, payment());
  const { code, detail } = await errorOf(response);
  expect([response.status, code]).toEqual([503, 'UPSTREAM_UNAVAILABLE']);
  expect(detail).toContain('send the same PAYMENT-SIGNATURE again');
  expect(response.headers.get('payment-response')).toBeTruthy();
  expect(response.headers.get('retry-after')).toBe('5');
  expect(printed).toEqual([]);
});

test.each(surfaces)('error: 500 with a credit when the procedure throws: %s', async (path) => {
  served.engine.behaviour = async () => {
    throw new Error('secret words of a bug');
  };
  const response = await served.post(path, quoteInput, payment());
  const { code, detail } = await errorOf(response);
  expect([response.status, code]).toEqual([500, 'INTERNAL']);
  expect(detail).toContain('send the same PAYMENT-SIGNATURE again');
  expect(response.headers.get('payment-response')).toBeTruthy();
  expect(served.paymentService.events).toEqual(['fail INTERNAL']);
  expect(printed).toEqual([]);
});

test.each(surfaces)('behavior: sends the answer that another replica has stored first: %s', async (path) => {
  const decide = served.paymentService.decide.bind(served.paymentService);
  const first = { status: 200, contentType: 'application/json', body: '{"first":true}' };
  served.paymentService.decide = async (attempt) => {
    const decision = await decide(attempt);
    return decision.kind === 'serve' ? { ...decision, complete: async () => first } : decision;
  };
  const response = await served.post(path, quoteInput, payment());
  expect([response.status, await response.text()]).toEqual([200, first.body]);
  expect(response.headers.get('payment-response')).toBeTruthy();
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
});

test.each([
  'Host: [',
  'Host: a b',
  'Host: x\r\nContent-Type: Application/JSON ; charset=UTF-8',
  'Host: x\r\nTrpc-Accept: application/jsonl',
  'Host: x\r\nX-HTTP-Method-Override: GET',
  'Host: x\r\nConnection: Upgrade, close\r\nUpgrade: h2c',
])('behavior: serves a paid call with the headers %j', async (headers) => {
  for (const path of surfaces) {
    const body = JSON.stringify(quoteInput);
    const type = /content-type/i.test(headers) ? '' : 'Content-Type: application/json\r\n';
    const head = `POST ${path} HTTP/1.1\r\n${headers}\r\n${type}PAYMENT-SIGNATURE: ${payment()['payment-signature']}`;
    const socket = connect(served.port, '127.0.0.1');
    socket.write(`${head}\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    let answer = '';
    for await (const chunk of socket) answer += String(chunk);
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toContain('90071992547409931234');
  }
});

test.each(surfaces)('behavior: stores and replays the answer of a client that disconnects: %s', async (path) => {
  const { behaviour } = served.engine;
  const reached = new Promise<() => void>((resolve) => {
    served.engine.behaviour = () => new Promise((answer) => resolve(() => void behaviour().then(answer)));
  });
  const signature = payment();
  const client = new AbortController();
  const aborted = fetch(served.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...signature },
    body: JSON.stringify(quoteInput),
    signal: client.signal,
  }).catch((error: unknown) => error);
  const release = await reached;
  client.abort();
  await aborted;
  release();
  await served.idle();
  const replay = await served.post(path, quoteInput, signature);
  expect([replay.status, replay.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
  expect(await replay.text()).toContain('90071992547409931234');
  expect(served.engine.queries).toHaveLength(1);
});

test('error: 402 with an explanation for an x402 v1 header, which is not read as a payment', async () => {
  const response = await served.post('/v1/quote', quoteInput, { 'x-payment': payment()['payment-signature'] });
  expect(response.status).toBe(402);
  expect(response.headers.get('payment-required')).toBeTruthy();
  expect((await errorOf(response)).detail).toContain('this service supports x402 v2');
  expect(served.paymentService.attempts).toEqual([]);
});

test('behavior: the resource of a 402 is the requested path, also for aliases', async () => {
  for (const path of ['/v1/pretrade/check', '/v1/token-safety', '/v1/rug-check', '/trpc/pretradeCheck']) {
    await served.post(path, { token: quoteInput.tokenIn });
    expect(served.paymentService.challenged.at(-1)).toBe(path);
  }
});
