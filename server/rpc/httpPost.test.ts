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

// Whether Node has a listener of its own left when a late write fails depends on timing: see `ignoreLateErrors`.
test('a connection listens to errors once for all of its requests, also after they ended', async () => {
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
