import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createKeyPairSignerFromBytes, getBase58Encoder } from '@solana/kit';
import { toFacilitatorSvmSigner } from '@x402/svm';
import { ExactSvmScheme } from '@x402/svm/exact/facilitator';
import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import {
  createNodeClient,
  liveBlockMs,
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

/** Replicas run the bundle of `npm start`, because source files may change during a long run. */
const buildScript = join(import.meta.dirname, '../../tools/start/buildService.mjs');
/** Only one process can open an SQLite file. */
const replicaCounts = { postgres: 3, sqlite: 1 } as const;

export type ChaosDatabase = keyof typeof replicaCounts;

/** Environment variables of all replicas, without keys and addresses. */
const replicaEnvironment = {
  PUBLIC_URL: 'https://truefill.example',
  CONNECTIONS_PER_ADDRESS: '4000',
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
    createEvmFacilitator(networkOf.polygon, polygon.rpcUrl, evmKey).register(
      networkOf.solana,
      new ExactSvmScheme(signer),
    ),
  );
}

async function openChaosDatabase(kind: ChaosDatabase) {
  if (kind === 'postgres') {
    const postgres = await startPostgres();
    const environment = { DATABASE_URL: postgres.url };
    return {
      postgres,
      location: { url: postgres.url } as DatabaseLocation,
      environment,
      close: () => postgres.close(),
    };
  }
  const folder = await mkdtemp(join(tmpdir(), 'truefill-chaos-'));
  const location: DatabaseLocation = { file: join(folder, 'truefill.sqlite') };
  return { location, environment: { DATA_DIR: folder }, close: () => rm(folder, { recursive: true, force: true }) };
}

/**
 * Starts Base with test tokens and five blocks a second, Polygon with one, Solana, the database, and replica processes
 * behind a balancer: three with PostgreSQL, one with SQLite. The replicas settle with their own key on Base and through
 * a remote facilitator on Polygon. Their requests to nodes pass through proxies that can inject faults.
 *
 * @param databaseKind only PostgreSQL has database faults; SQLite runs in the replica's process
 * @param skewsMs clock skew of each replica, in milliseconds
 * @param solanaSettler settles on Solana
 */
export async function openChaosEnvironment(
  databaseKind: ChaosDatabase,
  skewsMs: readonly number[],
  solanaSettler: 'own key' | 'remote facilitator',
) {
  const [sandbox, database] = await Promise.all([
    startSandbox({
      chains: ['base', 'polygon'],
      solana: true,
      testTokens: true,
      blockMs: { base: liveBlockMs.base, polygon: 1_000 },
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
  const remoteFacilitator = await startFacilitator(polygon, walletOf('stranger').privateKey, solana);
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
        remoteFacilitator: {
          url: `${remoteFacilitator.url}/${index}`,
          chains: solanaSettler === 'remote facilitator' ? ['polygon', 'solana'] : ['polygon'],
        },
        onLines: (lines) => void log.push(...lines),
      }),
    ),
  );
  // Start the replicas one by one, so that only the first runs the migrations.
  for (const replica of replicas) await replica.start();
  const balancer = await startBalancer(replicas.map(({ url }) => url));

  return {
    sandbox,
    chains: { base, polygon },
    solana,
    /** Undefined with SQLite. */
    postgres: database.postgres,
    location: database.location,
    remoteFacilitator,
    replicas,
    balancer,
    payTo,
    svmPayTo: svmWalletOf('payTo').address,
    log,
    walletOf,
    /** A funded account that no scenario uses as a client wallet. */
    outsider: privateKeyToAccount(walletOf('trader').privateKey),
    /** Calls a chain's node directly, without a proxy. */
    node: <T>(chain: SandboxChain, method: string, params: unknown[] = []) =>
      createNodeClient(chain.rpcUrl).call<T>(method, params),
    async close() {
      await balancer.close();
      await Promise.all(replicas.map(({ running }) => running?.stop()));
      const proxies = replicas.flatMap(({ rpc }) => Object.values(rpc).flat());
      await Promise.all([remoteFacilitator.close(), ...proxies.map((proxy) => proxy.close())]);
      await Promise.all([sandbox.close(), database.close()]);
    },
  };
}

export type ChaosEnvironment = Awaited<ReturnType<typeof openChaosEnvironment>>;
