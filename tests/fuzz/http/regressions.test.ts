import { encodePaymentSignatureHeader } from '@x402/core/http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FuzzTarget, startFuzzTarget } from './fuzzTarget.ts';
import { exchangeRaw } from './rawExchange.ts';

// Requests that failed in earlier fuzz runs.

let server: FuzzTarget;
beforeAll(async () => {
  server = await startFuzzTarget();
});
afterAll(() => server?.close());

const json = 'Content-Type: application/json';

async function send(text: string, { requests = 1, method = 'POST', ending = 'wait' as 'wait' | 'close' } = {}) {
  const bytes = Buffer.from(text.replaceAll('\n', '\r\n'), 'latin1');
  const exchange = await exchangeRaw(server.port, { bytes, cuts: [], ending, requests, method });
  return exchange.responses.map(({ status, headers, body }) => {
    const read = body === '' ? {} : (JSON.parse(body) as Record<string, unknown>);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-request-id')).toBeTruthy();
    return { status, code: read.code, requestId: read.requestId === headers.get('x-request-id'), read };
  });
}

const big = 'a'.repeat(20_000);
describe('returns the standard error for requests that are not valid HTTP', () => {
  test.each([
    ['text that is not HTTP', 'hello\n\n', 400, 'INVALID_REQUEST'],
    ['an unknown method', 'FOO /v1/quote HTTP/1.1\nHost: x\n\n', 400, 'INVALID_REQUEST'],
    [
      'a header that contains NUL',
      'POST /v1/quote HTTP/1.1\nHost: x\nPAYMENT-SIGNATURE: a\0b\n\n',
      400,
      'INVALID_REQUEST',
    ],
    [
      'two lengths',
      'POST /v1/quote HTTP/1.1\nHost: x\nContent-Length: 1\nContent-Length: 2\n\n{}',
      400,
      'INVALID_REQUEST',
    ],
    [
      'an invalid chunk size',
      `POST /v1/quote HTTP/1.1\nHost: x\n${json}\nTransfer-Encoding: chunked\n\nzz\n{}`,
      400,
      'INVALID_REQUEST',
    ],
    [
      'headers over 16 KiB',
      `POST /v1/quote HTTP/1.1\nHost: x\nPAYMENT-SIGNATURE: ${big}\n\n`,
      413,
      'PAYLOAD_TOO_LARGE',
    ],
    [
      'oversized chunk extensions',
      `POST /v1/quote HTTP/1.1\nHost: x\n${json}\nTransfer-Encoding: chunked\n\n2;${big}\n{}\n0\n\n`,
      413,
      'PAYLOAD_TOO_LARGE',
    ],
  ])('error: %s', async (_name, text, status, code) => {
    expect(await send(text)).toMatchObject([{ status, code, requestId: true }]);
  });
});

test('behavior: answers earlier requests on the connection before the invalid one', async () => {
  const whole = `POST /v1/quote HTTP/1.1\nHost: x\n${json}\nContent-Length: 2\n\n{}`;
  const answers = await send(`${whole}${whole}garbage\n\n`, { requests: 2 });
  expect(answers.map(({ status }) => status)).toEqual([402, 402, 400]);
});

test.each(['http://[', 'http://[::1', 'http://a:99999/v1/quote', 'http://truefill.test/v1/quote'])(
  'error: NOT_FOUND: rejects an absolute or malformed target: %s',
  async (target) => {
    const answers = await send(`POST ${target} HTTP/1.1\nHost: x\n${json}\nContent-Length: 2\n\n{}`);
    expect(answers).toMatchObject([{ status: 404, code: 'NOT_FOUND', requestId: true }]);
  },
);

test('error: NOT_FOUND: rejects CONNECT after answering earlier requests', async () => {
  const whole = `POST /v1/quote HTTP/1.1\nHost: x\n${json}\nContent-Length: 2\n\n{}`;
  for (const target of ['truefill.test:443', '/v1/quote']) {
    const answers = await send(`${whole}CONNECT ${target} HTTP/1.1\nHost: x\n\nafter`, { requests: 2 });
    expect(answers).toMatchObject([{ status: 402 }, { status: 404, code: 'NOT_FOUND', requestId: true }]);
  }
});

test('behavior: answers a client that half-closes the connection after its request', async () => {
  const paid = encodePaymentSignatureHeader(await server.signUnfunded('/v1/quote'));
  const quoteInput = JSON.stringify({ tokenIn: server.chain.wrappedNative, tokenOut: server.chain.usdc, sizeIn: '1' });
  const text = `POST /v1/quote HTTP/1.1\nHost: x\n${json}\nPAYMENT-SIGNATURE: ${paid}\nContent-Length: ${quoteInput.length}\n\n`;
  const answers = await send(text + quoteInput, { ending: 'close' });
  expect(answers).toMatchObject([{ status: 402, requestId: true }]);
});

test('error: PAYLOAD_TOO_LARGE: rejects an oversized body before it is sent when the client awaits 100 Continue', async () => {
  const withExpect = (length: number) =>
    `POST /v1/quote HTTP/1.1\nHost: x\nExpect: 100-continue\n${json}\nContent-Length: ${length}\n\n`;
  expect(await send(withExpect(20_000))).toMatchObject([{ status: 413, code: 'PAYLOAD_TOO_LARGE', requestId: true }]);
  expect(await send(`${withExpect(2)}{}`)).toMatchObject([{ status: 402 }]);
});

test('behavior: answers OPTIONS * with the standard error', async () => {
  expect(await send('OPTIONS * HTTP/1.1\nHost: x\n\n', { method: 'OPTIONS' })).toMatchObject([
    { status: 404, requestId: true },
  ]);
});

test('error: a request without a Host header, or with two, is 400', async () => {
  for (const host of ['', 'Host: x\nHost: y\n']) {
    for (const path of ['/v1/quote', '/mcp'])
      expect(await send(`POST ${path} HTTP/1.1\n${host}${json}\nContent-Length: 2\n\n{}`)).toMatchObject([
        { status: 400, code: 'INVALID_REQUEST' },
      ]);
  }
});

test('behavior: answers requests with an invalid Host header', async () => {
  for (const host of ['Host: a b\n', 'Host: [\n']) {
    expect(await send(`POST /v1/quote HTTP/1.1\n${host}${json}\nContent-Length: 2\n\n{}`)).toMatchObject([
      { status: 402 },
    ]);
    const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
    const accept = 'Accept: application/json, text/event-stream';
    const [answer] = await send(
      `POST /mcp HTTP/1.1\n${host}${json}\n${accept}\nContent-Length: ${ping.length}\n\n${ping}`,
    );
    expect(answer?.read).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
  }
});

test('behavior: answers MCP revision 2026-07-28 with an invalid Host header', async () => {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta } });
  const standard = 'MCP-Protocol-Version: 2026-07-28\nMcp-Method: server/discover';
  for (const host of ['Host: a b\n', 'Host: [\n']) {
    const [answer] = await send(
      `POST /mcp HTTP/1.1\n${host}${json}\n${standard}\nContent-Length: ${body.length}\n\n${body}`,
    );
    expect(answer?.read).toMatchObject({ id: 1, result: { supportedVersions: ['2026-07-28'] } });
  }
});

test('behavior: ignores an unknown Expect header', async () => {
  const answers = await send(`POST /v1/quote HTTP/1.1\nHost: x\nExpect: fish\n${json}\nContent-Length: 2\n\n{}`);
  expect(answers).toMatchObject([{ status: 402 }]);
});
