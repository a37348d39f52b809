import { expect, test } from 'vitest';
import type { PoolIndexState } from '../engine/index.ts';
import { describePoolIndex, watchPoolIndexes } from './poolIndexes.ts';

const state = (more: Partial<PoolIndexState> = {}): PoolIndexState => ({
  status: 'scanning',
  blocksLeft: 30_000_000,
  target: 50_000_000,
  percent: 40,
  secondsLeft: 840,
  reason: undefined,
  ...more,
});

test('describes each state of an index', () => {
  expect(describePoolIndex(state({ status: 'idle' }))).toBeUndefined();
  expect(describePoolIndex(state())).toBe('pool index 40 % (30000000 blocks left), about 14 min left');
  expect(describePoolIndex(state({ status: 'complete' }))).toBe('pool index complete');
  const failing = state({ status: 'failing', reason: "the nodes' logs are refused" });
  expect(describePoolIndex(failing)).toBe(
    "pool index stopped at 40 % (30000000 blocks left): the nodes' logs are refused; tried again",
  );
});

test('logs one line for each change of a state, and none for its progress', () => {
  const lines: string[] = [];
  let now = state({ status: 'idle' });
  const logger = {
    info: (_: object, text: string) => lines.push(text),
    warn: (_: object, text: string) => lines.push(text),
  };
  const watch = watchPoolIndexes(() => ({ polygon: now }), logger);
  watch.check();
  expect(lines).toEqual([]);
  now = state();
  watch.check();
  now = state({ percent: 41 });
  watch.check();
  expect(lines).toEqual(['The state of the pool index changed']);
  now = state({ status: 'failing', reason: 'no node responds' });
  watch.check();
  watch.check();
  expect(lines.slice(1)).toEqual(['The pool index cannot be extended: quotes may miss pools']);
  watch.close();
});
