import { lackOf, needsProbe, type Product } from './capabilities.ts';
import { type AtNode, type ConfiguredNode, type createAttempts, isNodeFailure } from './nodeAttempt.ts';
import { toRanked } from './nodeRank.ts';

interface NodeTestOptions {
  all: readonly ConfiguredNode[];
  attempt: ReturnType<typeof createAttempts>;
  now: () => number;
  deadlineMs: number;
  /** The self-test. */
  probe: AtNode<unknown>;
  /** Reads what a node can do. */
  probeCapabilities?: AtNode<void> | undefined;
}

const probeAfterMs = 15_000;

/** Tests of the nodes beside the reads that callers wait for. */
export function createNodeTests({ all, attempt, now, deadlineMs, probe, probeCapabilities }: NodeTestOptions) {
  /** A test's errors have no caller; those that are not the node's count as its failures too. */
  async function test(configured: ConfiguredNode, at: AtNode<unknown>): Promise<void> {
    try {
      await attempt(configured, at, { signal: AbortSignal.timeout(deadlineMs) });
    } catch (error) {
      if (!isNodeFailure(error)) configured.health.failed();
    }
  }

  return {
    /** Probes recovered and idle nodes in the background, so that their rank is measured. */
    probeIdle(used: ConfiguredNode): void {
      for (const configured of all) {
        const { health } = configured;
        const lastContactAt = health.lastContactAt();
        const overdue =
          lastContactAt === undefined || now() - lastContactAt >= probeAfterMs || health.circuit.failures() > 0;
        if (configured === used || configured.probing || !overdue || health.circuit.openMs() > 0) continue;
        configured.probing = true;
        void test(configured, probe).finally(() => {
          configured.probing = false;
        });
      }
    },

    /** Reads old capabilities again. Waits for that if no node is known to be able to answer the call. */
    async refreshCapabilities(product: Product): Promise<void> {
      if (!probeCapabilities) return;
      const due = toRanked(all, { now: now() }).filter(({ memory }) => needsProbe(memory, now()));
      const tests = due.map((configured) => {
        configured.capabilityTest ??= test(configured, probeCapabilities).finally(() => {
          configured.capabilityTest = undefined;
        });
        return configured.capabilityTest;
      });
      const isAble = ({ memory }: ConfiguredNode) =>
        memory.probedAt !== undefined && lackOf(memory, product, now()) === undefined;
      // Quotes need nothing that all nodes do not have.
      if (product === 'check' && !all.some(isAble)) await Promise.all(tests);
    },
  };
}
