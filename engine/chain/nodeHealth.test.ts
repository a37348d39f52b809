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

/** A health with a clock, and responses of these latencies. */
function measured(latencies: readonly number[]) {
  const clock = { now: startMs };
  const health = createNodeHealth(() => clock.now);
  for (const tookMs of latencies) health.answered(tookMs, undefined);
  return { health, clock };
}

test('the latency is smoothed: a new response has a weight of one fifth', () => {
  expect(measured([]).health.latencyMs()).toBeUndefined();
  expect(measured([100]).health.latencyMs()).toBe(100);
  expect(measured([100, 200]).health.latencyMs()).toBe(120);
  expect(measured([200, 100]).health.latencyMs()).toBe(180);
});

test('a request that another node overtook counts as latency only if it took longer', () => {
  const { health } = measured([100]);
  health.superseded(100);
  health.superseded(50);
  expect(health.latencyMs()).toBe(100);
  health.superseded(200);
  expect(health.latencyMs()).toBe(120);
  const { health: fresh } = measured([]);
  fresh.superseded(80);
  expect([fresh.latencyMs(), fresh.answeredAt(), fresh.circuit.failures()]).toEqual([80, undefined, 0]);
});

test('a hedged request waits for the 95th percentile of the last 64 responses', () => {
  const ofFirst = (count: number) => Array.from({ length: count }, (_, index) => (index + 1) * 10);
  expect(measured(ofFirst(4)).health.hedgeAfterMs()).toBe(500);
  expect(measured(ofFirst(5)).health.hedgeAfterMs()).toBe(50);
  expect(measured(ofFirst(20).toReversed()).health.hedgeAfterMs()).toBe(190);
  expect(measured([...ofFirst(20), 9, 100, 1_000].toSorted()).health.hedgeAfterMs()).toBe(200);
  expect(
    measured([
      ...Array.from({ length: 4 }, () => 9_000),
      ...Array.from({ length: 64 }, () => 30),
    ]).health.hedgeAfterMs(),
  ).toBe(30);
  expect(
    measured([
      ...Array.from({ length: 4 }, () => 9_000),
      ...Array.from({ length: 63 }, () => 30),
    ]).health.hedgeAfterMs(),
  ).toBe(30);
  expect(measured([1, 2, 3, 4, 5]).health.hedgeAfterMs()).toBe(25);
});

test('records when the node responded and failed, its head and the message of the failure', () => {
  const { health, clock } = measured([]);
  expect([health.lastContactAt(), health.answeredAt(), health.head, health.failure]).toEqual([
    ...[undefined, undefined, undefined, undefined],
  ]);
  const block = { number: 1n, timestamp: 1n, hash: '0x', parentHash: '0x' } as const;
  health.answered(20, block);
  expect(health.head).toEqual({ block, at: startMs });
  clock.now += 500;
  health.failed(undefined, 'base-1 is down.');
  expect([health.lastContactAt(), health.answeredAt(), health.failure, health.circuit.failures()]).toEqual([
    ...[startMs + 500, startMs, 'base-1 is down.', 1],
  ]);
  health.answered(20, undefined);
  expect([health.answeredAt(), health.circuit.failures(), health.head?.at]).toEqual([startMs + 500, 0, startMs]);
});

test('a node that fails is ranked behind a node that is three times as slow, and recovers with its successes', () => {
  const { health } = measured([100]);
  const healthy = health.score(0);
  health.failed();
  // A failure rate of 20 % costs as much as two more responses of 100 ms, and 20 ms.
  expect(health.score(0)).toBe(measured([320]).health.score(0));
  health.failed();
  expect(health.score(0)).toBe(measured([496]).health.score(0));
  for (let count = 0; count < 30; count += 1) health.answered(100, undefined);
  expect(health.score(0)).toBe(healthy);
});
