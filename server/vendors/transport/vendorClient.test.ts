import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { VendorUnavailableError } from '../ports.ts';
import { createVendorClient, type VendorClientOptions, type VendorFaultNotice } from './vendorClient.ts';

// A real socket, because a mocked fetch has no back-pressure, compression or broken connections.
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

test('sends path, query and key, and returns the validated response', async () => {
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

test('maps a 404 with JSON to null in fetchKnown and to refused in fetchJson', async () => {
  handle = (_, response) => response.writeHead(404, jsonType).end('{"message":"Not found"}');
  expect(await connect().fetchKnown({ path: '/a', schema }, { signal: never })).toBeNull();
  expect(await faultOf(connect().fetchJson({ path: '/a', schema }, { signal: never }))).toBe('refused');
});

test('stops the download of a 50 MB body near the limit', async () => {
  let sent = 0;
  const closed = new Promise<void>((resolve) => {
    handle = (_, response) => {
      response.writeHead(200, jsonType);
      const chunk = Buffer.alloc(65_536, 32);
      const push = () => {
        while (sent < 50 * 1_048_576) {
          sent += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', push);
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

test('rejects a small gzip body that expands to 50 MB', async () => {
  const bomb = gzipSync(Buffer.alloc(50 * 1_048_576, 32));
  expect(bomb.length).toBeLessThan(100_000);
  handle = (_, response) => response.writeHead(200, { ...jsonType, 'content-encoding': 'gzip' }).end(bomb);
  expect(await faultOf(connect().fetchJson({ path: '/', schema }, { signal: never }))).toBe('too-large');
});

test('times out when a body arrives too slowly', async () => {
  handle = (_, response) => {
    response.writeHead(200, jsonType);
    const timer = setInterval(() => response.write(' '), 10);
    response.on('close', () => clearInterval(timer));
  };
  expect(await faultOf(connect({ timeoutMs: 120 }).fetchJson({ path: '/', schema }, { signal: never }))).toBe(
    'timeout',
  );
});

test('reports a connection that closes mid-body as unreachable', async () => {
  handle = (_, response) => {
    response.writeHead(200, { ...jsonType, 'content-length': '1000' });
    response.write('{"ok":', () => response.destroy());
  };
  expect(await faultOf(connect().fetchJson({ path: '/', schema }, { signal: never }))).toBe('unreachable');
  expect(notices.at(-1)).toMatchObject({ vendor: 'vendor', fault: 'unreachable' });
});

test('reports a refused connection as unreachable, without the address', async () => {
  const client = connect({ baseUrl: 'http://127.0.0.1:1' });
  expect(await faultOf(client.fetchJson({ path: '/', schema }, { signal: never }))).toBe('unreachable');
  expect(JSON.stringify(notices.at(-1))).not.toContain('127.0.0.1');
});

test('sends no more requests than requestsPerMinute allows', async () => {
  let requests = 0;
  handle = (_, response) => {
    requests += 1;
    response.writeHead(200, jsonType).end('{"ok":true}');
  };
  let clock = 1_000_000;
  const client = connect({ requestsPerMinute: 2, now: () => clock });
  const request = () => client.fetchJson({ path: '/', schema }, { signal: never });
  await request();
  await request();
  expect(await faultOf(request())).toBe('rate-limited');
  expect(requests).toBe(2);
  clock += 30_000;
  await request();
  expect(requests).toBe(3);
});
