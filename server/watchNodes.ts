import type { Engine } from '../engine/index.ts';
import { describeNode } from './describeNode.ts';

const intervalMs = 5_000;

interface NodeLogger {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
}

/** Logs what each node lacks, and each change of it. From memory, without an RPC request. */
export function watchNodes(engine: Pick<Engine, 'chains' | 'nodeStates'>, logger: NodeLogger) {
  const reported = new Map<string, string | undefined>();
  const check = () => {
    for (const chain of engine.chains) {
      for (const state of engine.nodeStates(chain)) {
        const node = `${chain}-${state.position}`;
        // A learnt budget changes all the time. Single failures have metrics; a node that never answered has no other line.
        const budget = state.budget?.isLearnt ? undefined : state.budget;
        const failure = state.headAgeMs === undefined ? state.failure : undefined;
        const limits = describeNode({ ...state, budget, failure });
        if (reported.get(node) === limits) continue;
        reported.set(node, limits);
        if (limits)
          logger.warn({ chain, node, limits }, 'The RPC node lacks a capability that calls need, or limits it');
        else logger.info({ chain, node }, 'The RPC node has all that calls need again');
      }
    }
  };
  check();
  const timer = setInterval(check, intervalMs).unref();
  return { check, close: () => clearInterval(timer) };
}
