import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import pino from 'pino';
import { expect, test } from 'vitest';
import { answerBrokenRequests } from './answerBrokenRequests.ts';

test.each(['', 'Expect: the-unexpected\r\n'])(
  'sends the pending response before the 400: header %j',
  async (header) => {
    const slow: RequestListener = (_req, res) => void setTimeout(() => res.end('owed'), 200);
    const server = createServer(slow);
    server.on('checkExpectation', slow);
    answerBrokenRequests(server, { logger: pino({ level: 'silent' }), baseUrl: 'http://x' });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\n${header}Content-Length: 2\r\n\r\n{}garbage\r\n\r\n`);
    let received = '';
    for await (const chunk of socket) received += String(chunk);
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
    await new Promise((resolve) => server.close(resolve));
  },
);

test.each([
  ['not http', 'hello\r\n\r\n'],
  ['too large', `GET / HTTP/1.1\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`],
  ['too slow', 'GET / HTTP/1.1\r\nHost:'],
  ['connect', 'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n'],
])('responds to, logs and counts a malformed request: %s', async (reason, text) => {
  const limits = { headersTimeout: 200, requestTimeout: 200, connectionsCheckingInterval: 50 };
  const server = createServer(limits, (_req, res) => void res.end());
  const lines: string[] = [];
  const counted: string[] = [];
  answerBrokenRequests(server, {
    logger: pino({}, { write: (line: string) => void lines.push(line) }),
    baseUrl: 'http://x',
    onBroken: (counter) => counted.push(counter),
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(text);
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  const { requestId } = JSON.parse(answer.split('\r\n\r\n')[1] ?? '') as { requestId: string };
  expect(counted).toEqual([reason]);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ requestId, msg: 'broken request' }]);
  await new Promise((resolve) => server.close(resolve));
});

test('closes a CONNECT socket whose client does not read the earlier responses', async () => {
  const server = createServer((_req, res) => void res.end(Buffer.alloc(20 * 1_048_576, 'x')));
  answerBrokenRequests(server, { logger: pino({ level: 'silent' }), baseUrl: 'http://x', idleTimeoutMs: 200 });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  socket.on('error', () => undefined);
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\nCONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n');
  await new Promise((resolve) => server.once('connect', resolve));
  // Resolves when the last connection is gone.
  await new Promise((resolve) => server.close(resolve));
  socket.destroy();
});
