import type { ProxiedCall, RpcFault, RpcProxy } from '../../sandbox/index.ts';
import type { FacilitatorFault, Path } from '../payments/facilitatorServer.ts';
import type { ChaosEnvironment } from './chaosEnvironment.ts';
import type { ManagedReplica } from './managedReplica.ts';
import type { PayChain } from './payments.ts';

/** A fault with the name under which it is counted. */
export type NamedFault<Fault> = { name: string; fault: Fault };

/** Occurrences by name. */
export type Tally = Record<string, number>;

/** Returns the fault of a request from a replica to a node; undefined forwards the request. */
export type NodeFaultRule = (
  calls: readonly ProxiedCall[],
  replica: ManagedReplica,
) => NamedFault<RpcFault> | undefined;
/** Returns the fault of a request from a replica to the remote facilitator; undefined forwards the request. */
export type FacilitatorFaultRule = (path: Path, replica: ManagedReplica) => NamedFault<FacilitatorFault> | undefined;

/** Applies rules to nodes and to the remote facilitator. The first rule that returns a fault wins. */
export function createFaultInjector({ replicas, remoteFacilitator }: ChaosEnvironment, tally: Tally) {
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
          // The proxy records every request; clearing the list bounds its memory.
          proxy.requests.length = 0;
          return applyRules(
            [...rules].map((rule) => () => rule(calls, replica)),
            chain,
          );
        };
      }
  remoteFacilitator.fault = (path, target) => {
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
     * Adds a rule and returns a function that removes it.
     *
     * @param options.nodeIndexes indexes of the chain's nodes; all by default
     * @param options.affected replicas that the rule affects; all by default
     */
    addNodeFault(
      chain: PayChain,
      rule: NodeFaultRule,
      {
        nodeIndexes,
        affected = replicas,
      }: { nodeIndexes?: readonly number[]; affected?: readonly ManagedReplica[] } = {},
    ): () => void {
      const proxied = affected.flatMap((replica) =>
        replica.rpc[chain].filter((_, at) => nodeIndexes?.includes(at) ?? true),
      );
      for (const proxy of proxied) nodeRules.get(proxy)?.add(rule);
      return () => {
        for (const proxy of proxied) nodeRules.get(proxy)?.delete(rule);
      };
    },
    /** Adds a rule and returns a function that removes it. */
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
