import type { AddressInfo } from 'node:net';
import express from 'express';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { accessLog } from './accessLog.ts';

test('logs one of a hundred unpaid 402 responses and every request with a payment', async () => {
  const lines: { status: number; oneOf?: number }[] = [];
  const logger = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const app = express()
    .use((_req, res, next) => {
      Object.assign(res.locals, { requestId: 'id' });
      next();
    })
    .use(accessLog(logger))
    .use((_req, res) => void res.status(402).end());
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (let n = 0; n < 200; n += 1) await (await fetch(url)).text();
  await (await fetch(url, { headers: { 'payment-signature': 'x' } })).text();
  await expect
    .poll(() => lines.map(({ status, oneOf }) => [status, oneOf]))
    .toEqual([
      [402, 100],
      [402, 100],
      [402, undefined],
    ]);
  server.close();
});
