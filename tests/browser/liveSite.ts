import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Sandbox, startSandbox } from '../../sandbox/index.ts';
import { readConfig } from '../../server/config/index.ts';
import { type RunningServer, startServer } from '../../server/startServer.ts';
import { findWallet } from '../support/findWallet.ts';

export type LiveSite = Awaited<ReturnType<typeof startLive>>;

/** A live service on Base with one node, in front of a sandbox chain. With `solana` it accepts payments there too. */
export async function startLive({ solana = false } = {}) {
  const sandbox: Sandbox = await startSandbox({ chains: ['base'], mainnetUsdc: true, solana });
  const dataDir = await mkdtemp(join(tmpdir(), 'truefill-page-'));
  const walletOf = (role: string) => sandbox.wallets.find((wallet) => wallet.role === role);
  const server: RunningServer = await startServer(
    readConfig({
      RPC_URL_BASE: sandbox.chains.base?.rpcUrl,
      PUBLIC_URL: 'http://127.0.0.1:4020',
      PAY_TO_EVM: walletOf('payTo')?.address,
      FACILITATOR_KEY_EVM: walletOf('facilitator')?.privateKey,
      ...solanaVariables(sandbox),
      DATA_DIR: dataDir,
      PORT: '0',
      HOST: '127.0.0.1',
      LOG_LEVEL: 'silent',
      POOL_HINTS: 'off',
    }),
  );
  return {
    sandbox,
    url: server.url,
    privateKey: walletOf('demo')?.privateKey,
    async close() {
      await server.close();
      await sandbox.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

function solanaVariables({ solana }: Sandbox): Record<string, string> {
  if (!solana) return {};
  return {
    RPC_URL_SOLANA: solana.rpcUrl,
    PAY_TO_SVM: findWallet(solana.wallets, 'payTo').address,
    FACILITATOR_KEY_SVM: findWallet(solana.wallets, 'facilitator').secretKey,
  };
}
