import { expect, test } from 'vitest';
import type { FeedReading } from '../../pools/decodeStates.ts';
import type { Market } from '../market/market.ts';
import { usdPriceFlags } from './usdFlags.ts';

const fed = (feed: object, sequencer = 'up') => ({ feed: feed as FeedReading, sequencer });
const noFeed = {} as FeedReading;
const marketOf = (size: object, sequencer = 'up') =>
  ({ size, states: { sequencer, block: { timestamp: 10n } } }) as unknown as Market;

test.each([
  [fed({ read: true, answer: 5n, updatedAt: 7n }), 'its last answer is too old', 7],
  [fed({ read: true, answer: 5n, updatedAt: 11n }), 'the time of its last answer is in the future', 11],
  [fed({ read: true, answer: 0n, updatedAt: 7n }), 'its answer is not above zero', 7],
  [fed({ read: true, answer: -1n, updatedAt: 7n }), 'its answer is not above zero', 7],
  [fed({ read: false, answer: 5n, updatedAt: 7n }), 'it did not answer', null],
  [fed({ read: true, answer: 5n, updatedAt: 7n }, 'down'), 'the sequencer is down', 7],
  [fed({ read: true, answer: 5n, updatedAt: 7n }, 'unread'), 'the sequencer is down', 7],
])('STALE_ORACLE states why the feed was not used (%#)', ({ feed, sequencer }, expected, updatedAt) => {
  const source = { source: 'pool', against: 'USDC', usdPerToken: 2 } as const;
  const market = marketOf({ usdSource: source, feedRefused: true }, sequencer);
  const [stale, price, ...more] = usdPriceFlags(market, feed, false);
  expect(stale).toMatchObject({ code: 'STALE_ORACLE', severity: 'warn', facts: { updatedAt } });
  expect(stale?.message).toContain(expected);
  expect(price?.facts).toEqual(source);
  expect(more).toEqual([]);
});

test.each([
  ['stable', '1:1', 'info'],
  ['feed', 'Chainlink feed', 'info'],
  ['pool', 'deepest pool', 'info'],
])('USD_PRICE_SOURCE states the source %s', (source, expected, severity) => {
  const flags = usdPriceFlags(marketOf({ usdSource: { source } }), noFeed, false);
  expect(flags).toEqual([
    { code: 'USD_PRICE_SOURCE', severity, message: expect.stringContaining(expected), facts: { source } },
  ]);
});

test.each([
  [true, 'not all pools that might price it could be read'],
  [false, 'There is no reliable USD price'],
])('USD_PRICE_SOURCE without a price is critical (venue unread: %s)', (venueUnread, expected) => {
  const flags = usdPriceFlags(marketOf({}), noFeed, venueUnread);
  expect(flags).toEqual([
    {
      code: 'USD_PRICE_SOURCE',
      severity: 'critical',
      message: expect.stringContaining(expected),
      facts: { source: 'none' },
    },
  ]);
});

test('USD_PRICE_DISPUTED states both prices', () => {
  const dispute = {
    source: 'feed',
    usdPerToken: 300,
    poolUsdPerToken: 3_000.123_456,
    differenceBps: 9_000,
    isRoundInFuture: false,
  } as const;
  const source = { source: 'feed', feed: '0x01', updatedAt: 1, usdPerToken: 300 } as const;
  const [flag] = usdPriceFlags(marketOf({ usdSource: source, dispute }), noFeed, false);
  expect(flag).toEqual({
    code: 'USD_PRICE_DISPUTED',
    severity: 'warn',
    message:
      'The USD price of tokenIn is disputed: its Chainlink feed prices it at 300 USD, its deepest pool at 3000.12 USD.',
    facts: { source: 'feed', usdPerToken: 300, poolUsdPerToken: 3_000.123_456, differenceBps: 9_000 },
  });
});

test.each([
  [
    { source: 'stable', usdPerToken: 1, poolUsdPerToken: 0.5, differenceBps: 10_000, isRoundInFuture: false },
    'counted as 1 USD, its deepest pool at 0.5 USD.',
  ],
  [
    { source: 'feed', usdPerToken: 2, poolUsdPerToken: null, differenceBps: null, isRoundInFuture: true },
    'its Chainlink feed prices it at 2 USD, no pool prices it. The time of the feed’s answer is in the future, so it was not used.',
  ],
] as const)('USD_PRICE_DISPUTED names the source of the price (%#)', (dispute, expected) => {
  const [flag] = usdPriceFlags(marketOf({ dispute }), noFeed, false);
  expect(flag?.message).toBe(`The USD price of tokenIn is disputed: ${expected}`);
  expect(flag?.facts).toMatchObject({ poolUsdPerToken: dispute.poolUsdPerToken, differenceBps: dispute.differenceBps });
});

test('an answer of the feed at the time of the block is not in the future', () => {
  const feed = { read: true, answer: 5n, updatedAt: 10n } as FeedReading;
  const [stale] = usdPriceFlags(marketOf({ feedRefused: true }), feed, false);
  expect(stale?.message).toContain('its last answer is too old');
});
