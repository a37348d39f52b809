import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, type RpcProxy, startRpcProxy } from '../../sandbox/index.ts';
import { type Replica, startReplica } from '../../tools/cluster/startReplica.ts';
import type { PayChain } from './payments.ts';

/** A replica whose process may stop and restart; its port, clock skew and node proxies stay. */
export interface ManagedReplica {
  url: string;
  skewMs: number;
  /** Proxies to the nodes, used by this replica only. */
  rpc: Record<PayChain, RpcProxy[]>;
  /** Undefined while no process runs. */
  running: Replica | undefined;
  start(): Promise<void>;
  kill(): Promise<void>;
  /** Suspends the process, as a paused virtual machine would be. */
  freeze(): void;
  thaw(): void;
}

const nodesOf: Record<PayChain, number> = { base: 2, polygon: 1, solana: 2 };
const startTries = 30;

/** Start parameters of a replica. */
interface ReplicaPlan {
  /** Entry file for Node. */
  entry: string;
  /** Environment variables that all replicas share. */
  environment: Record<string, string>;
  skewMs: number;
  /** URLs of the real nodes, by chain. */
  targets: Record<PayChain, string>;
  /** Remote facilitator for these chains; its URL identifies the replica. */
  elsewhere: { url: string; chains: readonly PayChain[] };
  /** Receives complete lines of the replica's output. */
  onLines(lines: string[]): void;
}

/** Reserves a port and opens this replica's node proxies; starts no process. */
export async function prepareReplica({
  entry,
  environment,
  skewMs,
  targets,
  elsewhere,
  onLines,
}: ReplicaPlan): Promise<ManagedReplica> {
  const port = await freePort();
  const openNodes = (chain: PayChain) =>
    Promise.all(Array.from({ length: nodesOf[chain] }, () => startRpcProxy(targets[chain])));
  const rpc = { base: await openNodes('base'), polygon: await openNodes('polygon'), solana: await openNodes('solana') };
  const nodeUrls = Object.entries(rpc).map(([chain, nodes]) => [
    `RPC_URL_${chain.toUpperCase()}`,
    nodes.map(({ url }) => url).join(','),
  ]);
  const facilitators = elsewhere.chains.map((chain) => [`FACILITATOR_URL_${chain.toUpperCase()}`, elsewhere.url]);
  const own = {
    ...environment,
    ...Object.fromEntries([...nodeUrls, ...facilitators]),
    PORT: `${port}`,
    CLOCK_SKEW_MS: `${skewMs}`,
  };

  function lineReader(): (text: string) => void {
    let begun = '';
    return (text) => {
      const lines = (begun + text).split('\n');
      begun = lines.pop() ?? '';
      onLines(lines);
    };
  }
  async function startWithRetries(): Promise<void> {
    for (let left = startTries; !replica.running; left -= 1) {
      replica.running = await startReplica(own, lineReader(), [entry]).catch(async (cause) => {
        // The process exits without a database or with a node of another chain; restart it as a supervisor would.
        if (left === 0) throw cause;
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
      // Two scenarios may start it concurrently.
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
