import { execFile } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createKeyPairSignerFromBytes, getBase58Encoder } from '@solana/kit';
import { toFacilitatorSvmSigner } from '@x402/svm';
import { ExactSvmScheme } from '@x402/svm/exact/facilitator';
import { type Address, createPublicClient, erc20Abi, type Hex, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import {
  type RpcProxy,
  type SandboxChain,
  type SandboxSolana,
  startPostgres,
  startRpcProxy,
  startSandbox,
} from '../../sandbox/index.ts';
import { startBalancer } from '../../scripts/cluster/balancer.ts';
import { type Replica, startReplica } from '../../scripts/cluster/startReplica.ts';
import { evmEngine, startStrangerFacilitator } from '../payment/strangerFacilitator.ts';
import { networkOf, type PayChain } from './payments.ts';

/** A replica's place: its process may come and go, its port, its clock and its ways to the nodes stay. */
export interface Seat {
  url: string;
  skewMs: number;
  /** The nodes as it alone sees them. */
  rpc: Record<PayChain, RpcProxy[]>;
  /** Undefined while it is dead. */
  replica: Replica | undefined;
  start(): Promise<void>;
  kill(): Promise<void>;
  /** It stands still, as under a hypervisor that has forgotten it, and knows nothing of it afterwards. */
  freeze(): void;
  thaw(): void;
}

const nodesOf: Record<PayChain, number> = { base: 2, polygon: 1, solana: 2 };
/** What `npm start` runs, and not the sources: those may be worked on meanwhile. */
const buildScript = join(import.meta.dirname, '../../scripts/buildService.mjs');
const replicaCount = 3;
const startTries = 30;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** The published facilitator's part for both kinds of networks. */
async function openStranger(polygon: SandboxChain, evmKey: Hex, solana: SandboxSolana) {
  const feePayer = solana.wallets.find(({ role }) => role === 'facilitator')?.secretKey ?? '';
  const signer = toFacilitatorSvmSigner(
    await createKeyPairSignerFromBytes(new Uint8Array(getBase58Encoder().encode(feePayer))),
    { defaultRpcUrl: solana.rpcUrl },
  );
  return startStrangerFacilitator(
    evmEngine(networkOf.polygon, polygon.rpcUrl, evmKey).register(networkOf.solana, new ExactSvmScheme(signer)),
  );
}

/**
 * Two local chains of a block a second, the zoo on the first, and Solana; PostgreSQL; three replicas in processes of
 * their own, behind a balancer. Base is settled by a key of ours, Polygon by a facilitator elsewhere, Solana as wanted.
 * Everything between them can be broken.
 *
 * @param skewsMs how far each replica's clock is off
 * @param solanaSettler who settles on Solana: a key of ours, or the facilitator elsewhere
 */
export async function openChaosWorld(skewsMs: readonly number[], solanaSettler: 'own key' | 'elsewhere') {
  const [sandbox, postgres] = await Promise.all([
    startSandbox({ chains: ['base', 'polygon'], solana: true, zoo: true, blockTimeSeconds: 1 }),
    startPostgres(),
  ]);
  const solana = sandbox.solana as SandboxSolana;
  const base = sandbox.chains.base as SandboxChain;
  const polygon = sandbox.chains.polygon as SandboxChain;
  const walletOf = (role: string) => {
    const wallet = sandbox.wallets.find((entry) => entry.role === role);
    if (!wallet) throw new Error(`No ${role} wallet.`);
    return wallet;
  };
  const payTo = walletOf('payTo').address;
  const svmWalletOf = (role: string) => {
    const wallet = solana.wallets.find((entry) => entry.role === role);
    if (!wallet) throw new Error(`No ${role} wallet on Solana.`);
    return wallet;
  };
  const stranger = await openStranger(polygon, walletOf('stranger').privateKey, solana);
  const targets: Record<PayChain, string> = { base: base.rpcUrl, polygon: polygon.rpcUrl, solana: solana.rpcUrl };
  const { stdout: entry } = await promisify(execFile)(process.execPath, [buildScript]);
  const log: string[] = [];
  const environment = {
    PAY_TO_EVM: payTo,
    PAY_TO_SVM: svmWalletOf('payTo').address,
    FACILITATOR_KEY_EVM: walletOf('facilitator').privateKey,
    ...(solanaSettler === 'own key' && { FACILITATOR_KEY_SVM: svmWalletOf('facilitator').secretKey }),
    DATABASE_URL: postgres.url,
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

  const openNodes = (chain: PayChain) =>
    Promise.all(Array.from({ length: nodesOf[chain] }, () => startRpcProxy(targets[chain])));

  async function takeSeat(skewMs: number, index: number): Promise<Seat> {
    const port = await freePort();
    const rpc = {
      base: await openNodes('base'),
      polygon: await openNodes('polygon'),
      solana: await openNodes('solana'),
    };
    const urlsOf = (chain: PayChain) => rpc[chain].map(({ url }) => url).join(',');
    // So that it can be told who asks.
    const elsewhere = `${stranger.url}/${index}`;
    const own = {
      RPC_URL_BASE: urlsOf('base'),
      RPC_URL_POLYGON: urlsOf('polygon'),
      RPC_URL_SOLANA: urlsOf('solana'),
      FACILITATOR_URL_POLYGON: elsewhere,
      ...(solanaSettler === 'elsewhere' && { FACILITATOR_URL_SOLANA: elsewhere }),
      PORT: `${port}`,
      CLOCK_SKEW_MS: `${skewMs}`,
    };
    let starting: Promise<void> | undefined;
    /** Three processes write at once: only whole lines go into the log. */
    function newListener(): (text: string) => void {
      let begun = '';
      return (text) => {
        const lines = (begun + text).split('\n');
        begun = lines.pop() ?? '';
        log.push(...lines);
      };
    }
    async function bringUp(): Promise<void> {
      for (let left = startTries; !seat.replica; left -= 1) {
        const coming = startReplica({ ...environment, ...own }, newListener(), [entry.trim()]);
        seat.replica = await coming.catch(async (cause) => {
          // Without a database, or with a node that says it is of another chain, it ends; a supervisor tries again.
          if (left === 0) throw cause;
          await sleep(1_000);
          return undefined;
        });
      }
    }
    const seat: Seat = {
      url: `http://127.0.0.1:${port}`,
      skewMs,
      rpc,
      replica: undefined,
      async start() {
        // Two may want it at once.
        starting ??= bringUp().finally(() => {
          starting = undefined;
        });
        await starting;
      },
      async kill() {
        const { replica } = seat;
        seat.replica = undefined;
        await replica?.kill();
      },
      freeze: () => seat.replica?.freeze(),
      thaw: () => seat.replica?.thaw(),
    };
    return seat;
  }
  const seats = await Promise.all(
    Array.from({ length: replicaCount }, (_, index) => takeSeat(skewsMs[index] ?? 0, index)),
  );
  // One makes the tables, the others find them.
  for (const seat of seats) await seat.start();
  const balancer = await startBalancer(seats.map(({ url }) => url));
  const chains = { base, polygon };

  return {
    sandbox,
    chains,
    solana,
    postgres,
    stranger,
    seats,
    balancer,
    payTo,
    svmPayTo: svmWalletOf('payTo').address,
    log,
    walletOf,
    /** Nobody else sends from it. */
    outsider: privateKeyToAccount(walletOf('trader').privateKey),
    /** A raw call to a chain's own node, past every fault: its switches are ours. */
    async node<T>(chain: SandboxChain, method: string, params: unknown[] = []): Promise<T> {
      const reply = await fetch(chain.rpcUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      });
      const { result, error } = (await reply.json()) as { result?: T; error?: { message: string } };
      if (error) throw new Error(`${method}: ${error.message}`);
      return result as T;
    },
    usdcOf: (chain: SandboxChain, owner: Address) =>
      createPublicClient({ transport: http(chain.rpcUrl) }).readContract({
        address: chain.usdc,
        abi: erc20Abi,
        functionName: 'balanceOf',
        args: [owner],
      }),
    async close() {
      await balancer.close();
      await Promise.all(seats.map(({ replica }) => replica?.stop()));
      const proxies = seats.flatMap(({ rpc }) => Object.values(rpc).flat());
      await Promise.all([stranger.close(), ...proxies.map((proxy) => proxy.close())]);
      await Promise.all([sandbox.close(), postgres.close()]);
    },
  };
}

export type ChaosWorld = Awaited<ReturnType<typeof openChaosWorld>>;
