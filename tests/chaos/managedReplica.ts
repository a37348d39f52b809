import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, type RpcProxy, startRpcProxy } from '../../sandbox/index.ts';
import { type Replica, startReplica } from '../../tools/cluster/startReplica.ts';
import type { PayChain } from './payments.ts';

/** A replica whose process may stop and restart with the same port, clock skew and node proxies. */
export interface ManagedReplica {
  url: string;
  skewMs: number;
  /** Proxies of this replica's nodes. */
  rpc: Record<PayChain, RpcProxy[]>;
  /** Undefined while no process runs. */
  running: Replica | undefined;
  start(): Promise<void>;
  kill(): Promise<void>;
  /** Suspends the process, as a paused virtual machine would be. */
  freeze(): void;
  thaw(): void;
}

const nodeCounts: Record<PayChain, number> = { base: 2, polygon: 1, solana: 2 };
const maxStartRetries = 30;

/** Start parameters of a replica. */
interface ReplicaPlan {
  /** Entry file for Node. */
  entry: string;
  /** Environment variables that all replicas share. */
  environment: Record<string, string>;
  skewMs: number;
  /** URLs of the real nodes, by chain. */
  targets: Record<PayChain, string>;
  /** The remote facilitator of these chains. Its URL contains the replica's number. */
  remoteFacilitator: { url: string; chains: readonly PayChain[] };
  /** Called with complete lines of the replica's output. */
  onLines(lines: string[]): void;
}

/** Reserves a port and opens the node proxies of a replica. Does not start its process. */
export async function prepareReplica({
  entry,
  environment,
  skewMs,
  targets,
  remoteFacilitator,
  onLines,
}: ReplicaPlan): Promise<ManagedReplica> {
  const port = await freePort();
  const openNodes = (chain: PayChain) =>
    Promise.all(Array.from({ length: nodeCounts[chain] }, () => startRpcProxy(targets[chain])));
  const rpc = { base: await openNodes('base'), polygon: await openNodes('polygon'), solana: await openNodes('solana') };
  const nodeUrls = Object.entries(rpc).map(([chain, nodes]) => [
    `RPC_URL_${chain.toUpperCase()}`,
    nodes.map(({ url }) => url).join(','),
  ]);
  const facilitators = remoteFacilitator.chains.map((chain) => [
    `FACILITATOR_URL_${chain.toUpperCase()}`,
    remoteFacilitator.url,
  ]);
  const replicaVariables = {
    ...environment,
    ...Object.fromEntries([...nodeUrls, ...facilitators]),
    PORT: `${port}`,
    CLOCK_SKEW_MS: `${skewMs}`,
  };

  function createLineReader(): (text: string) => void {
    let incompleteLine = '';
    return (text) => {
      const lines = (incompleteLine + text).split('\n');
      incompleteLine = lines.pop() ?? '';
      onLines(lines);
    };
  }
  async function startWithRetries(): Promise<void> {
    for (let retries = maxStartRetries; !replica.running; retries -= 1) {
      replica.running = await startReplica(replicaVariables, createLineReader(), [entry]).catch(async (cause) => {
        // The process exits if its database is down or a node serves another chain. Restart it, as a supervisor would.
        if (retries === 0) throw cause;
        await sleep(1_000);
        return undefined;
      });
    }
  }
  let starting: Promise<void> | undefined;
  const replica: ManagedReplica = {
    url: `http://127.0.0.1:${port}`,
    skewMs,
    rpc,
    running: undefined,
    async start() {
      // Two scenarios may start the replica concurrently.
      starting ??= startWithRetries().finally(() => {
        starting = undefined;
      });
      await starting;
    },
    async kill() {
      const { running } = replica;
      replica.running = undefined;
      await running?.kill();
    },
    freeze: () => replica.running?.freeze(),
    thaw: () => replica.running?.thaw(),
  };
  return replica;
}
