import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { payment, quoteInput, serveFakes } from '../surfaces/serveFakes.ts';
import { chromiumPath, openSiteBrowser } from './siteBrowser.ts';

test.skipIf(!chromiumPath)('a page of another origin sends a payment and reads every header', async () => {
  const site = createServer((_req, res) => res.setHeader('content-type', 'text/html').end('<title>Another</title>'));
  await once(site.listen(0, '127.0.0.1'), 'listening');
  const served = await serveFakes();
  const { browser, close } = await openSiteBrowser();
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}`);

  const send = (headers: Record<string, string>) =>
    page.evaluate(
      async ({ url, headers, body }) => {
        const response = await fetch(url, { method: 'POST', headers, body });
        return { status: response.status, names: [...response.headers.keys()] };
      },
      {
        url: `${served.url}/v1/quote`,
        // The published client sends this response header with a payment.
        headers: {
          'content-type': 'application/json',
          'access-control-expose-headers': 'PAYMENT-RESPONSE',
          ...headers,
        },
        body: JSON.stringify(quoteInput),
      },
    );
  const unpaid = await send({});
  expect(unpaid.status).toBe(402);
  expect(unpaid.names).toEqual(
    expect.arrayContaining(['payment-required', 'link', 'ratelimit', 'ratelimit-policy', 'x-request-id']),
  );
  const signed = payment();
  expect(await send(signed)).toMatchObject({ status: 200, names: expect.arrayContaining(['payment-response']) });
  expect((await send(signed)).names).toContain('idempotent-replayed');

  await close();
  await served.close();
  site.close();
});
