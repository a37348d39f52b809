import { execFileSync } from 'node:child_process';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { createTRPCClient } from '@trpc/client';
import { decodePaymentResponseHeader } from '@x402/core/http';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createTruefillClient } from '../../client/index.ts';
import { type AppRouter, paymentLink } from '../../client/trpc/index.ts';
import { nginxLimits, nginxServer } from '../../docs-site/behindProxy.ts';
import { catalogue, type SandboxBody } from '../../router/index.ts';
import { readConfig } from '../../server/config/index.ts';
import { routes } from '../../server/http/routes.ts';
import { type RunningServer, startServer } from '../../server/startServer.ts';
import { findWallet } from '../support/findWallet.ts';
import { findProgram } from './findProgram.ts';
import { openHttp2 } from './http2Fetch.ts';
import { accounts, findFreePort, type Nginx, startNginx } from './startNginx.ts';

// nginx with its default settings in front of the whole service, and unchanged clients that buy through it. Its buffer
// for a response's head has 4,096 bytes.

const nginxProgram = findProgram('nginx', 'apt-get install nginx');
const openssl = findProgram('openssl', 'apt-get install openssl');

/** Where clients send their requests, and how. */
interface Front {
  url: string;
  fetch: typeof fetch;
}

let server: RunningServer;
let sandbox: SandboxBody;
let nginx: Nginx;
const closers: (() => unknown)[] = [];
beforeAll(async () => {
  if (!nginxProgram) return;
  // The public URL is as long as the header limits allow, not the address of this nginx: clients use only the header's terms.
  const publicUrl = `https://${'quotes.'.repeat(7)}example`;
  const env = { PORT: '0', LOG_LEVEL: 'silent', RATE_LIMIT_PER_ADDRESS: '10000', TRUSTED_PROXIES: '1' };
  server = await startServer(readConfig({ ...env, PUBLIC_URL: publicUrl }));
  sandbox = (await (await fetch(`${server.url}/sandbox`)).json()) as SandboxBody;
});
afterAll(() => server?.close());
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** nginx with `listen` and `proxy_pass` only. */
async function openPlain(program: string, account: (typeof accounts)[number]): Promise<Front> {
  const port = await findFreePort();
  const servers = `server { listen 127.0.0.1:${port}; location / { proxy_pass ${server.url}; } }`;
  nginx = await startNginx(program, { servers, account });
  closers.push(() => nginx.close());
  return { url: `http://127.0.0.1:${port}`, fetch };
}

/** The example of the guide, over HTTP/2. */
async function openDocumented(program: string, account: (typeof accounts)[number]): Promise<Front> {
  const port = await findFreePort();
  const pem = execFileSync(
    openssl ?? '',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', '-', '-subj', '/CN=localhost'].concat([
      '-addext',
      'subjectAltName=DNS:localhost',
      '-days',
      '2',
    ]),
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const servers = nginxServer({
    name: 'localhost',
    listen: `127.0.0.1:${port}`,
    certificate: '{folder}/certificate.pem',
    certificateKey: '{folder}/certificate.pem',
    service: server.url,
  });
  nginx = await startNginx(program, { servers, account, files: { 'certificate.pem': pem } });
  closers.push(() => nginx.close());
  const url = `https://localhost:${port}`;
  const http2 = openHttp2(url, pem);
  closers.push(http2.close);
  return { url, fetch: http2.fetch };
}

const wallet = (role: string) => privateKeyToAccount(findWallet(sandbox.wallets, role).privateKey as `0x${string}`);
const stockClient = (role: string) => new x402Client().register('eip155:*', new ExactEvmScheme(wallet(role)));

const bodyOf = (name: string) => JSON.stringify(catalogue.find((item) => item.name === name)?.exampleRequest);
const quoteRequest = JSON.parse(bodyOf('quote'));

/** Posts like @x402/fetch, which pays a 402. */
const payAt = ({ url, fetch }: Front, path: string, name: string, role = 'demo') =>
  wrapFetchWithPayment(fetch, stockClient(role))(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: bodyOf(name),
  });

/** Buys each product with each client. */
async function buyEverything(front: Front): Promise<void> {
  const { url, fetch } = front;
  for (const { path, aliases, name } of catalogue) {
    for (const at of [path, ...aliases, `/trpc/${name}`]) {
      const response = await payAt(front, at, name);
      expect(response.status, `${at} ${await response.clone().text()}`).toBe(200);
      expect(decodePaymentResponseHeader(response.headers.get('payment-response') ?? '').success).toBe(true);
    }
  }

  const options = { url, fetch, wallet: wallet('trader'), allowSandbox: true };
  const truefill = createTruefillClient(options);
  expect(await truefill.quote(quoteRequest)).toMatchObject({ amountOut: expect.stringMatching(/^[1-9]/) });
  expect(await truefill.pretradeCheck(JSON.parse(bodyOf('pretradeCheck')))).toMatchObject({ verdict: 'clear' });
  const trpc = createTRPCClient<AppRouter>({ links: [paymentLink(options)] });
  expect(await trpc.quote.mutate(quoteRequest)).toMatchObject({ amountOut: expect.stringMatching(/^[1-9]/) });

  const mcp = new Client({ name: 'a test', version: '1' });
  await mcp.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { fetch }) as Transport);
  closers.push(() => mcp.close());
  const call = { name: 'quote', arguments: quoteRequest };
  const unpaid = await mcp.callTool(call);
  const offer = unpaid.structuredContent as Parameters<x402Client['createPaymentPayload']>[0];
  const payment = await stockClient('demo').createPaymentPayload(offer);
  const bought = await mcp.callTool({ ...call, _meta: { 'x402/payment': payment } });
  expect(bought.structuredContent).toMatchObject({ amountOut: expect.stringMatching(/^[1-9]/) });
}

/** A payment of an empty wallet: the refusal has the largest head. */
async function getRefused(front: Front): Promise<void> {
  for (const { path, aliases, name } of catalogue) {
    for (const at of [path, ...aliases, `/trpc/${name}`]) {
      const response = await payAt(front, at, name, 'stranger');
      expect(response.status, at).toBe(402);
      expect(response.headers.get('payment-required')).toBeTruthy();
    }
  }
}

/** No response of any path exceeds nginx's buffer. */
async function getEverything({ url, fetch }: Front): Promise<void> {
  for (const path of routes.keys()) {
    const response = await fetch(url + path, { headers: { accept: 'text/html' }, redirect: 'manual' });
    await response.arrayBuffer();
    expect([200, 301, 404, 405], path).toContain(response.status);
  }
}

const fronts = [
  ['default settings', openPlain, nginxProgram],
  ['the example of the guide over TLS and HTTP/2', openDocumented, nginxProgram && openssl],
] as const;

describe.each(accounts)('nginx as %s', (account) => {
  for (const [name, open, programs] of fronts) {
    test.skipIf(!programs)(`with ${name} passes purchases, refused payments and every page`, async () => {
      const front = await open(nginxProgram ?? '', account);
      await buyEverything(front);
      await getRefused(front);
      await getEverything(front);
      expect(nginx.errors()).toEqual([]);
    });
  }
});

test.skipIf(!nginxProgram)(
  'the limits of the guide are valid, pass a few requests and refuse a flood with 429',
  async () => {
    const [zones = '', limits = ''] = nginxLimits.split('# server block\n');
    const port = await findFreePort();
    const location = `location / { proxy_pass ${server.url}; }`;
    const servers = `${zones}server { listen 127.0.0.1:${port}; ${limits} ${location} }`;
    const limited = await startNginx(nginxProgram ?? '', { servers, account: accounts[0] });
    closers.push(() => limited.close());
    const request = async () => (await fetch(`http://127.0.0.1:${port}/ready`)).status;
    const few = await Promise.all(Array.from({ length: 20 }, request));
    expect(new Set(few)).toEqual(new Set([200]));
    const many = await Promise.all(Array.from({ length: 200 }, request));
    expect(new Set(many)).toEqual(new Set([200, 429]));
  },
);
