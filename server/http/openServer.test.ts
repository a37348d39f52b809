import { type AddressInfo, connect, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { openServer } from './openServer.ts';

test('responds to all pipelined requests of a client that half-closes the connection', async () => {
  const server = openServer((_req, res) => void setTimeout(() => res.end('answer'), 50));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  for (const requests of [1, 3]) {
    const socket = connect(port, '127.0.0.1');
    socket.end('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(requests));
    let received = '';
    for await (const chunk of socket) received += String(chunk);
    expect(received.match(/answer/g)).toHaveLength(requests);
  }
  await new Promise((resolve) => server.close(resolve));
});

test('closes a connection whose client stops reading, and sends the whole response to a slow reader', async () => {
  const answer = Buffer.alloc(20 * 1_048_576, 'x');
  const server = openServer((_req, res) => void res.end(answer), { idleTimeoutMs: 1_500 });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const connections = promisify(server.getConnections.bind(server));
  const sendRequest = (): Socket => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    return socket;
  };

  const paused = sendRequest().pause();
  paused.on('error', () => undefined);
  await expect.poll(connections).toBe(1);
  await expect.poll(connections).toBe(0);
  paused.destroy();

  let bytes = 0;
  for await (const chunk of sendRequest()) {
    bytes += (chunk as Buffer).length;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  expect(bytes).toBeGreaterThan(answer.length);
  await new Promise((resolve) => server.close(resolve));
});

test('closes a connection whose header is not complete before the timeout', async () => {
  const server = openServer((_req, res) => void res.end(), { headersMs: 500 });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  const begun = performance.now();
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n');
  socket.resume();
  await new Promise((resolve) => socket.once('close', resolve));
  // Node's own limit is 60 s.
  expect(performance.now() - begun).toBeLessThan(30_000);
  await new Promise((resolve) => server.close(resolve));
});

test('closes connections beyond the limit', async () => {
  const server = openServer((_req, res) => void res.end('answer'), { connections: 1 });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const first = connect(port, '127.0.0.1');
  await expect.poll(promisify(server.getConnections.bind(server))).toBe(1);
  const second = connect(port, '127.0.0.1');
  second.on('error', () => undefined);
  second.resume();
  await new Promise((resolve) => second.once('close', resolve));
  first.end('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  let received = '';
  for await (const chunk of first) received += String(chunk);
  expect(received).toContain('answer');
  await new Promise((resolve) => server.close(resolve));
});
