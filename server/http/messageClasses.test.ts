import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { expect, onTestFinished, test } from 'vitest';
import { createMessageClasses } from './messageClasses.ts';
import { openServer } from './openServer.ts';

test('Node creates requests and responses with the prototypes of the adopted app', async () => {
  const messages = createMessageClasses();
  const app = express();
  let hasPrototypes = false;
  const server = openServer(
    (req, res) => {
      hasPrototypes = Object.getPrototypeOf(req) === app.request && Object.getPrototypeOf(res) === app.response;
      app(req, res);
    },
    { messages },
  );
  app.get('/ip', (req, res) => void res.json({ ip: req.ip, hasApp: req.app === app && res.app === app }));
  messages.adopt(app);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/ip`);
  expect(await response.json()).toEqual({ ip: '127.0.0.1', hasApp: true });
  expect(hasPrototypes).toBe(true);
});
