import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { x402Client } from '@x402/fetch';
import { createPublicClient, erc20Abi, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { type SandboxChain, startPostgres, startRpcProxy, startSandbox } from '../../sandbox/index.ts';
import { readConfig } from '../../server/config/index.ts';
import { startServer } from '../../server/startServer.ts';
import { newDatabase } from '../storage/newDatabase.ts';
import { findWallet } from '../support/findWallet.ts';

/** One local chain, one PostgreSQL, and any number of live services. */
export async function openClusterFixture() {
  const [sandbox, postgres] = await Promise.all([
    startSandbox({ chains: ['base'], mainnetUsdc: true }),
    startPostgres(),
  ]);
  const chain = sandbox.chains.base as SandboxChain;
  const proxy = await startRpcProxy(chain.rpcUrl);
  const client = createPublicClient({ transport: http(chain.rpcUrl) });
  const walletOf = (role: string) => findWallet(sandbox.wallets, role);
  const start = (databaseUrl: string, more: Record<string, string> = {}) =>
    startServer(
      readConfig({
        RPC_URL_BASE: proxy.url,
        PAY_TO_EVM: walletOf('payTo').address,
        FACILITATOR_KEY_EVM: walletOf('facilitator').privateKey,
        DATABASE_URL: databaseUrl,
        PORT: '0',
        HOST: '127.0.0.1',
        LOG_LEVEL: 'silent',
        PUBLIC_URL: 'https://truefill.example',
        RATE_LIMIT_PER_ADDRESS: '100000',
        BLOCKSCOUT_URL: 'off',
        DEXSCREENER_URL: 'off',
        GECKOTERMINAL_URL: 'off',
        FRESHNESS_MS_BASE: '60000',
        ...more,
      }),
    );
  const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });

  return {
    chain,
    postgres,
    proxy,
    start,
    post,
    newDatabase: () => newDatabase(postgres),
    /** Signs a path's offer with the published client. */
    async sign(url: string, role = 'demo'): Promise<Record<string, string>> {
      const offer = decodePaymentRequiredHeader((await post(url, {})).headers.get('payment-required') ?? '');
      const signer = new ExactEvmScheme(privateKeyToAccount(walletOf(role).privateKey));
      const payload = await new x402Client().register('eip155:8453', signer).createPaymentPayload(offer);
      return { 'payment-signature': encodePaymentSignatureHeader(payload) };
    },
    /** Balance of payTo in raw units of USDC. */
    taken: () =>
      client.readContract({
        address: chain.usdc,
        abi: erc20Abi,
        functionName: 'balanceOf',
        args: [walletOf('payTo').address],
      }),
    async close() {
      await proxy.close();
      await Promise.all([sandbox.close(), postgres.close()]);
    },
  };
}

export type ClusterFixture = Awaited<ReturnType<typeof openClusterFixture>>;
