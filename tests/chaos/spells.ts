import type { ProxiedCall, RpcFault, RpcProxy } from '../../sandbox/index.ts';
import type { FacilitatorFault, Path } from '../payments/facilitatorServer.ts';
import type { ChaosWorld } from './chaosWorld.ts';
import type { PayChain } from './payments.ts';
import type { Seat } from './seat.ts';

/** A fault with a name to count it by. */
export type Named<Fault> = { name: string; fault: Fault };

/** What was thrown, how often. */
export type Tally = Record<string, number>;

/** Asked for each request of a replica to a node; undefined lets it pass. */
export type NodeSpell = (calls: readonly ProxiedCall[], seat: Seat) => Named<RpcFault> | undefined;
/** The same for requests to the facilitator elsewhere. */
export type StrangerSpell = (path: Path, seat: Seat) => Named<FacilitatorFault> | undefined;

/** What lies over nodes and facilitator: several spells at once, of which the first that strikes counts. */
export function openSpells({ seats, stranger }: ChaosWorld, tally: Tally) {
  const overNodes = new Map<RpcProxy, Set<NodeSpell>>();
  const overStranger = new Set<StrangerSpell>();

  function strike<Fault>(spells: Iterable<() => Named<Fault> | undefined>, where: string): Fault | undefined {
    for (const spell of spells) {
      const struck = spell();
      if (!struck) continue;
      const name = `${where}: ${struck.name}`;
      tally[name] = (tally[name] ?? 0) + 1;
      return struck.fault;
    }
    return undefined;
  }

  for (const seat of seats)
    for (const [chain, proxies] of Object.entries(seat.rpc))
      for (const proxy of proxies) {
        const spells = new Set<NodeSpell>();
        overNodes.set(proxy, spells);
        proxy.fault = (calls) => {
          // It counts what it sees; nobody reads it here.
          proxy.requests.length = 0;
          return strike(
            [...spells].map((spell) => () => spell(calls, seat)),
            chain,
          );
        };
      }
  stranger.fault = (path, target) => {
    const seat = seats[Number(/\/(\d)\/[a-z]+$/.exec(target)?.[1])];
    return seat
      ? strike(
          [...overStranger].map((spell) => () => spell(path, seat)),
          'facilitator',
        )
      : undefined;
  };

  return {
    /** @param which positions of the chain's nodes; all when absent. @param whose the replicas that see it so; all when absent */
    castOnNodes(
      chain: PayChain,
      spell: NodeSpell,
      { which, whose = seats }: { which?: readonly number[]; whose?: readonly Seat[] } = {},
    ): () => void {
      const struck = whose.flatMap((seat) => seat.rpc[chain].filter((_, at) => which?.includes(at) ?? true));
      for (const proxy of struck) overNodes.get(proxy)?.add(spell);
      return () => {
        for (const proxy of struck) overNodes.get(proxy)?.delete(spell);
      };
    },
    castOnStranger(spell: StrangerSpell): () => void {
      overStranger.add(spell);
      return () => void overStranger.delete(spell);
    },
    /** Everybody is honest again. */
    lift(): void {
      for (const spells of overNodes.values()) spells.clear();
      overStranger.clear();
    },
  };
}

export type Spells = ReturnType<typeof openSpells>;
