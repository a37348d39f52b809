import { expect, test } from 'vitest';
import { deployments } from '../../venues/deployments/deployments.ts';
import type { Composed, Unattributed } from '../attribution.ts';
import type { ExitReading } from '../exit/exitTypes.ts';
import { oracleAxis, weighOracle } from './oracle.ts';

const { base } = deployments;
const aero = '0x940181a94a35a4569e4529a3cdfb74e38fd98631';
const feed = { read: true, answer: 100_000_000n, updatedAt: 1_000n, decimals: 8 };
const weigh = (sequencer: ExitReading['sequencer'], timestamp = 1_060n) =>
  weighOracle(aero, { timestamp, sequencer } as ExitReading, feed, base, 1.02);

test('default: returns the deviation of the mid from the feed, in basis points', () => {
  expect(weigh('up').section).toMatchObject({ deviationBps: expect.closeTo(200), stalenessSec: 60 });
  expect(weigh('up').signal).toMatchObject({
    severity: 'low',
    value: expect.closeTo(200),
    reason: 'The mid of the deepest pool is 2.00 % above the price of the feed, which is 60 s old.',
  });
});

test.each(['down', 'unread'] as const)('behavior: a feed is not trusted while the sequencer is %s', (sequencer) => {
  expect(weigh(sequencer).signal).toMatchObject({ severity: 'unknown', value: null });
  expect(weigh(sequencer).section.note).toContain('sequencer');
});

test('behavior: a feed older than its heartbeat is not trusted', () => {
  expect(weigh('up', 200_000n).signal).toMatchObject({ severity: 'unknown', value: null });
});

test.each([
  [99, 'none'],
  [101, 'low'],
  [299, 'low'],
  [301, 'medium'],
  [999, 'medium'],
  [1_001, 'high'],
])('rates %s bps above and below the feed as %s', (bps, severity) => {
  for (const sign of [1, -1]) {
    const reading = { timestamp: 1_060n, sequencer: 'up' } as ExitReading;
    const { signal } = weighOracle(aero, reading, feed, base, 1 + (sign * bps) / 10_000);
    expect(signal).toMatchObject({ severity, value: expect.closeTo(sign * bps) });
  }
});

test('the severity is none, not unknown, for a token without a feed', () => {
  const { section, signal } = weighOracle(
    '0x1111111111111111111111111111111111111111',
    {} as ExitReading,
    undefined,
    base,
    1,
  );
  expect(section).toMatchObject({ source: null, deviationBps: null, stalenessSec: null });
  expect(signal).toMatchObject({ severity: 'none', value: null, unit: 'bps', cachedAgeSec: null });
});

test.each([
  ['is missing from the reading', undefined],
  ['cannot be read', { ...feed, read: false }],
  ['has no price', { ...feed, answer: 0n }],
])('is unknown when the feed %s', (_case, own) => {
  const reading = { timestamp: 1_060n, sequencer: 'up' } as ExitReading;
  const { section, signal } = weighOracle(aero, reading, own, base, 1);
  expect(signal).toMatchObject({ severity: 'unknown', value: null, unit: 'bps', cachedAgeSec: null });
  expect(section).toMatchObject({ source: expect.stringContaining('chainlink 0x'), stalenessSec: null });
});

test('is unknown without a pool price, and keeps the age of the feed', () => {
  const reading = { timestamp: 1_060n, sequencer: 'up' } as ExitReading;
  const { section, signal } = weighOracle(aero, reading, feed, base, null);
  expect(section).toMatchObject({ deviationBps: null, stalenessSec: 60 });
  expect(signal).toMatchObject({ severity: 'unknown', value: null });
});

test('trusts a feed up to its heartbeat, and keeps the deviation of an older one in the section', () => {
  const heartbeat = BigInt(base.feeds[aero]?.heartbeatSeconds ?? 0);
  expect(weigh('up', feed.updatedAt + heartbeat).signal.severity).toBe('low');
  const { section, signal } = weigh('up', feed.updatedAt + heartbeat + 1n);
  expect(signal).toMatchObject({ severity: 'unknown', value: null });
  expect(section).toMatchObject({ deviationBps: expect.closeTo(200), stalenessSec: Number(heartbeat) + 1 });
  expect(section.source).toContain('chainlink');
  expect(section.note).toContain('older than its heartbeat');
});

test('divides the pool price by the price of the feed', () => {
  const reading = { timestamp: 1_060n, sequencer: 'up' } as ExitReading;
  const { signal } = weighOracle(aero, reading, { ...feed, answer: 200_000_000n }, base, 2.04);
  expect(signal.value).toBeCloseTo(200);
});

test.each([
  {
    hasFeed: false,
    feedRead: false,
    deviationBps: null,
    kind: 'none',
    reason: 'no price feed is known for this token',
  },
  {
    hasFeed: true,
    feedRead: false,
    deviationBps: null,
    kind: 'unread',
    reason: 'the feed could not be read, or has no price',
  },
  {
    hasFeed: true,
    feedRead: true,
    deviationBps: null,
    kind: 'none',
    reason: 'no pool has a price to compare with the feed',
  },
  { hasFeed: true, feedRead: true, deviationBps: 20, kind: 'unread', reason: 'the feed is stale' },
])('a missing value with feed $hasFeed, read $feedRead and deviation $deviationBps is $kind', (each) => {
  const feeds = each.hasFeed ? { '0x1': {} } : {};
  const reading = { exit: { bases: [] }, feed: { read: each.feedRead, answer: 1n } };
  const inputs = { token: '0x1', environment: { data: { deployment: { feeds } } }, reading };
  const composed = { inputs } as unknown as Composed;
  const answer = {
    risk_profile: { oracle: { deviationBps: each.deviationBps } },
    flags: { 'O-SANITY': { reason: 'the feed is stale' } },
  } as unknown as Unattributed;
  expect(oracleAxis.whyNoValue(composed, answer)).toEqual({ kind: each.kind, reason: each.reason });
  if (each.deviationBps === null) {
    const { whyNull } = oracleAxis.fields.deviationBps;
    expect(whyNull?.(composed, answer)).toEqual({ kind: each.kind, reason: each.reason });
  }
});
