import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { type ClientRequest, createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createHttpPost, ignoreError } from './httpPost.ts';

async function startServer(): Promise<string> {
  const server = createServer((_, response) => response.end('{}')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
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
    const { body } = await post('{}', new AbortController().signal);
    for await (const _ of body ?? []);
  }
  expect(new Set(sockets).size).toBe(1);
  expect(sockets[0]?.listeners('error').filter((listener) => listener === ignoreError)).toHaveLength(1);
});
