import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodePaymentResponseHeader } from '@x402/core/http';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { caddySite } from '../../docs-site/behindProxy.ts';
import { catalogue, type SandboxBody } from '../../router/index.ts';
import { readConfig } from '../../server/config/index.ts';
import { routes } from '../../server/http/routes.ts';
import { type RunningServer, startServer } from '../../server/startServer.ts';
import { findWallet } from '../support/findWallet.ts';
import { findProgram } from './findProgram.ts';
import { findFreePort } from './startNginx.ts';

// The Caddy site of the guide in front of the service, over plain HTTP: a test has no public name for a certificate.

const program = findProgram('caddy', 'apt-get install caddy');

describe.skipIf(!program)('Caddy with the site of the guide', () => {
  let server: RunningServer;
  let sandbox: SandboxBody;
  let caddy: ChildProcess;
  let folder: string;
  let url: string;
  beforeAll(async () => {
    const env = { PORT: '0', LOG_LEVEL: 'silent', TRUSTED_PROXIES: '1', RATE_LIMIT_PER_ADDRESS: '120' };
    server = await startServer(readConfig({ ...env, PUBLIC_URL: `https://${'quotes.'.repeat(7)}example` }));
    sandbox = (await (await fetch(`${server.url}/sandbox`)).json()) as SandboxBody;
    folder = await mkdtemp(join(tmpdir(), 'truefill-caddy-'));
    const port = await findFreePort();
    url = `http://127.0.0.1:${port}`;
    const site = caddySite({ name: url, service: new URL(server.url).host });
    await writeFile(join(folder, 'Caddyfile'), `{\n  admin off\n}\n${site}\n`);
    const environment = { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
    const args = ['run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')];
    caddy = spawn(program ?? '', args, { stdio: 'ignore', env: environment });
    await vi.waitFor(async () => expect((await fetch(url)).ok).toBe(true), { timeout: 20_000 });
  });
  afterAll(async () => {
    if (caddy) {
      const exited = once(caddy, 'exit');
      caddy.kill('SIGTERM');
      await exited;
    }
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const buy = (path: string, body: unknown, role: string, headers: Record<string, string> = {}) => {
    const account = privateKeyToAccount(findWallet(sandbox.wallets, role).privateKey as `0x${string}`);
    const client = new x402Client().register('eip155:*', new ExactEvmScheme(account));
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    };
    return wrapFetchWithPayment(fetch, client)(url + path, init);
  };

  test('passes purchases, refused payments and every page', async () => {
    for (const { path, exampleRequest } of catalogue) {
      const response = await buy(path, exampleRequest, 'demo');
      expect(response.status, path).toBe(200);
      expect(decodePaymentResponseHeader(response.headers.get('payment-response') ?? '').success).toBe(true);
      const refused = await buy(path, exampleRequest, 'stranger');
      expect(refused.status, path).toBe(402);
      expect(refused.headers.get('payment-required')).toBeTruthy();
    }
    for (const path of routes.keys()) {
      const response = await fetch(url + path, { headers: { accept: 'text/html' }, redirect: 'manual' });
      await response.arrayBuffer();
      expect([200, 301, 404, 405], path).toContain(response.status);
    }
  });

  test('a client cannot choose the address that its requests count for', async () => {
    const statuses = [];
    for (let index = 0; index < 121; index += 1) {
      const headers = { 'content-type': 'application/json', 'x-forwarded-for': `192.0.2.${index}` };
      const { status } = await fetch(`${url}/v1/quote`, { method: 'POST', headers, body: '{}' });
      statuses.push(status);
    }
    expect(statuses).toContain(429);
  });
});
