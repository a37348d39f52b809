import { expect, test } from 'vitest';
import { createNodeHealth } from './nodeHealth.ts';

const startMs = 1_800_000_000_000;

/** A node with a latency of 20 ms that returned a block of this age. `readAtMs`: when it was read. */
function nodeWith(ageMs: number, { readAtMs = 0, tookMs = 20, withMs = false } = {}) {
  const now = startMs + readAtMs;
  const health = createNodeHealth(() => now);
  const timeMs = now - tookMs - ageMs;
  const block = { number: 1n, timestamp: BigInt(Math.floor(timeMs / 1_000)), hash: '0x', parentHash: '0x' } as const;
  health.answered(tookMs, { ...block, ...(withMs && { timeMs }) });
  return health;
}
const scoreOf = (health: ReturnType<typeof nodeWith>, leastAgeMs = 0) => health.score(leastAgeMs);

test('a node that was read fifteen seconds earlier than another does not count as behind', () => {
  const [idle, busy] = [nodeWith(400), nodeWith(400, { readAtMs: 15_000 })];
  expect(scoreOf(idle)).toBe(scoreOf(busy));
});

test('a slow read does not count as a lag too', () => {
  expect(nodeWith(0, { tookMs: 3_000, withMs: true }).headAgeMs()).toBe(0);
});

test('heads within two seconds are equal, and each further second costs as much as 25 ms of latency', () => {
  expect(scoreOf(nodeWith(1_900, { withMs: true }))).toBe(scoreOf(nodeWith(0, { withMs: true })));
  const [behind, slow] = [nodeWith(6_000, { withMs: true }), nodeWith(0, { tookMs: 120, withMs: true })];
  expect(scoreOf(behind)).toBe(scoreOf(slow));
  expect(scoreOf(behind)).toBeGreaterThan(scoreOf(nodeWith(0, { withMs: true })));
});

test('measures the age from the milliseconds of the node, or from the second of the header', () => {
  expect(nodeWith(700, { withMs: true }).headAgeMs()).toBe(700);
  expect(nodeWith(700).headAgeMs()).toBeGreaterThanOrEqual(700);
});

test('a node without a head has no lag', () => {
  const health = createNodeHealth(() => startMs);
  expect(health.headAgeMs()).toBeUndefined();
  expect(health.score(Number.POSITIVE_INFINITY)).toBe(0);
});
