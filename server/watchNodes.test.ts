import { expect, onTestFinished, test } from 'vitest';
import type { NodeState } from '../engine/index.ts';
import { describeNode } from './describeNode.ts';
import { watchNodes } from './watchNodes.ts';

const state = (capabilities: Partial<NodeState['capabilities']> = {}, more: Partial<NodeState> = {}): NodeState => ({
  position: 1,
  isCircuitOpen: false,
  failuresInARow: 0,
  latencyMs: undefined,
  headAgeMs: 100,
  isQuotersOnly: false,
  capabilities: {
    overrides: 'yes',
    simulation: 'yes',
    pastBlocks: 'yes',
    logRange: undefined,
    maxBatch: undefined,
    gasCap: undefined,
    maxReplyBytes: undefined,
    ...capabilities,
  },
  budget: undefined,
  failure: undefined,
  ...more,
});

test('describes nothing of a node without known limits', () => {
  expect(describeNode(state())).toBeUndefined();
});

test('describes each limit and the refusal of a node', () => {
  const budget = { perSecond: 412.5, of: 'units', isLearnt: true } as const;
  expect(describeNode(state({ simulation: 'no', logRange: 10_000, maxBatch: 3 }, { budget }))).toBe(
    'cannot run eth_simulateV1 (no checks), limits logs to 10000 blocks a request, limits batches to 3 calls, accepts 413 units a second (learnt)',
  );
  expect(describeNode(state({}, { failure: 'base-1 returned HTTP 403.' }))).toBe('returned HTTP 403');
});

test('logs once what a node lacks, and once that it has it again', () => {
  const lines: [string, unknown][] = [];
  const logger = {
    warn: (facts: object) => void lines.push(['warn', facts]),
    info: (facts: object) => void lines.push(['info', facts]),
  };
  let current = state();
  const { check, close } = watchNodes({ chains: ['base'], nodeStates: () => [current] }, logger);
  onTestFinished(close);
  check();
  current = state({ simulation: 'no' });
  check();
  check();
  current = state();
  check();
  expect(lines).toEqual([
    ['warn', { chain: 'base', node: 'base-1', limits: 'cannot run eth_simulateV1 (no checks)' }],
    ['info', { chain: 'base', node: 'base-1' }],
  ]);
});
