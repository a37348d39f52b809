import { expect, test } from 'vitest';
import { createApp } from '../../server/app.ts';
import { question, serveFakes } from './serveFakes.ts';

test('behavior: probes and payments never ask for Express; the first page does, once for all who come meanwhile', async () => {
  let loads = 0;
  const served = await serveFakes({
    loadApp: async (deps, sale) => {
      loads += 1;
      return createApp(deps, sale);
    },
  });
  for (const path of ['/health', '/ready']) expect((await fetch(served.url + path)).status).toBe(200);
  expect((await served.post('/v1/quote', question)).status).toBe(402);
  const signature = Buffer.from('{"n":"1"}').toString('base64');
  expect((await served.post('/v1/quote', question, { 'PAYMENT-SIGNATURE': signature })).status).toBe(200);
  expect(loads).toBe(0);
  const pages = await Promise.all(['/', '/openapi.json', '/llms.txt'].map((path) => fetch(served.url + path)));
  expect(pages.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(loads).toBe(1);
  await served.close();
});

test('error: Express that cannot be loaded is a 500 in our words, and the next request tries again', async () => {
  let isThere = false;
  const served = await serveFakes({
    loadApp: async (deps, sale) => {
      if (!isThere) throw new Error('ENOENT: /opt/truefill/app.mjs');
      return createApp(deps, sale);
    },
  });
  const refused = await fetch(`${served.url}/openapi.json`);
  const { code } = (await refused.json()) as { code: string };
  expect([refused.status, code]).toEqual([500, 'INTERNAL']);
  expect(refused.headers.get('x-request-id')).toBeTruthy();
  expect(served.logs.some((line) => line.includes('ENOENT'))).toBe(true);
  isThere = true;
  expect((await fetch(`${served.url}/openapi.json`)).status).toBe(200);
  await served.close();
});
