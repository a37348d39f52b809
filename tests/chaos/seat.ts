import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, type RpcProxy, startRpcProxy } from '../../sandbox/index.ts';
import { type Replica, startReplica } from '../../scripts/cluster/startReplica.ts';
import type { PayChain } from './payments.ts';

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
const startTries = 30;

/** What a replica is started with, and the world around it. */
interface SeatPlan {
  /** What Node is given to run. */
  entry: string;
  /** The same for all replicas. */
  environment: Record<string, string>;
  skewMs: number;
  /** The real nodes, by chain. */
  targets: Record<PayChain, string>;
  /** The facilitator elsewhere, for these chains; its URL says who asks. */
  elsewhere: { url: string; chains: readonly PayChain[] };
  /** Told whole lines of what it writes. */
  hear(lines: string[]): void;
}

/** A port, and nodes that can be broken for this replica alone; nothing is started yet. */
export async function takeSeat({ entry, environment, skewMs, targets, elsewhere, hear }: SeatPlan): Promise<Seat> {
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

  function newListener(): (text: string) => void {
    let begun = '';
    return (text) => {
      const lines = (begun + text).split('\n');
      begun = lines.pop() ?? '';
      hear(lines);
    };
  }
  async function bringUp(): Promise<void> {
    for (let left = startTries; !seat.replica; left -= 1) {
      seat.replica = await startReplica(own, newListener(), [entry]).catch(async (cause) => {
        // Without a database, or with a node that says it is of another chain, it ends; a supervisor tries again.
        if (left === 0) throw cause;
        await sleep(1_000);
        return undefined;
      });
    }
  }
  let starting: Promise<void> | undefined;
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
