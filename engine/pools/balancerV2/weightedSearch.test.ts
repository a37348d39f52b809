import { expect, test } from 'vitest';
import { testNode } from '../../../tests/support/engine/testNode.ts';
import { addressOf, poolOf, testHeader } from '../../../tests/support/engine/testProbe.ts';
import { deployments } from '../../venues/deployments/deployments.ts';
import { createRoutedPools, createWeightedSearch, type WeightedSearch } from './weightedSearch.ts';

/** Pools of a chain with weighted pools, over a node whose logs are empty. */
function routedAt() {
  const state = { now: 0, requests: 0, isRefused: false, onSend: () => {} };
  const node = testNode({
    chain: 'polygon',
    async send(calls) {
      state.requests += 1;
      state.onSend();
      return calls.map(({ method }) => {
        if (method === 'eth_getBlockByNumber') return { result: testHeader };
        return state.isRefused ? { error: { code: -32_005, message: 'range' } } : { result: [] };
      });
    },
  });
  const now = () => state.now;
  const weightedSearch = createWeightedSearch({ deployment: deployments.polygon, now });
  const routed = createRoutedPools(now, weightedSearch);
  const forget = () => {
    weightedSearch.forget();
    routed.forget();
  };
  /** The number of requests of one refresh. */
  const refresh = async () => {
    const before = state.requests;
    expect(await routed.refresh(node)).toBe(false);
    expect(routed.recall()).toEqual([]);
    return state.requests - before;
  };
  return { state, refresh, forget, routed, node };
}

test('a search of the weighted pools is repeated after ten minutes', async () => {
  const { state, refresh } = routedAt();
  expect(await refresh()).toBeGreaterThan(0);
  state.now = 599_999;
  expect(await refresh()).toBe(0);
  state.now = 600_000;
  expect(await refresh()).toBeGreaterThan(0);
});

test('a failed search is repeated after 30 seconds, also if the pools are forgotten', async () => {
  const { state, refresh, forget } = routedAt();
  state.isRefused = true;
  expect(await refresh()).toBeGreaterThan(0);
  forget();
  state.now = 29_999;
  expect(await refresh()).toBe(0);
  state.isRefused = false;
  state.now = 30_000;
  expect(await refresh()).toBeGreaterThan(0);
  expect(await refresh()).toBe(0);
});

test('pools that were forgotten are searched again, once', async () => {
  const { refresh, forget } = routedAt();
  await refresh();
  forget();
  expect(await refresh()).toBeGreaterThan(0);
  expect(await refresh()).toBe(0);
});

test('pools that were forgotten during a search are searched again', async () => {
  const { state, refresh, forget } = routedAt();
  state.onSend = forget;
  await refresh();
  state.onSend = () => {};
  expect(await refresh()).toBeGreaterThan(0);
});

test('two refreshes at the same time share one search', async () => {
  const { state, routed, node } = routedAt();
  const both = await Promise.all([routed.refresh(node), routed.refresh(node)]);
  const requests = state.requests;
  expect(both).toEqual([false, false]);
  await routed.refresh(node);
  expect([requests, state.requests]).toEqual([1, 1]);
});

test('a chain without weighted pools is not searched', async () => {
  const { state, node } = routedAt();
  const search = createWeightedSearch({ deployment: deployments.base, now: () => 0 });
  expect(await search.find(deployments.base.usdc, node)).toEqual([]);
  expect(await search.findRouted(node)).toEqual([]);
  expect([state.requests, search.isComplete()]).toEqual([0, true]);
});

test('the pools of the last successful search are returned; a failed or incomplete one is repeated early', async () => {
  const [first, second] = [[poolOf(addressOf('1'))], [poolOf(addressOf('2'))]];
  const state = { now: 0, found: async () => first as typeof first | undefined, isComplete: true, searches: 0 };
  const weightedSearch: WeightedSearch = {
    find: async () => [],
    findRouted() {
      state.searches += 1;
      return state.found();
    },
    isComplete: () => state.isComplete,
    forget() {},
  };
  const routed = createRoutedPools(() => state.now, weightedSearch);
  const node = testNode({ chain: 'polygon', send: async () => [] });
  const refresh = async () => [await routed.refresh(node), routed.recall(), state.searches];
  expect(routed.recall()).toEqual([]);
  expect(await refresh()).toEqual([true, first, 1]);
  expect(await refresh()).toEqual([false, first, 1]);
  // Each end of a search, and the delay until the next one.
  state.now = 600_000;
  state.found = () => Promise.reject(new RangeError('no logs'));
  expect(await refresh()).toEqual([true, first, 2]);
  state.now += 30_000;
  state.found = async () => undefined;
  expect(await refresh()).toEqual([true, first, 3]);
  state.now += 30_000;
  Object.assign(state, { found: async () => second, isComplete: false });
  expect(await refresh()).toEqual([true, second, 4]);
  state.now += 29_999;
  expect(await refresh()).toEqual([false, second, 4]);
  state.now += 1;
  expect(await refresh()).toEqual([true, second, 5]);
});
