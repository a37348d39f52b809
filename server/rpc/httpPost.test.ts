import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { type ClientRequest, createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { createHttpPost, idleMs, ignoreError } from './httpPost.ts';
import { pauseMs } from './keepConnections.ts';

/** Starts a server. @returns its address */
async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const startServer = async (listener: RequestListener = (_, response) => void response.end('{}')): Promise<string> =>
  `http://${await listen(createServer(listener))}`;

const forever = () => new AbortController().signal;

async function textOf(body: AsyncIterable<Buffer> | undefined): Promise<string> {
  let text = '';
  for await (const chunk of body ?? []) text += chunk;
  return text;
}

// The uncaught error depends on timing, so the test counts the listeners of `ignoreLateErrors` instead.
test('a reused connection has one error listener, also after its requests ended', async () => {
  const url = await startServer();
  const sockets: Socket[] = [];
  const keepSocket = (message: unknown) => {
    const { socket } = (message as { request: ClientRequest }).request;
    if (socket) sockets.push(socket);
  };
  subscribe('http.client.request.start', keepSocket);
  onTestFinished(() => void unsubscribe('http.client.request.start', keepSocket));
  const post = createHttpPost(url);
  for (let request = 0; request < 3; request++) {
    const { body } = await post('{}', forever());
    for await (const _ of body ?? []);
  }
  expect(new Set(sockets).size).toBe(1);
  expect(sockets[0]?.listeners('error').filter((listener) => listener === ignoreError)).toHaveLength(1);
});

test('posts JSON and accepts gzip, without credentials', async () => {
  let seen: unknown;
  const url = await startServer(async (request, response) => {
    const { method, url: path, headers } = request;
    seen = { method, path, headers, body: await textOf(request) };
    response.end('{}');
  });
  const { status, retryAfter, body } = await createHttpPost(`${url}/v2/key?a=b`)('{"é":1}', forever());
  expect([status, retryAfter, await textOf(body)]).toEqual([200, undefined, '{}']);
  expect(seen).toMatchObject({
    method: 'POST',
    path: '/v2/key?a=b',
    headers: { 'content-type': 'application/json', 'accept-encoding': 'gzip', 'content-length': '8' },
    body: '{"é":1}',
  });
  expect(seen).not.toHaveProperty('headers.authorization');
});

test.each([
  ['a user and a password', 'me:p%40ss', 'me:p@ss'],
  ['a user', 'me', 'me:'],
  ['a password', ':pass', ':pass'],
  ['an invalid percent-encoding', 'me:100%', 'me:100%'],
])('sends credentials with %s as Basic authorization', async (_, credentials, expected) => {
  let seen: string | undefined;
  const url = await startServer(({ headers }, response) => {
    seen = headers.authorization;
    response.end('{}');
  });
  const { body } = await createHttpPost(url.replace('//', `//${credentials}@`))('{}', forever());
  await textOf(body);
  expect(seen).toBe(`Basic ${Buffer.from(expected).toString('base64')}`);
});

test('sends a request to an https URL over TLS', async () => {
  const received: number[] = [];
  const server = createTcpServer((socket) => {
    socket.once('data', ([first = 0]) => {
      received.push(first);
      socket.destroy();
    });
  });
  await expect(createHttpPost(`https://${await listen(server)}`)('{}', forever())).rejects.toThrow(
    /TLS|hang up|reset/i,
  );
  // The type of a TLS handshake record.
  expect(received).toEqual([22]);
});

/** A server that sends a part of a response and waits. `closed` resolves when the client closes the connection. */
async function startUnfinished(headers: Record<string, string>, part: Uint8Array, status = 200) {
  let close = () => {};
  const closed = new Promise<void>((resolve) => {
    close = resolve;
  });
  const url = await startServer((_, response) => {
    response.on('close', close);
    response.writeHead(status, headers).write(part);
  });
  return { url, closed };
}

test('closes the connection of a response that is not read', async () => {
  const { url, closed } = await startUnfinished({ 'content-length': '100' }, Buffer.from('{'), 500);
  const { drop } = await createHttpPost(url)('{}', forever());
  drop();
  await closed;
});

test('closes the connection when the reader of a compressed body stops', async () => {
  const packed = gzipSync(Buffer.alloc(1_000_000));
  const { url, closed } = await startUnfinished(
    { 'content-encoding': 'gzip', 'content-length': `${packed.length}` },
    packed.subarray(0, -8),
  );
  const { body } = await createHttpPost(url)('{}', forever());
  for await (const _ of body ?? []) break;
  await closed;
});

test('rejects the reader when the connection of a compressed body breaks', async () => {
  const packed = gzipSync('{}');
  const url = await startServer((_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': `${packed.length}` });
    response.write(packed.subarray(0, 5), () => response.destroy());
  });
  const { body } = await createHttpPost(url)('{}', forever());
  await expect(textOf(body)).rejects.toMatchObject({ code: 'ECONNRESET' });
});

test('does not decode an encoding that was not requested', async () => {
  const url = await startServer((_, response) => void response.writeHead(200, { 'content-encoding': 'br' }).end('{}'));
  const { body, drop } = await createHttpPost(url)('{}', forever());
  expect(body).toBeUndefined();
  drop();
});

test('a request on a connection that the server closed while it was idle is sent again, on a new one', async () => {
  const sockets: Socket[] = [];
  const bodies: string[] = [];
  const server = createTcpServer((socket) => {
    const position = sockets.push(socket);
    socket.on('data', (chunk) => {
      const isSecond = position === 1 && bodies.length > 0;
      bodies.push(chunk.toString().split('\r\n\r\n')[1] ?? '');
      if (isSecond) socket.resetAndDestroy();
      else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
    });
  });
  const post = createHttpPost(`http://${await listen(server)}`);
  for (const sent of ['{"id":1}', '{"id":2}']) {
    const { status, body } = await post(sent, forever());
    expect([status, await textOf(body)]).toEqual([200, '{}']);
  }
  expect(bodies).toEqual(['{"id":1}', '{"id":2}', '{"id":2}']);
  for (const socket of sockets) socket.destroy();
});

test('a request that breaks a new connection is not sent again', async () => {
  let requests = 0;
  const server = createTcpServer((socket) => {
    socket.once('data', () => {
      requests += 1;
      socket.resetAndDestroy();
    });
  });
  await expect(createHttpPost(`http://${await listen(server)}`)('{}', forever())).rejects.toMatchObject({
    code: 'ECONNRESET',
  });
  expect(requests).toBe(1);
});

test('idle connections stay open for longer than the pauses between requests that keep them', () => {
  expect(idleMs).toBeGreaterThan(pauseMs);
  expect(idleMs).toBeLessThan(60_000);
});
