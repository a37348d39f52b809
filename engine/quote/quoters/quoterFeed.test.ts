import { expect, test } from 'vitest';
import type { StateReading } from '../../pools/decodeStates.ts';
import { deployments } from '../../venues/deployments/deployments.ts';
import { sizeOrder } from '../query/sizeOrder.ts';
import { toQuoteQuery } from '../query/toQuoteQuery.ts';
import type { QuoteRequest } from '../quoteTypes.ts';
import { feedReads, toFeeds } from './readByQuoters.ts';
import type { ReadResult } from './readTogether.ts';

const { base, polygon } = deployments;
const [weth, usdc] = [base.wrappedNative, base.usdc];
const row = base.feeds[weth];
if (!row) throw new RangeError('Base has a feed of WETH.');
const heartbeat = BigInt(row.heartbeatSeconds);
const now = 1_000_000n;
const queryOf = (size: QuoteRequest['size'], tokenIn = weth) =>
  toQuoteQuery({ chain: 'base', tokenIn, tokenOut: usdc, size });

/** Rounds of the feed and of the sequencer: round, answer, start, update. */
const roundOf = (answer: bigint, updatedAt: bigint): ReadResult => ({ words: [1n, answer, updatedAt, updatedAt] });
const up: ReadResult = { words: [1n, 0n, now - 3_600n] };
interface Scene {
  round?: ReadResult;
  decimals?: ReadResult;
  sequencer?: ReadResult;
}

/** 2,000 USD of WETH. */
function sizeIn({ round = roundOf(2_000n, now), decimals = { words: [0n] }, sequencer = up }: Scene) {
  const query = queryOf({ usd: '2000' });
  const read = toFeeds(query, base, now, [round, decimals, sequencer]);
  const token = { hasCode: true, decimals: 18, supply: 0n };
  const tokens = [weth, usdc].map((address) => ({ address, ...token }));
  const states = { ...read, tokens, pools: [], block: { timestamp: now } } as unknown as StateReading;
  return sizeOrder(query, states, base);
}

test('USD are converted by the feed, with its decimals', () => {
  const sized = sizeIn({ round: roundOf(4_000n * 10n ** 8n, now), decimals: { words: [8n] } });
  expect(sized).toMatchObject({ amountIn: 5n * 10n ** 17n, feedRefused: false });
  expect(sized.usdSource).toMatchObject({ source: 'feed', updatedAt: Number(now), usdPerToken: 4_000 });
});

test.each<[string, Scene, boolean]>([
  ['at the age of the heartbeat', { round: roundOf(2_000n, now - heartbeat) }, true],
  ['a second older', { round: roundOf(2_000n, now - heartbeat - 1n) }, false],
  ['of a round in the future', { round: roundOf(2_000n, now + 1n) }, false],
  ['of 0', { round: roundOf(0n, now) }, false],
  ['below 0', { round: roundOf(2n ** 256n - 5n, now) }, false],
  ['that reverted', { round: 'reverted' }, false],
  ['that was not read', { round: 'unread' }, false],
  ['without decimals', { decimals: 'reverted' }, false],
  ['with 36 decimals', { round: roundOf(2_000n * 10n ** 36n, now), decimals: { words: [36n] } }, true],
  ['with 37 decimals', { round: roundOf(2_000n * 10n ** 37n, now), decimals: { words: [37n] } }, false],
  ['with the sequencer down', { sequencer: { words: [1n, 1n, now - 9_999n] } }, false],
  ['an hour after the sequencer started, less a second', { sequencer: { words: [1n, 0n, now - 3_599n] } }, false],
  ['with a sequencer that has not started', { sequencer: { words: [1n, 0n, 0n] } }, false],
  ['with an unread sequencer', { sequencer: 'unread' }, false],
])('whether an answer of the feed %s is used', (_, scene, isUsed) => {
  const { amountIn, feedRefused, usdSource } = sizeIn(scene);
  expect([amountIn > 0n, feedRefused, usdSource !== undefined]).toEqual([isUsed, !isUsed, isUsed]);
});

test('a token without a feed has none, and no sequencer feed is a state of its own', () => {
  const stranger = '0xabababababababababababababababababababab';
  expect(toFeeds(queryOf({ usd: '1' }, stranger), base, now, ['unread', 'unread', up]).feeds).toEqual([]);
  expect(toFeeds(queryOf({ usd: '1' }), polygon, now, []).sequencer).toBe('none');
});

test('the feed is read for a size in USD; an address without code stands for none', () => {
  expect(feedReads(queryOf({ usd: '1' }), base)).toEqual([
    { to: row.address, data: '0xfeaf968c' },
    { to: row.address, data: '0x313ce567' },
    { to: base.sequencerFeed, data: '0xfeaf968c' },
  ]);
  const zero = `0x${'0'.repeat(40)}`;
  expect(feedReads(queryOf({ tokenIn: '1' }), polygon).map(({ to }) => to)).toEqual([zero, zero, zero]);
});

const feedOf = (round: ReadResult, decimals: ReadResult = { words: [8n] }) =>
  toFeeds(queryOf({ usd: '1' }), base, now, [round, decimals, up]).feeds;
const noReading = { address: row.address, read: false, answer: 0n, updatedAt: 0n, decimals: 0 };

test.each<[string, ReadResult, ReadResult?]>([
  ['without the time of its answer', { words: [1n, 2_000n, now] }],
  ['without an answer', { words: [1n] }],
  ['with more decimals than a price can have', roundOf(2_000n, now), { words: [37n] }],
])('a feed %s was not read', (_, round, decimals) => {
  expect(feedOf(round, decimals)).toEqual([noReading]);
});

test('an answer below zero is read as 0', () => {
  expect(feedOf(roundOf(2n ** 256n - 5n, now))).toEqual([{ ...noReading, read: true, updatedAt: now, decimals: 8 }]);
});

test.each<ReadResult>([{ words: [1n, 0n] }, { words: [1n] }, 'unread', 'reverted'])(
  'a sequencer feed without the time of its answer is unread, not down (%#)',
  (round) => {
    expect(toFeeds(queryOf({ usd: '1' }), base, now, ['unread', 'unread', round]).sequencer).toBe('unread');
  },
);

test('a size in USD of a token without a feed reads no feed', () => {
  const zero = `0x${'0'.repeat(40)}`;
  const query = queryOf({ usd: '1' }, '0xabababababababababababababababababababab');
  expect(feedReads(query, base).map(({ to }) => to)).toEqual([zero, zero, base.sequencerFeed]);
});
