import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import pino from 'pino';
import { expect, test } from 'vitest';
import { answerBrokenRequests } from './answerBrokenRequests.ts';

test.each(['', 'Expect: the-unexpected\r\n'])('behavior: an answer that is owed goes first: %j', async (header) => {
  const slow: RequestListener = (_req, res) => void setTimeout(() => res.end('owed'), 200);
  const server = createServer(slow);
  server.on('checkExpectation', slow);
  answerBrokenRequests(server, { logger: pino({ level: 'silent' }), docsUrl: 'http://x/docs/' });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\n${header}Content-Length: 2\r\n\r\n{}garbage\r\n\r\n`);
  let told = '';
  for await (const chunk of socket) told += String(chunk);
  expect(told.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
  await new Promise((resolve) => server.close(resolve));
});
