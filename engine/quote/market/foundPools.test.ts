import { numberToHex } from 'viem';
import { expect, test, vi } from 'vitest';
import { testNode } from '../../../tests/support/engine/testNode.ts';
import { addressOf, poolOf, tokenA, tokenB } from '../../../tests/support/engine/testProbe.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import { maxUnlistedPools } from '../../pools/rankPools.ts';
import { deployments } from '../../venues/deployments/deployments.ts';
import { toCandidatePools } from '../../venues/families.ts';
import type { PoolRef } from '../../venues/poolTypes.ts';
import type { TokenPools } from './findTokenPools.ts';
import { createKeptPools, createPoolSearcher } from './foundPools.ts';

const deployment = deployments.polygon;
const candidatePools = toCandidatePools(deployment.venues);
const hash = numberToHex(9, { size: 32 });
const header = { number: '0x64', hash, parentHash: hash, timestamp: '0x64' };
const [wpol, usdc] = deployment.routingAssets.map(({ address }) => address) as [LowerAddress, LowerAddress];
const newToken: LowerAddress = '0x1111111111111111111111111111111111111111';
const minute = 60_000;

/** A searcher over a node whose logs are empty; while `isHeld`, replies wait for `release`. */
function searcherAt() {
  const state = { now: 0, requests: 0, isHeld: false, isRefused: false, release: () => {} };
  const node = testNode({
    chain: 'polygon',
    async send(calls) {
      state.requests += 1;
      if (state.isHeld) {
        const { release } = state;
        await new Promise<void>((resolve) => {
          state.release = () => {
            release();
            resolve();
          };
        });
      }
      return calls.map(({ method }) => {
        if (method === 'eth_getBlockByNumber') return { result: header };
        return state.isRefused ? { error: { code: -32_005, message: 'range' } } : { result: [] };
      });
    },
  });
  const searcher = createPoolSearcher({ deployment, candidatePools, now: () => state.now });
  return { state, search: (tokenIn: LowerAddress) => searcher.search({ tokenIn, tokenOut: usdc }, node), searcher };
}

/** The number of requests of one search. */
async function requestsOf({ state, search }: ReturnType<typeof searcherAt>, token: LowerAddress): Promise<number> {
  const before = state.requests;
  await search(token);
  return state.requests - before;
}

test('searches a token once in ten minutes', async () => {
  const all = searcherAt();
  expect(await requestsOf(all, newToken)).toBe(2);
  expect(await requestsOf(all, newToken)).toBe(0);
  all.state.now += 10 * minute;
  expect(await requestsOf(all, newToken)).toBe(2);
});

test('searches a forgotten token again, once', async () => {
  const all = searcherAt();
  await all.search(newToken);
  all.searcher.forget({ tokenIn: newToken, tokenOut: usdc });
  expect(await requestsOf(all, newToken)).toBe(2);
  expect(await requestsOf(all, newToken)).toBe(0);
});

test('searches a token again, once, if it was forgotten during its search', async () => {
  const all = searcherAt();
  all.state.isHeld = true;
  const running = all.search(newToken);
  await vi.waitFor(() => expect(all.state.requests).toBe(2));
  all.searcher.forget({ tokenIn: newToken, tokenOut: usdc });
  all.state.isHeld = false;
  all.state.release();
  await running;
  expect(await requestsOf(all, newToken)).toBe(2);
  expect(await requestsOf(all, newToken)).toBe(0);
});

test('keeps the retry delay of a failed search if the token is forgotten', async () => {
  const all = searcherAt();
  all.state.isRefused = true;
  await all.search(newToken);
  all.searcher.forget({ tokenIn: newToken, tokenOut: usdc });
  expect(await requestsOf(all, newToken)).toBe(0);
});

test('searches the weighted pools of routing assets again if a pair of them is forgotten', async () => {
  const all = searcherAt();
  await all.search(wpol);
  await vi.waitFor(() => expect(all.state.requests).toBe(1));
  all.searcher.forget({ tokenIn: wpol, tokenOut: usdc });
  await all.search(wpol);
  await vi.waitFor(() => expect(all.state.requests).toBe(2));
  await all.search(wpol);
  expect(all.state.requests).toBe(2);
});

test('searches the weighted pools of routing assets again if they were forgotten during their search', async () => {
  const all = searcherAt();
  all.state.isHeld = true;
  await all.search(wpol);
  await vi.waitFor(() => expect(all.state.requests).toBe(1));
  all.searcher.forget({ tokenIn: wpol, tokenOut: usdc });
  all.state.isHeld = false;
  all.state.release();
  await vi.waitFor(async () => {
    await all.search(wpol);
    expect(all.state.requests).toBe(2);
  });
});

const [one, two, three] = ['1', '2', '3'].map((digit) => poolOf(addressOf(digit))) as [PoolRef, PoolRef, PoolRef];
const found = (more: Partial<TokenPools> = {}): TokenPools => ({
  ...{ refs: [], weighted: [], hooked: false, others: { holdings: [], unread: [] }, gap: undefined },
  ...more,
});
const kept = { isForgotten: false };

function poolsAt() {
  const clock = { now: 1_000_000 };
  return { clock, pools: createKeptPools(() => clock.now) };
}

test('a token is due before its first search, and ten minutes after a complete one', () => {
  const { clock, pools } = poolsAt();
  expect([pools.isDue(tokenA), pools.get(tokenA)]).toEqual([true, undefined]);
  pools.set(tokenA, found(), kept);
  expect([pools.isDue(tokenA), pools.isDue(tokenB)]).toEqual([false, true]);
  clock.now += 599_999;
  expect(pools.isDue(tokenA)).toBe(false);
  clock.now += 1;
  expect(pools.isDue(tokenA)).toBe(true);
});

test.each(['unread', 'truncated'] as const)('a token whose search was %s is due after 30 seconds', (gap) => {
  const { clock, pools } = poolsAt();
  pools.set(tokenA, found({ gap }), { isForgotten: true });
  clock.now += 29_999;
  expect(pools.isDue(tokenA)).toBe(false);
  clock.now += 1;
  expect(pools.isDue(tokenA)).toBe(true);
});

test('a token that was forgotten during its complete search is due at once', () => {
  const { pools } = poolsAt();
  pools.set(tokenA, found({ refs: [one] }), { isForgotten: true });
  expect(pools.isDue(tokenA)).toBe(true);
  expect(pools.get(tokenA)?.refs).toEqual([one]);
});

test('forgetting makes a complete search due and keeps its pools, but not the delay of a failed one', () => {
  const { pools } = poolsAt();
  pools.forget(tokenA);
  pools.set(tokenA, found({ refs: [one] }), kept);
  pools.set(tokenB, found({ gap: 'unread' }), kept);
  pools.forget(tokenA);
  pools.forget(tokenB);
  expect([pools.isDue(tokenA), pools.isDue(tokenB)]).toEqual([true, false]);
  expect(pools.get(tokenA)?.refs).toEqual([one]);
});

test('a token has pools if any are stored, of either kind', () => {
  const { pools } = poolsAt();
  const hasPools = (more: Partial<TokenPools>) => {
    pools.set(tokenA, found(more), kept);
    return pools.hasPools(tokenA);
  };
  expect(pools.hasPools(tokenA)).toBe(false);
  expect(hasPools({ refs: [one] })).toBe(true);
  expect(hasPools({ weighted: [two] })).toBe(true);
  expect(hasPools({})).toBe(false);
});

test('an incomplete search adds the pools of the earlier one after its own, each once', () => {
  const { pools } = poolsAt();
  pools.set(tokenA, found({ refs: [one, two] }), kept);
  pools.set(tokenA, found({ refs: [three, two], gap: 'truncated' }), kept);
  expect(pools.get(tokenA)?.refs.map(({ id }) => id)).toEqual([three.id, two.id, one.id]);
});

test('a complete search replaces the pools of the earlier one', () => {
  const { pools } = poolsAt();
  pools.set(tokenA, found({ refs: [one, two] }), kept);
  pools.set(tokenA, found({ refs: [three] }), kept);
  expect(pools.get(tokenA)?.refs).toEqual([three]);
});

test('an incomplete search of a new token has its own pools only', () => {
  const { pools } = poolsAt();
  pools.set(tokenA, found({ refs: [three], gap: 'unread' }), kept);
  expect(pools.get(tokenA)?.refs).toEqual([three]);
});

test('weighted pools that were not read stay, and an empty list replaces them', () => {
  const { pools } = poolsAt();
  pools.set(tokenA, found({ weighted: [one] }), kept);
  pools.set(tokenA, found({ weighted: undefined, gap: 'unread' }), kept);
  expect(pools.get(tokenA)?.weighted).toEqual([one]);
  pools.set(tokenA, found({ weighted: [] }), kept);
  expect(pools.get(tokenA)?.weighted).toEqual([]);
  pools.set(tokenB, found({ weighted: undefined, gap: 'unread' }), kept);
  expect(pools.get(tokenB)?.weighted).toBeUndefined();
});

test('a token has at most the pools that a quote reads, the newest search first', () => {
  const { pools } = poolsAt();
  const many = Array.from({ length: maxUnlistedPools + 1 }, (_, index) =>
    poolOf(`0x${index.toString(16).padStart(40, '0')}`),
  );
  pools.set(tokenA, found({ refs: many }), kept);
  expect(pools.get(tokenA)?.refs).toEqual(many.slice(0, maxUnlistedPools));
});
