import { expect, test } from 'vitest';
import type { SequencerState, StateReading } from '../../pools/decodeStates.ts';
import { deployments } from '../../venues/deployments/deployments.ts';
import { sizeOrder } from './sizeOrder.ts';
import { toQuoteQuery } from './toQuoteQuery.ts';

const { base } = deployments;
const weth = base.wrappedNative;
const feed = base.feeds[weth];
const heartbeat = BigInt(feed?.heartbeatSeconds ?? 0);

/** 5,000 USD of WETH, with a feed at 2,000 USD. */
function amountAt({ age = 0n, sequencer = 'up' as SequencerState, answer = 2_000n }) {
  const updatedAt = 1_000n;
  const states = {
    block: { timestamp: updatedAt + age },
    sequencer,
    tokens: [
      { address: weth, decimals: 18 },
      { address: '0x02', decimals: 6 },
    ],
    feeds: [{ address: feed?.address, read: true, answer, decimals: 0, updatedAt }],
    pools: [],
  } as unknown as StateReading;
  const query = toQuoteQuery({ chain: 'base', tokenIn: weth, tokenOut: '0x02', size: { usd: '5000' } });
  return sizeOrder(query, states, base).amountIn;
}

test('converts USD by the feed of the token', () => {
  expect(amountAt({})).toBe(25n * 10n ** 17n);
});

test('uses a feed up to its heartbeat and not a second longer', () => {
  expect(heartbeat).toBeGreaterThan(0n);
  expect(amountAt({ age: heartbeat })).toBe(25n * 10n ** 17n);
  expect(amountAt({ age: heartbeat + 1n })).toBe(0n);
});

test.each(['down', 'unread'] as const)('uses no feed while the sequencer is %s', (sequencer) => {
  expect(amountAt({ sequencer })).toBe(0n);
});

test('ignores a feed whose answer is 0', () => {
  expect(amountAt({ answer: 0n })).toBe(0n);
});

test('ignores a feed with a round in the future, and reports it as disputed', () => {
  expect(amountAt({ age: 0n })).toBe(25n * 10n ** 17n);
  expect(amountAt({ age: -1n })).toBe(0n);
});
