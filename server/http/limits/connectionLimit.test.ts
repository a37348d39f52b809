import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { openServer } from '../openServer.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function listen(options: Parameters<typeof openServer>[1]): Promise<{ server: Server; port: number }> {
  const server = openServer((_req, res) => void res.end('answer'), options);
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, port: (server.address() as AddressInfo).port };
}

/** Opens a connection from an address of the loopback network, and sends one byte. */
function open(port: number, from: string): Socket {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from });
  socket.on('error', () => undefined);
  socket.once('connect', () => socket.write('G'));
  socket.resume();
  closing.push(() => socket.destroy());
  return socket;
}

/** Sends a request on a new connection; undefined if the server closes it. */
async function get(port: number, from: string): Promise<string | undefined> {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from });
  socket.on('error', () => undefined);
  socket.end('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  let received = '';
  try {
    for await (const chunk of socket) received += String(chunk);
  } catch {
    // The server closed the connection.
  }
  return received.includes('answer') ? received : undefined;
}

test('security: 4,200 connections that send one byte from one address leave the server to other addresses', async () => {
  let closed = 0;
  const { port } = await listen({
    headersMs: 600_000,
    limit: { perAddress: 256, exempt: [] },
    onConnectionClosed: () => {
      closed += 1;
    },
  });
  let ended = 0;
  for (let opened = 0; opened < 4_200; opened += 1) {
    open(port, '127.0.0.2').once('close', () => {
      ended += 1;
    });
    // The backlog of the listening socket has a limit.
    if (opened % 100 === 99) await expect.poll(() => ended, { timeout: 20_000 }).toBeGreaterThanOrEqual(opened - 300);
  }
  await expect.poll(() => closed, { timeout: 20_000 }).toBe(4_200 - 256);
  for (let request = 0; request < 71; request += 1) expect(await get(port, '127.0.0.1')).toBeDefined();
  expect(await get(port, '127.0.0.2')).toBeUndefined();
}, 120_000);

test('behavior: a closed connection frees its place', async () => {
  const { port } = await listen({ limit: { perAddress: 1, exempt: [] } });
  for (let request = 0; request < 5; request += 1) {
    await expect.poll(() => get(port, '127.0.0.2')).toBeDefined();
  }
});

test.each([['127.0.0.2'], ['127.0.0.0/30'], ['10.0.0.0/8, 127.0.0.2'.split(', ').join(',')]])(
  'behavior: does not limit the exempt addresses %s',
  async (exempt) => {
    const { port } = await listen({ limit: { perAddress: 1, exempt: exempt.split(',') } });
    for (let opened = 0; opened < 20; opened += 1) open(port, '127.0.0.2');
    expect(await get(port, '127.0.0.2')).toBeDefined();
    open(port, '127.0.0.9');
    await expect.poll(() => get(port, '127.0.0.9')).toBeUndefined();
  },
);
