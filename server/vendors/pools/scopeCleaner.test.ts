import { expect, test } from 'vitest';
import type { PoolIndexStore } from '../../storage/index.ts';
import { createScopeCleaner } from './scopeCleaner.ts';

const hourMs = 3_600_000;

/** A cleaner over one other scope. `steps` deletions are needed to remove it. */
function cleanerOver(steps: number) {
  const state = { now: 0, scope: { scope: '0xaa', written: '0..100' }, left: steps, deletions: 0 };
  const store = {
    loadOtherScopes: async () => (state.left > 0 ? [{ ...state.scope }] : []),
    async deleteOtherScope() {
      if (state.left === 0) return false;
      state.deletions += 1;
      state.left -= 1;
      return true;
    },
  } as unknown as PoolIndexStore;
  const faults: unknown[] = [];
  const { signal } = new AbortController();
  const cleaner = createScopeCleaner({
    ...{ store, signal, scope: '0xbb', pauseMs: 0 },
    now: () => state.now,
    onFault: (error) => faults.push(error),
  });
  /** Deletions that one comparison makes, after some hours. */
  const after = async (hours: number) => {
    const before = state.deletions;
    state.now += hours * hourMs;
    cleaner.start();
    await cleaner.ended();
    expect(faults).toEqual([]);
    return state.deletions - before;
  };
  return { state, after };
}

test('default: a scope is deleted in steps after a day without a change', async () => {
  const { after } = cleanerOver(3);
  expect([await after(0), await after(23), await after(1), await after(24)]).toEqual([0, 0, 3, 0]);
});

test('behavior: a change starts another day', async () => {
  const { state, after } = cleanerOver(3);
  await after(0);
  state.scope.written = '0..200';
  expect([await after(24), await after(23), await after(1)]).toEqual([0, 0, 3]);
});

test('behavior: a deleted scope that is written again is watched for another day', async () => {
  const { state, after } = cleanerOver(3);
  expect([await after(0), await after(24)]).toEqual([0, 3]);
  state.left = 3;
  expect([await after(1), await after(23), await after(1)]).toEqual([0, 0, 3]);
});

test('behavior: scopes are compared at most once an hour', async () => {
  const { state, after } = cleanerOver(3);
  await after(0);
  state.scope.written = '0..200';
  // Not compared, so the change is seen an hour later, and the day starts there.
  await after(0.5);
  expect([await after(0.5), await after(23), await after(1)]).toEqual([0, 0, 3]);
});
