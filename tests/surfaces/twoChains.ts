import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { x402Client } from '@x402/fetch';
import { privateKeyToAccount } from 'viem/accounts';
import { vi } from 'vitest';
import { type RpcProxy, type SandboxChain, startRpcProxy, startSandbox } from '../../sandbox/index.ts';
import { readConfig } from '../../server/config/index.ts';
import { type RunningServer, startServer } from '../../server/startServer.ts';
import { usdcOf } from '../support/buyer.ts';
import { findWallet } from '../support/findWallet.ts';

interface Health {
  payment: { gas: Record<string, string> };
}

export type TwoChains = Awaited<ReturnType<typeof openTwoChains>>;

/**
 * Starts a service in live mode with local Base and Polygon chains, each behind a proxy that records requests. The demo
 * wallet pays on Base; the change of its USDC balance is the charge.
 */
export async function openTwoChains() {
  const sandbox = await startSandbox({ chains: ['base', 'polygon'], mainnetUsdc: true });
  const base = sandbox.chains.base as SandboxChain;
  const polygon = sandbox.chains.polygon as SandboxChain;
  const proxies: Record<'base' | 'polygon', RpcProxy> = {
    base: await startRpcProxy(base.rpcUrl),
    polygon: await startRpcProxy(polygon.rpcUrl),
  };
  const dataDir = await mkdtemp(join(tmpdir(), 'truefill-code-'));
  const servers: RunningServer[] = [];

  const walletOf = (role: string) => findWallet(sandbox.wallets, role);

  async function openServer(name: string, variables: Record<string, string> = {}): Promise<RunningServer> {
    const environment = {
      RPC_URL_BASE: proxies.base.url,
      PUBLIC_URL: 'http://127.0.0.1:4020',
      RPC_URL_POLYGON: proxies.polygon.url,
      PAY_TO_EVM: walletOf('payTo').address,
      FACILITATOR_KEY_EVM: walletOf('facilitator').privateKey,
      DATA_DIR: join(dataDir, name),
      PORT: '0',
      HOST: '127.0.0.1',
      LOG_LEVEL: 'silent',
      POOL_HINTS: 'off',
      RATE_LIMIT_PER_ADDRESS: '10000',
      FRESHNESS_MS_BASE: '0',
      FRESHNESS_MS_POLYGON: '0',
      ...variables,
    };
    const opened = await startServer(readConfig(environment));
    servers.push(opened);
    return opened;
  }

  const server = await openServer('main');
  // Wait for the first gas read in the background, because the tests count requests.
  const gas = async () => JSON.stringify(((await (await fetch(`${server.url}/health`)).json()) as Health).payment.gas);
  await vi.waitUntil(async () => !(await gas()).includes('unread'), { timeout: 60_000 });

  const post = (path: string, body: unknown, headers: Record<string, string> = {}, { url } = server) =>
    fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });

  const payer = () =>
    new x402Client().register('eip155:8453', new ExactEvmScheme(privateKeyToAccount(walletOf('demo').privateKey)));

  return {
    base,
    polygon,
    proxies,
    server,
    openServer,
    post,
    payer,
    /** The payer's balance in base units of USDC. */
    balance: () => usdcOf(base, walletOf('demo').address),
    async sign(at = server): Promise<Record<string, string>> {
      const offer = decodePaymentRequiredHeader(
        (await post('/v1/quote', {}, {}, at)).headers.get('payment-required') ?? '',
      );
      return { 'payment-signature': encodePaymentSignatureHeader(await payer().createPaymentPayload(offer)) };
    },
    async close() {
      for (const opened of servers) await opened.close();
      for (const proxy of Object.values(proxies)) await proxy.close();
      await sandbox.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
