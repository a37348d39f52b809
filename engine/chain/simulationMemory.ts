import type { NodeMemory } from './node.ts';

/**
 * Milliseconds until a limit is tried again: the node may be updated, and one URL may serve several nodes. A node that
 * cannot simulate is tested again with its other capabilities.
 */
const rememberedMs = { short: 60_000, no: 600_000 };
/** How long a check without its simulated trades makes the chain `degraded`. */
const failureMs = 60_000;

/** What is known about a node's simulations at this time. */
export function simulatesNow({ simulates, simulatesSince }: NodeMemory, now: number): NodeMemory['simulates'] {
  const isLimited = simulates === 'short' || simulates === 'no';
  return isLimited && now - simulatesSince >= rememberedMs[simulates] ? 'unknown' : simulates;
}

/** Records what a reply shows. A success of short simulations does not lift that limit. */
export function noteSimulation(memory: NodeMemory, simulates: 'yes' | 'short' | 'no', now: number): void {
  if (simulates === 'yes' && simulatesNow(memory, now) === 'short') return;
  if (memory.simulates !== simulates || simulates !== 'yes') memory.simulatesSince = now;
  memory.simulates = simulates;
}

/** Whether a check recently lacked simulated trades because of this node. */
export const hasFailedSimulations = (memory: NodeMemory, now: number): boolean =>
  simulatesNow(memory, now) === 'no' ||
  (memory.simulationFailedAt !== undefined && now - memory.simulationFailedAt < failureMs);
