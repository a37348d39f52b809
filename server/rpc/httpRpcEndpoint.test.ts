import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { RpcTransportError } from '../../engine/index.ts';
import { createHttpRpcEndpoint } from './httpRpcEndpoint.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** An endpoint of a node with the given listener; the URL contains a secret that must not appear in errors. */
async function endpointTo(
  listener: RequestListener,
  { user = '', ...options }: { user?: string; maxBytes?: number; timeoutMs?: number } = {},
) {
  const listening = createServer(listener);
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const { port } = listening.address() as AddressInfo;
  return createHttpRpcEndpoint({
    url: `http://${user}127.0.0.1:${port}/v2/secret-key`,
    label: 'base-1',
    timeoutMs: 10_000,
    ...options,
  });
}

const responding =
  (text: string, status = 200): RequestListener =>
  (_req, res) =>
    void res.writeHead(status, { 'content-type': 'application/json' }).end(text);

const forever = () => ({ signal: new AbortController().signal });
const call = { method: 'eth_blockNumber', params: [] };

test('sends a list of calls as one HTTP request and returns replies in the order of the calls', async () => {
  const bodies: string[] = [];
  const endpoint = await endpointTo(async (req, res) => {
    let text = '';
    for await (const chunk of req) text += chunk;
    bodies.push(text);
    res.end(
      '[{"jsonrpc":"2.0","id":1,"error":{"code":3,"message":"execution reverted","data":"0xab"}},{"jsonrpc":"2.0","id":0,"result":null}]',
    );
  });
  expect(await endpoint.send([call, { method: 'eth_call', params: [{}] }], forever())).toEqual([
    { result: null },
    { error: { code: 3, message: 'execution reverted', data: '0xab' } },
  ]);
  expect(bodies).toHaveLength(1);
  expect(JSON.parse(bodies[0] ?? '')).toEqual([
    { jsonrpc: '2.0', id: 0, method: 'eth_blockNumber', params: [] },
    { jsonrpc: '2.0', id: 1, method: 'eth_call', params: [{}] },
  ]);
});

test('returns the JSON-RPC errors that a node sends with HTTP 400', async () => {
  const endpoint = await endpointTo(
    responding('{"jsonrpc":"2.0","id":0,"error":{"code":-32000,"message":"gas limit is too high: 10000000"}}', 400),
  );
  expect(await endpoint.send([call], forever())).toEqual([
    { error: { code: -32000, message: 'gas limit is too high: 10000000' } },
  ]);
});

test.each([
  ['no JSON', 'Bad Request'],
  ['one error for a batch of two', '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no batches"}}'],
])('throws for HTTP 400 with %s', async (_, text) => {
  const endpoint = await endpointTo(responding(text, 400));
  await expect(endpoint.send([call, call], forever())).rejects.toThrow('base-1 returned HTTP 400.');
});

const packed =
  (bytes: Buffer): RequestListener =>
  (_req, res) =>
    void res.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(bytes);

test('decompresses a gzip response', async () => {
  const endpoint = await endpointTo(packed(gzipSync('{"jsonrpc":"2.0","id":0,"result":"0x1"}')));
  expect(await endpoint.send([call], forever())).toEqual([{ result: '0x1' }]);
});

test('reuses connections and reconnects after the server closes one', async () => {
  const ports = new Set<number | undefined>();
  const endpoint = await endpointTo((req, res) => {
    ports.add(req.socket.remotePort);
    responding('{"jsonrpc":"2.0","id":0,"result":"0x1"}')(req, res);
  });
  for (let turn = 0; turn < 3; turn += 1) await endpoint.send([call], forever());
  expect(ports.size).toBe(1);
  server?.closeIdleConnections();
  await expect.poll(() => endpoint.send([call], forever())).toEqual([{ result: '0x1' }]);
});

test('sends the credentials of the URL as Basic authorization', async () => {
  let seen: string | undefined;
  const endpoint = await endpointTo(
    (req, res) => {
      seen = req.headers.authorization;
      res.end('{"jsonrpc":"2.0","id":0,"result":"0x1"}');
    },
    { user: 'me:p%40ss@' },
  );
  expect(await endpoint.send([call], forever())).toEqual([{ result: '0x1' }]);
  expect(seen).toBe(`Basic ${Buffer.from('me:p@ss').toString('base64')}`);
});

test('sends a single call without a batch', async () => {
  let body = '';
  const endpoint = await endpointTo(async (req, res) => {
    for await (const chunk of req) body += chunk;
    res.end('{"jsonrpc":"2.0","id":0,"result":"0x1","error":null}');
  });
  expect(await endpoint.send([call], forever())).toEqual([{ result: '0x1' }]);
  expect(JSON.parse(body)).toEqual({ jsonrpc: '2.0', id: 0, ...call });
});

test('returns a JSON-RPC error without data as a reply', async () => {
  const endpoint = await endpointTo(
    responding('{"jsonrpc":"2.0","id":0,"error":{"code":-32602,"message":"too many arguments, want at most 2"}}'),
  );
  expect(await endpoint.send([call], forever())).toEqual([
    { error: { code: -32602, message: 'too many arguments, want at most 2' } },
  ]);
});

const inAnHour = () => new Date(Date.now() + 3_600_000).toUTCString();

test.each<[string, number, string | undefined, number | undefined]>([
  ['seconds', 429, '7', 7_000],
  ['two digits', 503, '17', 17_000],
  ['a date', 429, inAnHour(), 3_600_000],
  // As some servers write it: digits at the start and the end.
  [
    'a date in another format',
    503,
    inAnHour()
      .replace(/^\w+, /, '')
      .replace('GMT', '+0000'),
    3_600_000,
  ],
  ['a date in the past', 429, 'Wed, 21 Oct 2015 07:28:00 GMT', undefined],
  ['zero', 429, '0', undefined],
  ['no time', 429, 'soon', undefined],
  ['no header', 503, undefined, undefined],
])('a node that limits requests has not answered; its delay is read from %s', async (_case, status, value, delayMs) => {
  const headers = value === undefined ? {} : { 'retry-after': value };
  const endpoint = await endpointTo((_req, res) => void res.writeHead(status, headers).end());
  const error = await endpoint.send([call], forever()).catch((reason: unknown) => reason as RpcTransportError);
  expect(error).toMatchObject({ message: `base-1 returned HTTP ${status}.`, answered: false });
  const { retryAfterMs } = error as RpcTransportError;
  if (delayMs === undefined) expect(retryAfterMs).toBeUndefined();
  // A date has whole seconds, and the request takes time.
  else expect(Math.abs((retryAfterMs ?? 0) - delayMs)).toBeLessThan(value?.length === 1 ? 1 : 5_000);
});

test.each([300, 404, 500, 502])('a node that returned HTTP %i has answered, without a delay', async (status) => {
  const endpoint = await endpointTo((_req, res) => void res.writeHead(status, { 'retry-after': '7' }).end());
  const error = await endpoint.send([call], forever()).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ answered: true, retryAfterMs: undefined, tooLarge: false });
});

test('accepts each status from 200 to 299', async () => {
  const endpoint = await endpointTo(responding('{"jsonrpc":"2.0","id":0,"result":"0x1"}', 299));
  expect(await endpoint.send([call], forever())).toEqual([{ result: '0x1' }]);
});

test('sends no request for an empty list', async () => {
  const endpoint = createHttpRpcEndpoint({ url: 'http://127.0.0.1:9/', label: 'base-1', timeoutMs: 10_000 });
  expect(await endpoint.send([], forever())).toEqual([]);
});

test.each<[string, RequestListener, object]>([
  ['HTML', responding('<html>'), { answered: true, cause: expect.any(SyntaxError) }],
  ['another object', responding('{"hello":1}'), { answered: true }],
  ['too many bytes', responding(JSON.stringify({ id: 0, result: 'x'.repeat(2_000) })), { tooLarge: true }],
  [
    'an encoding that was not requested',
    (_req, res) => void res.writeHead(200, { 'content-encoding': 'br' }).end('{}'),
    { answered: true, message: 'base-1 returned an unsupported content-encoding.' },
  ],
  ['a closed connection', (req) => void req.socket.destroy(), { answered: false, cause: expect.any(Error) }],
])('the error for %s contains its kind', async (_case, listener, expected) => {
  const endpoint = await endpointTo(listener, { maxBytes: 1_000 });
  const error = await endpoint.send([call], forever()).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ answered: false, tooLarge: false, ...expected });
});

test.each([
  ['an HTTP error', responding('{}', 429)],
  [
    'a redirect',
    ((_req, res) => void res.writeHead(307, { location: 'http://127.0.0.1:9/' }).end()) satisfies RequestListener,
  ],
  ['HTML', responding('<html>')],
  ['JSON that is not JSON-RPC', responding('{"hello":1}')],
  ['neither result nor error', responding('{"jsonrpc":"2.0","id":0}')],
  ['a reply to another call', responding('{"jsonrpc":"2.0","id":7,"result":"0x1"}')],
  [
    'an error for the whole batch',
    responding('{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no batches"}}'),
  ],
  [
    'a small gzip body that expands beyond the limit',
    packed(gzipSync(JSON.stringify({ id: 0, result: 'x'.repeat(1_000_000) }))),
  ],
  ['a body that is not gzip as declared', packed(Buffer.from('{"jsonrpc":"2.0","id":0,"result":"0x1"}'))],
  [
    'an encoding that was not requested',
    ((_req, res) => void res.writeHead(200, { 'content-encoding': 'br' }).end('{}')) satisfies RequestListener,
  ],
  ['too many bytes', responding(JSON.stringify({ id: 0, result: 'x'.repeat(2000) }))],
  [
    'a body that breaks off',
    ((_req, res) => {
      res.writeHead(200, { 'content-length': '100' });
      res.write('{"id":0');
      res.destroy();
    }) satisfies RequestListener,
  ],
  ['a closed connection', ((req) => void req.socket.destroy()) satisfies RequestListener],
])('throws RpcTransportError without the URL for %s', async (_case, listener) => {
  const endpoint = await endpointTo(listener, { maxBytes: 1000 });
  const error = await endpoint.send([call], forever()).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(RpcTransportError);
  expect(String(error)).not.toMatch(/secret-key|127\.0\.0\.1/);
  expect(String(error)).toContain('base-1');
});

test('throws RpcTransportError on timeout and when the caller aborts', async () => {
  const silent: RequestListener = () => {};
  const endpoint = await endpointTo(silent, { timeoutMs: 20 });
  await expect(endpoint.send([call], forever())).rejects.toBeInstanceOf(RpcTransportError);
  await expect(endpoint.send([call], { signal: AbortSignal.abort() })).rejects.toBeInstanceOf(RpcTransportError);
});
