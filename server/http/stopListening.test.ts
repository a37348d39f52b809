import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, test } from 'vitest';
import { stopListening } from './stopListening.ts';

test('stops although a client never completes its request', async () => {
  const server = createServer({ requestTimeout: 100, connectionsCheckingInterval: 50 }, () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const slow = connect((server.address() as AddressInfo).port, '127.0.0.1');
  slow.on('error', () => undefined);
  slow.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{');
  await once(server, 'request');
  const startedAt = performance.now();
  await stopListening(server, 500);
  expect(performance.now() - startedAt).toBeLessThan(30_000);
});

test('resolves for a server that never listened', async () => {
  await stopListening(createServer());
});
