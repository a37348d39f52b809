import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Address, createPublicClient, erc20Abi, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { type RpcProxy, type SandboxChain, startPostgres, startRpcProxy, startSandbox } from '../../sandbox/index.ts';
import { startBalancer } from '../../scripts/cluster/balancer.ts';
import { type Replica, startReplica } from '../../scripts/cluster/startReplica.ts';
import { evmEngine, startStrangerFacilitator } from '../payment/strangerFacilitator.ts';

/** A replica's place: its process may come and go, its port and its clock stay. */
export interface Seat {
  url: string;
  skewMs: number;
  /** Undefined while it is dead. */
  replica: Replica | undefined;
  start(): Promise<void>;
  kill(): Promise<void>;
}

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

/**
 * Two local chains of a block a second, the zoo on the first; PostgreSQL; three replicas in processes of their own,
 * behind a balancer. Base is settled by a key of ours, Polygon by a facilitator elsewhere. Everything between them
 * can be broken.
 *
 * @param skewsMs how far each replica's clock is off
 */
export async function openChaosWorld(skewsMs: readonly number[]) {
  const [sandbox, postgres] = await Promise.all([
    startSandbox({ chains: ['base', 'polygon'], zoo: true, blockTimeSeconds: 1 }),
    startPostgres(),
  ]);
  const base = sandbox.chains.base as SandboxChain;
  const polygon = sandbox.chains.polygon as SandboxChain;
  const walletOf = (role: string) => {
    const wallet = sandbox.wallets.find((entry) => entry.role === role);
    if (!wallet) throw new Error(`No ${role} wallet.`);
    return wallet;
  };
  const payTo = walletOf('payTo').address;
  const rpc = {
    base: [await startRpcProxy(base.rpcUrl), await startRpcProxy(base.rpcUrl)],
    polygon: [await startRpcProxy(polygon.rpcUrl)],
  };
  const stranger = await startStrangerFacilitator(
    evmEngine('eip155:137', polygon.rpcUrl, walletOf('stranger').privateKey),
  );
  const log: string[] = [];
  const environment = {
    RPC_URL_BASE: rpc.base.map(({ url }) => url).join(','),
    RPC_URL_POLYGON: rpc.polygon.map(({ url }) => url).join(','),
    PAY_TO_EVM: payTo,
    FACILITATOR_KEY_EVM: walletOf('facilitator').privateKey,
    FACILITATOR_URL_POLYGON: stranger.url,
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

  async function takeSeat(skewMs: number): Promise<Seat> {
    const port = await freePort();
    const seat: Seat = {
      url: `http://127.0.0.1:${port}`,
      skewMs,
      replica: undefined,
      async start() {
        if (seat.replica) return;
        for (let left = startTries; !seat.replica; left -= 1) {
          seat.replica = await startReplica(
            { ...environment, PORT: `${port}`, CLOCK_SKEW_MS: `${skewMs}` },
            (text) => void log.push(text),
          ).catch(async (cause) => {
            // Without a database, or with a node that says it is of another chain, it ends; a supervisor tries again.
            if (left === 0) throw cause;
            await sleep(1_000);
            return undefined;
          });
        }
      },
      async kill() {
        const { replica } = seat;
        seat.replica = undefined;
        await replica?.kill();
      },
    };
    return seat;
  }
  const seats = await Promise.all(Array.from({ length: replicaCount }, (_, index) => takeSeat(skewsMs[index] ?? 0)));
  // One makes the tables, the others find them.
  for (const seat of seats) await seat.start();
  const balancer = await startBalancer(seats.map(({ url }) => url));
  const chains = { base, polygon };

  return {
    sandbox,
    chains,
    postgres,
    rpc,
    stranger,
    seats,
    balancer,
    payTo,
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
      const proxies: RpcProxy[] = [...rpc.base, ...rpc.polygon];
      await Promise.all([stranger.close(), ...proxies.map((proxy) => proxy.close())]);
      await Promise.all([sandbox.close(), postgres.close()]);
    },
  };
}

export type ChaosWorld = Awaited<ReturnType<typeof openChaosWorld>>;
