import type { NodeState } from '../engine/index.ts';

/** What a node lacks or limits, for operators, after its label; undefined if nothing is known to be missing. */
export function describeNode({ capabilities, budget, failure, position }: NodeState): string | undefined {
  const { overrides, simulation, pastBlocks, logRange, maxBatch, gasCap, maxReplyBytes } = capabilities;
  // The message begins with the label.
  const reason = failure?.replace(new RegExp(`^\\w+-${position} `), '').replace(/\.$/, '');
  const limits = [
    reason,
    overrides === 'no' && 'refuses state overrides: quotes use published quoters, checks are unavailable',
    simulation === 'no' && 'cannot run eth_simulateV1 (no checks)',
    simulation === 'short' && 'limits the blocks of eth_simulateV1',
    pastBlocks === 'no' && 'refuses calls of past blocks (no checks)',
    logRange === 0 && 'refuses logs',
    logRange !== undefined && logRange > 0 && `limits logs to ${logRange} blocks a request`,
    maxBatch !== undefined && `limits batches to ${maxBatch} calls`,
    gasCap !== undefined && `limits the gas of a call to ${gasCap}`,
    maxReplyBytes !== undefined && `refused a response of ${maxReplyBytes} bytes`,
    budget && `accepts ${Math.round(budget.perSecond)} ${budget.of} a second${budget.isLearnt ? ' (learnt)' : ''}`,
  ].filter((text) => typeof text === 'string');
  return limits.length > 0 ? limits.join(', ') : undefined;
}
