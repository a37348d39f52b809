import type { Hex } from 'viem';
import { dropBlocks } from './dropBlocks.ts';
import { faultyFacilitator } from './facilitatorFaults.ts';
import type { FaultContext, FaultScenarios } from './faultContext.ts';
import type { NodeFaultRule } from './faultInjector.ts';
import {
  intermittent,
  lagging,
  mishandlesBroadcasts,
  slow,
  unconfirmed,
  unreachable,
  wrongNetwork,
} from './nodeFaults.ts';
import type { PayChain } from './payments.ts';

/** Faults of nodes, facilitator and chains. @param reorged collects the transactions that reorganisations removed */
export function dependencyFaults(
  { environment, random, injector, wait }: FaultContext,
  reorged: Set<Hex>,
): FaultScenarios {
  const anyChain = () => random.pick<PayChain>(['base', 'base', 'polygon', 'solana', 'solana']);
  async function applyFault(
    chain: PayChain,
    rule: NodeFaultRule,
    ms: number,
    nodeIndexes?: readonly number[],
  ): Promise<void> {
    // In a quarter of the cases only one replica is affected.
    const affected = random.chance(0.25) ? [random.pick(environment.replicas)] : environment.replicas;
    const clear = injector.addNodeFault(chain, rule, { affected, ...(nodeIndexes && { nodeIndexes }) });
    await wait(ms);
    clear();
  }
  let dropping: Promise<void> = Promise.resolve();
  return {
    async 'one node of a chain fails intermittently'() {
      const chain = random.pick<PayChain>(['base', 'solana']);
      await applyFault(chain, intermittent(random, chain, 0.6), random.between(2_000, 6_000), [random.between(0, 1)]);
    },
    async 'all nodes of a chain fail intermittently'() {
      const chain = anyChain();
      await applyFault(chain, intermittent(random, chain, 0.25), random.between(2_000, 6_000));
    },
    async 'all nodes of a chain are unreachable'() {
      await applyFault(anyChain(), unreachable, random.between(1_000, 4_000));
    },
    async 'the nodes of a chain are slow'() {
      await applyFault(anyChain(), slow(random), random.between(2_000, 6_000));
    },
    async 'nodes mishandle broadcasts'() {
      await applyFault(
        random.pick<PayChain>(['base', 'solana']),
        mishandlesBroadcasts(random),
        random.between(4_000, 9_000),
      );
    },
    async 'nodes lag behind'() {
      await applyFault(anyChain(), lagging, random.between(2_000, 7_000));
    },
    async 'Solana confirms late'() {
      await applyFault('solana', unconfirmed, random.between(3_000, 9_000));
    },
    async 'a node switches to another network'() {
      await applyFault(anyChain(), wrongNetwork, random.between(2_000, 5_000), [0]);
    },
    async 'Solana skips slots, so that signed payments expire'() {
      environment.solana.skipSlots(random.between(20, 160));
      await wait(1_000);
    },
    async 'the remote facilitator misbehaves'() {
      const clear = injector.addFacilitatorFault(faultyFacilitator(random, 0.6));
      await wait(random.between(3_000, 7_000));
      clear();
    },
    async 'Base drops its last blocks'() {
      // One reorganisation at a time, because concurrent ones would overlap.
      dropping = dropping.then(async () => {
        for (const hash of await dropBlocks(environment, environment.chains.base, random)) reorged.add(hash);
      });
      await dropping;
      await wait(2_000);
    },
    async 'no fault'() {
      await wait(random.between(1_000, 3_000));
    },
  };
}
