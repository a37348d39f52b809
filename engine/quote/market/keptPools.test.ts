import { expect, test } from 'vitest';
import { addressOf, poolOf, tokenA, tokenB } from '../../../tests/support/engine/testProbe.ts';
import { maxUnlistedPools } from '../../pools/rankPools.ts';
import type { PoolRef } from '../../venues/poolTypes.ts';
import type { TokenPools } from './findTokenPools.ts';
import { createKeptPools } from './keptPools.ts';

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
