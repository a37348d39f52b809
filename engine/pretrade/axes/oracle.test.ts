import { expect, test } from 'vitest';
import { base } from '../../venues/deployments/base.ts';
import type { ExitReading } from '../exit/exitTypes.ts';
import { weighOracle } from './oracle.ts';

const aero = '0x940181a94A35A4569E4529A3CDfB74e38FD98631';
const feed = { read: true, answer: 100_000_000n, updatedAt: 1_000n, decimals: 8 };
const weigh = (sequencer: ExitReading['sequencer'], timestamp = 1_060n) =>
  weighOracle(aero, { timestamp, sequencer } as ExitReading, feed, base, 1.02);

test('default: the mid against the feed, in basis points', () => {
  expect(weigh('up').section).toMatchObject({ deviationBps: expect.closeTo(200), stalenessSec: 60 });
  expect(weigh('up').signal).toMatchObject({ severity: 'low', value: expect.closeTo(200) });
});

test.each(['down', 'unread'] as const)('behavior: a feed is not trusted while the sequencer is %s', (sequencer) => {
  expect(weigh(sequencer).signal).toMatchObject({ severity: 'unknown', value: null });
  expect(weigh(sequencer).section.note).toContain('sequencer');
});

test('behavior: nor when it is older than its heartbeat', () => {
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
