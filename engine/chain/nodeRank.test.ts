import { expect, test } from 'vitest';
import { newConfiguredNode } from './nodeAttempt.ts';
import { hedgeDelay, toRanked, wasReached } from './nodeRank.ts';

const start = 1_800_000_000_000;

/** Nodes at one clock; each responded once with this latency, and a head of this age. */
function nodesOf(...responses: readonly { tookMs?: number; ageMs?: number; isNew?: boolean }[]) {
  const clock = { now: start };
  const all = responses.map(({ tookMs = 20, ageMs, isNew = false }, index) => {
    const node = newConfiguredNode({ label: `${index}`, send: async () => [] }, () => clock.now, 8_000);
    const timeMs = start - tookMs - (ageMs ?? 0);
    const block = {
      number: 1n,
      timestamp: BigInt(Math.floor(timeMs / 1_000)),
      timeMs,
      hash: '0x',
      parentHash: '0x',
    } as const;
    if (!isNew) node.health.answered(tookMs, ageMs === undefined ? undefined : block);
    return node;
  });
  const order = (product?: 'quote' | 'check') =>
    toRanked(all, { product, now: clock.now }).map(({ endpoint }) => Number(endpoint.label));
  return { all, clock, order };
}

test('equal nodes keep the configured order, a faster one is first', () => {
  expect(nodesOf({}, {}, {}).order()).toEqual([0, 1, 2]);
  expect(nodesOf({ tookMs: 400 }, { tookMs: 20 }, { tookMs: 100 }).order()).toEqual([1, 2, 0]);
});

test('a node far behind the newest head is ranked by its lag; one without a head by its latency', () => {
  expect(nodesOf({ ageMs: 30_000 }, { ageMs: 500 }, {}).order()).toEqual([1, 2, 0]);
  // All are equally old, so none is behind.
  expect(nodesOf({ ageMs: 30_000 }, { ageMs: 30_500 }).order()).toEqual([0, 1]);
});

test('a node that refuses the lens is last, after one whose last request failed, whatever their latency', () => {
  const { all, order } = nodesOf({ tookMs: 5 }, { tookMs: 5 }, { tookMs: 2_000 });
  Object.assign(all[0]?.memory ?? {}, { readMode: 'quoters' });
  all[1]?.health.failed();
  expect(order()).toEqual([2, 1, 0]);
});

test('a node whose circuit is open is left out until it closes', () => {
  const { all, clock, order } = nodesOf({}, {});
  for (let count = 0; count < 2; count += 1) all[0]?.health.failed();
  expect(order()).toEqual([1]);
  clock.now += 2_000;
  expect(order()).toEqual([1, 0]);
});

test('a node that cannot answer a check is left out while another one can', () => {
  const { all, order } = nodesOf({ tookMs: 5 }, { tookMs: 900 });
  Object.assign(all[0]?.memory ?? {}, { pastBlocks: 'no' });
  expect([order('check'), order('quote'), order()]).toEqual([[1], [0, 1], [0, 1]]);
  Object.assign(all[1]?.memory ?? {}, { pastBlocks: 'no' });
  expect(order('check')).toEqual([0, 1]);
});

test('a chain was reached if any node responded within the time and has not failed since', () => {
  const { all, clock } = nodesOf({}, { isNew: true });
  clock.now += 1_000;
  expect(wasReached(all, 1_000, clock.now)).toBe(true);
  expect(wasReached(all, 999, clock.now)).toBe(false);
  all[0]?.health.failed();
  expect(wasReached(all, 1_000, clock.now)).toBe(false);
  expect(wasReached(nodesOf({ isNew: true }).all, 1e15, start)).toBe(false);
});

test('the second request waits for the first node’s p95, further ones for a share of the deadline', () => {
  const [first, second] = nodesOf({}, {}).all;
  if (!first || !second) throw new RangeError('Two nodes.');
  for (let count = 0; count < 5; count += 1) first.health.answered(70, undefined);
  expect(hedgeDelay(first, second, 0, 4_000)).toBe(70);
  expect(hedgeDelay(first, second, 0, 60)).toBe(60);
  expect(hedgeDelay(first, second, 1, 4_000)).toBe(4_000);
  expect(hedgeDelay(first, undefined, 0, 4_000)).toBe(70);
});

test('a node that cannot run the lens waits for its share, unless the first one cannot either', () => {
  const [first, second] = nodesOf({}, {}).all;
  if (!first || !second) throw new RangeError('Two nodes.');
  second.memory.readMode = 'quoters';
  expect(hedgeDelay(first, second, 0, 4_000)).toBe(4_000);
  first.memory.readMode = 'quoters';
  expect(hedgeDelay(first, second, 0, 4_000)).toBe(500);
});
