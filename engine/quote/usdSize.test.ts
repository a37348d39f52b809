import { expect, test } from 'vitest';
import { base } from '../venues/deployments/base.ts';
import { toSlots } from '../venues/toSlots.ts';
import type { LensReading, PoolReading, SequencerState } from './lensReading.ts';
import { sizeBySurvey } from './usdSize.ts';

const slots = toSlots(base.venues);
const slot = slots.findIndex(({ venue }) => venue === 'uniswap-v2');
const weth = base.wrappedNative;
const heartbeat = BigInt(base.feeds[weth.toLowerCase()]?.heartbeatSeconds ?? 0);

/** A token that one pool sells for half a WETH, and a WETH feed at 2,000 USD. */
function amountAt({ age = 0n, sequencer = 'up' as SequencerState, answer = 2_000n }) {
  const pool = { pair: 0, slot, bandStatus: 'filled', price: 2_000n, reserveOut: 1_000n } as PoolReading;
  const feed = { token: weth, tokenDecimals: 18, read: true, answer, decimals: 0, updatedAt: 1_000n };
  const reading = {
    timestamp: feed.updatedAt + age,
    sequencer,
    tokenIn: { hasCode: true, decimals: 18 },
    pairs: [{ tokenIn: '0x01', tokenOut: weth, amountIn: 1n, statuses: [] }],
    pools: new Map([[0, pool]]),
    baseFeeds: [feed],
  } as unknown as LensReading;
  return sizeBySurvey(reading, { mantissa: 5_000n, scale: 0 }, slots, base)?.amountIn;
}

test('converts USD by the pool and the feed of the pricing asset', () => {
  expect(amountAt({})).toBe(5n * 10n ** 18n);
});

test('uses a feed up to its heartbeat and not a second longer', () => {
  expect(heartbeat).toBeGreaterThan(0n);
  expect(amountAt({ age: heartbeat })).toBe(5n * 10n ** 18n);
  expect(amountAt({ age: heartbeat + 1n })).toBeUndefined();
});

test.each(['down', 'unread'] as const)('uses no feed while the sequencer is %s', (sequencer) => {
  expect(amountAt({ sequencer })).toBeUndefined();
});

test('uses no feed without a price', () => {
  expect(amountAt({ answer: 0n })).toBeUndefined();
});
