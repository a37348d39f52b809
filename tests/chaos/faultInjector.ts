import type { ProxiedCall, RpcFault, RpcProxy } from '../../sandbox/index.ts';
import type { FacilitatorFault, Path } from '../payments/facilitatorServer.ts';
import type { ChaosEnvironment } from './chaosEnvironment.ts';
import type { ManagedReplica } from './managedReplica.ts';
import type { PayChain } from './payments.ts';

/** A fault with the name it is counted under. */
export type NamedFault<Fault> = { name: string; fault: Fault };

/** Occurrences by name. */
export type Tally = Record<string, number>;

/** Called for each request of a replica to a node; undefined passes the request on. */
export type NodeFaultRule = (
  calls: readonly ProxiedCall[],
  replica: ManagedReplica,
) => NamedFault<RpcFault> | undefined;
/** Called for each request to the remote facilitator. */
export type FacilitatorFaultRule = (path: Path, replica: ManagedReplica) => NamedFault<FacilitatorFault> | undefined;

/** Applies rules to nodes and to the remote facilitator. The first rule that returns a fault wins. */
export function createFaultInjector({ replicas, stranger }: ChaosEnvironment, tally: Tally) {
  const nodeRules = new Map<RpcProxy, Set<NodeFaultRule>>();
  const facilitatorRules = new Set<FacilitatorFaultRule>();

  function applyRules<Fault>(rules: Iterable<() => NamedFault<Fault> | undefined>, where: string): Fault | undefined {
    for (const rule of rules) {
      const found = rule();
      if (!found) continue;
      const name = `${where}: ${found.name}`;
      tally[name] = (tally[name] ?? 0) + 1;
      return found.fault;
    }
    return undefined;
  }

  for (const replica of replicas)
    for (const [chain, proxies] of Object.entries(replica.rpc))
      for (const proxy of proxies) {
        const rules = new Set<NodeFaultRule>();
        nodeRules.set(proxy, rules);
        proxy.fault = (calls) => {
          // The proxy records every request; clear the list to bound memory.
          proxy.requests.length = 0;
          return applyRules(
            [...rules].map((rule) => () => rule(calls, replica)),
            chain,
          );
        };
      }
  stranger.fault = (path, target) => {
    const replica = replicas[Number(/\/(\d)\/[a-z]+$/.exec(target)?.[1])];
    return replica
      ? applyRules(
          [...facilitatorRules].map((rule) => () => rule(path, replica)),
          'facilitator',
        )
      : undefined;
  };

  return {
    /**
     * @param which indexes of the chain's nodes; all by default
     * @param affected replicas that the rule affects; all by default
     */
    addNodeFault(
      chain: PayChain,
      rule: NodeFaultRule,
      { which, affected = replicas }: { which?: readonly number[]; affected?: readonly ManagedReplica[] } = {},
    ): () => void {
      const proxied = affected.flatMap((replica) => replica.rpc[chain].filter((_, at) => which?.includes(at) ?? true));
      for (const proxy of proxied) nodeRules.get(proxy)?.add(rule);
      return () => {
        for (const proxy of proxied) nodeRules.get(proxy)?.delete(rule);
      };
    },
    addFacilitatorFault(rule: FacilitatorFaultRule): () => void {
      facilitatorRules.add(rule);
      return () => void facilitatorRules.delete(rule);
    },
    /** Removes all rules. */
    clear(): void {
      for (const rules of nodeRules.values()) rules.clear();
      facilitatorRules.clear();
    },
  };
}

export type FaultInjector = ReturnType<typeof createFaultInjector>;
