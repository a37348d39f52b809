import { type SandboxChain, startPostgres, startRpcProxy, startSandbox } from '../../sandbox/index.ts';
import { readConfig } from '../../server/config/index.ts';
import { startServer } from '../../server/startServer.ts';
import { newDatabase } from '../storage/newDatabase.ts';
import { postJson, signOffer, usdcOf } from '../support/buyer.ts';
import { findWallet } from '../support/findWallet.ts';

/** Starts one local chain and one PostgreSQL. `start` adds a replica in live mode. */
export async function openClusterFixture() {
  const [sandbox, postgres] = await Promise.all([
    startSandbox({ chains: ['base'], mainnetUsdc: true }),
    startPostgres(),
  ]);
  const chain = sandbox.chains.base as SandboxChain;
  const proxy = await startRpcProxy(chain.rpcUrl);
  const walletOf = (role: string) => findWallet(sandbox.wallets, role);
  const start = (databaseUrl: string, variables: Record<string, string> = {}) =>
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
        QUOTE_DEADLINE_MS: '60000',
        ...variables,
      }),
    );

  return {
    chain,
    postgres,
    proxy,
    start,
    post: postJson,
    newDatabase: () => newDatabase(postgres),
    /** Signs the offer of a URL with the published client. */
    sign: (url: string, role = 'demo') => signOffer(url, walletOf(role)),
    /** The USDC balance of payTo in raw units. */
    payToBalance: () => usdcOf(chain, walletOf('payTo').address),
    async close() {
      await proxy.close();
      await Promise.all([sandbox.close(), postgres.close()]);
    },
  };
}

export type ClusterFixture = Awaited<ReturnType<typeof openClusterFixture>>;
