import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createKeyPairSignerFromBytes, getBase58Encoder } from '@solana/kit';
import { toFacilitatorSvmSigner } from '@x402/svm';
import { ExactSvmScheme } from '@x402/svm/exact/facilitator';
import { type Address, createPublicClient, erc20Abi, type Hex, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import {
  createNodeClient,
  type SandboxChain,
  type SandboxSolana,
  startPostgres,
  startSandbox,
} from '../../sandbox/index.ts';
import type { DatabaseLocation } from '../../server/storage/index.ts';
import { startBalancer } from '../../tools/cluster/balancer.ts';
import { createEvmFacilitator, startFacilitatorServer } from '../payments/facilitatorServer.ts';
import { findWallet } from '../support/findWallet.ts';
import { prepareReplica } from './managedReplica.ts';
import { networkOf, type PayChain } from './payments.ts';

/** Run the bundle that `npm start` runs: source files may change during a long run. */
const buildScript = join(import.meta.dirname, '../../tools/start/buildService.mjs');
/** An embedded database serves one process. */
const replicaCounts = { postgres: 3, sqlite: 1 } as const;

export type ChaosDatabase = keyof typeof replicaCounts;

/** The same variables for all replicas, beside keys and addresses. */
const replicaEnvironment = {
  PUBLIC_URL: 'https://truefill.example',
  TRUSTED_PROXIES: '1',
  RATE_LIMIT_PER_ADDRESS: '1000000',
  RATE_LIMIT_PER_WALLET: '1000000',
  LOG_LEVEL: 'warn',
  BLOCKSCOUT_URL: 'off',
  DEXSCREENER_URL: 'off',
  GECKOTERMINAL_URL: 'off',
  NODE_OPTIONS: `--import=${join(import.meta.dirname, 'skewClock.mjs')}`,
};

/** Starts the published facilitator for EVM and Solana. */
async function startFacilitator(polygon: SandboxChain, evmKey: Hex, solana: SandboxSolana) {
  const feePayer = solana.wallets.find(({ role }) => role === 'facilitator')?.secretKey ?? '';
  const signer = toFacilitatorSvmSigner(
    await createKeyPairSignerFromBytes(new Uint8Array(getBase58Encoder().encode(feePayer))),
    { defaultRpcUrl: solana.rpcUrl },
  );
  return startFacilitatorServer(
    createEvmFacilitator(networkOf.polygon, polygon.rpcUrl, evmKey).register(networkOf.solana, new ExactSvmScheme(signer)),
  );
}

async function openChaosDatabase(kind: ChaosDatabase) {
  if (kind === 'postgres') {
    const postgres = await startPostgres();
    const environment = { DATABASE_URL: postgres.url };
    return { postgres, place: { url: postgres.url } as DatabaseLocation, environment, close: () => postgres.close() };
  }
  const folder = await mkdtemp(join(tmpdir(), 'truefill-chaos-'));
  const place: DatabaseLocation = { file: join(folder, 'truefill.sqlite') };
  return { place, environment: { DATA_DIR: folder }, close: () => rm(folder, { recursive: true, force: true }) };
}

/**
 * Starts Base and Polygon with one-second blocks, the test tokens on Base, Solana, the database, and three replica
 * processes behind a balancer, with SQLite one. Our key settles on Base and a remote facilitator on Polygon. Every
 * connection between them passes through a proxy that can inject faults.
 *
 * @param databaseKind SQLite does not crash by itself: only its process does
 * @param skewsMs clock skew of each replica
 * @param solanaSettler what settles on Solana: our key, or the remote facilitator
 */
export async function openChaosEnvironment(
  databaseKind: ChaosDatabase,
  skewsMs: readonly number[],
  solanaSettler: 'own key' | 'elsewhere',
) {
  const [sandbox, database] = await Promise.all([
    startSandbox({
      chains: ['base', 'polygon'],
      solana: true,
      testTokens: true,
      blockTimeSeconds: 1,
      mainnetUsdc: true,
    }),
    openChaosDatabase(databaseKind),
  ]);
  const solana = sandbox.solana as SandboxSolana;
  const base = sandbox.chains.base as SandboxChain;
  const polygon = sandbox.chains.polygon as SandboxChain;
  const walletOf = (role: string) => findWallet(sandbox.wallets, role);
  const payTo = walletOf('payTo').address;
  const svmWalletOf = (role: string) => findWallet(solana.wallets, role);
  const stranger = await startFacilitator(polygon, walletOf('stranger').privateKey, solana);
  const targets: Record<PayChain, string> = { base: base.rpcUrl, polygon: polygon.rpcUrl, solana: solana.rpcUrl };
  const { stdout: entry } = await promisify(execFile)(process.execPath, [buildScript]);
  const log: string[] = [];
  const keys = {
    PAY_TO_EVM: payTo,
    PAY_TO_SVM: svmWalletOf('payTo').address,
    FACILITATOR_KEY_EVM: walletOf('facilitator').privateKey,
    ...(solanaSettler === 'own key' && { FACILITATOR_KEY_SVM: svmWalletOf('facilitator').secretKey }),
  };
  const environment = { ...replicaEnvironment, ...keys, ...database.environment };

  const replicas = await Promise.all(
    Array.from({ length: replicaCounts[databaseKind] }, (_, index) =>
      prepareReplica({
        entry: entry.trim(),
        environment,
        skewMs: skewsMs[index] ?? 0,
        targets,
        elsewhere: {
          url: `${stranger.url}/${index}`,
          chains: solanaSettler === 'elsewhere' ? ['polygon', 'solana'] : ['polygon'],
        },
        onLines: (lines) => void log.push(...lines),
      }),
    ),
  );
  // Start them one by one, so that only the first runs the migrations.
  for (const replica of replicas) await replica.start();
  const balancer = await startBalancer(replicas.map(({ url }) => url));
  const chains = { base, polygon };

  return {
    sandbox,
    chains,
    solana,
    /** Undefined with SQLite. */
    postgres: database.postgres,
    place: database.place,
    stranger,
    replicas,
    balancer,
    payTo,
    svmPayTo: svmWalletOf('payTo').address,
    log,
    walletOf,
    /** Funded account that no scenario uses as a client wallet. */
    outsider: privateKeyToAccount(walletOf('trader').privateKey),
    /** Calls a chain's node directly, without its faulty proxy. */
    node: <T>(chain: SandboxChain, method: string, params: unknown[] = []) =>
      createNodeClient(chain.rpcUrl).call<T>(method, params),
    usdcOf: (chain: SandboxChain, owner: Address) =>
      createPublicClient({ transport: http(chain.rpcUrl) }).readContract({
        address: chain.usdc,
        abi: erc20Abi,
        functionName: 'balanceOf',
        args: [owner],
      }),
    async close() {
      await balancer.close();
      await Promise.all(replicas.map(({ running }) => running?.stop()));
      const proxies = replicas.flatMap(({ rpc }) => Object.values(rpc).flat());
      await Promise.all([stranger.close(), ...proxies.map((proxy) => proxy.close())]);
      await Promise.all([sandbox.close(), database.close()]);
    },
  };
}

export type ChaosEnvironment = Awaited<ReturnType<typeof openChaosEnvironment>>;
