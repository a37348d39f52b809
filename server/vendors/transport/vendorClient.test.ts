import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { VendorUnavailableError } from '../ports.ts';
import { createVendorClient, type VendorClientOptions, type VendorFaultNotice } from './vendorClient.ts';

// A real socket: what a mocked fetch cannot show is back-pressure, compression and a cut connection.
let handle: (request: IncomingMessage, response: ServerResponse) => void = () => undefined;
const server = createServer((request, response) => handle(request, response));
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const schema = z.object({ ok: z.literal(true) });
const never = new AbortController().signal;
const notices: VendorFaultNotice[] = [];

function connect(options: Partial<VendorClientOptions> = {}) {
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v9`;
  return createVendorClient({
    label: 'vendor',
    baseUrl,
    secrets: { apikey: 'se&cret' },
    timeoutMs: 2_000,
    maxBytes: 1_000_000,
    requestsPerMinute: 1_000,
    now: Date.now,
    onFault: (notice) => notices.push(notice),
    ...options,
  });
}

async function faultOf(work: Promise<unknown>) {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(VendorUnavailableError);
  return (error as VendorUnavailableError).fault;
}

const jsonType = { 'content-type': 'application/json; charset=utf-8' };

test('default: path, query and key arrive as they were meant, and the answer comes back checked', async () => {
  let seen = '';
  handle = (request, response) => {
    seen = request.url ?? '';
    response.writeHead(200, jsonType).end('{"ok":true,"more":1}');
  };
  expect(await connect().fetchJson({ path: '/a', query: { q: 'x y' }, schema }, { signal: never })).toEqual({
    ok: true,
  });
  expect(seen).toBe('/v9/a?q=x+y&apikey=se%26cret');
});

test('behavior: a 404 in JSON is null for who asked whether it is known, and a refusal for who did not', async () => {
  handle = (_, response) => response.writeHead(404, jsonType).end('{"message":"Not found"}');
  expect(await connect().fetchKnown({ path: '/a', schema }, { signal: never })).toBeNull();
  expect(await faultOf(connect().fetchJson({ path: '/a', schema }, { signal: never }))).toBe('refused');
});

test('error: VendorUnavailableError: of 50 MB only the limit and what was on its way is sent', async () => {
  let sent = 0;
  const closed = new Promise<void>((resolve) => {
    handle = (_, response) => {
      response.writeHead(200, jsonType);
      const piece = Buffer.alloc(65_536, 32);
      const push = () => {
        while (sent < 50 * 1_048_576) {
          sent += piece.length;
          if (!response.write(piece)) return void response.once('drain', push);
        }
        response.end();
      };
      response.on('close', resolve);
      push();
    };
  });
  expect(await faultOf(connect().fetchJson({ path: '/', schema }, { signal: never }))).toBe('too-large');
  await closed;
  expect(sent).toBeLessThan(20 * 1_048_576);
});

test('error: VendorUnavailableError: a small compressed body that unfolds to 50 MB is too large', async () => {
  const bomb = gzipSync(Buffer.alloc(50 * 1_048_576, 32));
  expect(bomb.length).toBeLessThan(100_000);
  handle = (_, response) => response.writeHead(200, { ...jsonType, 'content-encoding': 'gzip' }).end(bomb);
  expect(await faultOf(connect().fetchJson({ path: '/', schema }, { signal: never }))).toBe('too-large');
});

test('error: VendorUnavailableError: a body that only trickles ends with the time limit', async () => {
  handle = (_, response) => {
    response.writeHead(200, jsonType);
    const timer = setInterval(() => response.write(' '), 10);
    response.on('close', () => clearInterval(timer));
  };
  expect(await faultOf(connect({ timeoutMs: 120 }).fetchJson({ path: '/', schema }, { signal: never }))).toBe(
    'timeout',
  );
});

test('error: VendorUnavailableError: a connection cut in the middle is unreachable, and the notice says how', async () => {
  handle = (_, response) => {
    response.writeHead(200, { ...jsonType, 'content-length': '1000' });
    response.write('{"ok":', () => response.destroy());
  };
  expect(await faultOf(connect().fetchJson({ path: '/', schema }, { signal: never }))).toBe('unreachable');
  expect(notices.at(-1)).toMatchObject({ vendor: 'vendor', fault: 'unreachable' });
});

test('error: VendorUnavailableError: nobody listens', async () => {
  const client = connect({ baseUrl: 'http://127.0.0.1:1' });
  expect(await faultOf(client.fetchJson({ path: '/', schema }, { signal: never }))).toBe('unreachable');
  expect(JSON.stringify(notices.at(-1))).not.toContain('127.0.0.1');
});

test('behavior: beyond our own pace nothing is sent, and time gives it back', async () => {
  let requests = 0;
  handle = (_, response) => {
    requests += 1;
    response.writeHead(200, jsonType).end('{"ok":true}');
  };
  let clock = 1_000_000;
  const client = connect({ requestsPerMinute: 2, now: () => clock });
  const ask = () => client.fetchJson({ path: '/', schema }, { signal: never });
  await ask();
  await ask();
  expect(await faultOf(ask())).toBe('rate-limited');
  expect(requests).toBe(2);
  clock += 30_000;
  await ask();
  expect(requests).toBe(3);
});
