import { expect, test } from 'vitest';
import { pairState, poolOf } from '../../../tests/support/engine/testMarket.ts';
import { toLowerAddress } from '../../lowerAddress.ts';
import type { StateReading } from '../../pools/decodeStates.ts';
import { deployments } from '../../venues/deployments/deployments.ts';
import type { QuoteRequest } from '../quoteTypes.ts';
import { feedsOf, sizeOrder } from './sizeOrder.ts';
import { toQuoteQuery } from './toQuoteQuery.ts';
import { feedReadingOf, freshFeed, roundInFuture, usdOf } from './usdSources.ts';

const { base } = deployments;
const [weth, usdc] = [base.wrappedNative, base.usdc];
const row = base.feeds[weth];
if (!row) throw new RangeError('Base has a feed of WETH.');
const stranger = toLowerAddress(`0x${'ab'.repeat(20)}`);
const at = 1_000_000n;

interface Scene {
  decimals?: (number | undefined)[];
  sequencer?: StateReading['sequencer'];
  feeds?: { answer?: bigint; decimals?: number; updatedAt?: bigint; read?: boolean }[];
  pools?: StateReading['pools'];
  tokenIn?: StateReading['tokens'][number]['address'];
}
function statesWith({
  decimals = [18, 6],
  sequencer = 'up',
  feeds = [],
  pools = [],
  tokenIn = weth,
}: Scene): StateReading {
  const readings = feeds.map((feed) => ({
    address: row?.address,
    read: true,
    answer: 2_000n * 10n ** 8n,
    decimals: 8,
    updatedAt: at,
    ...feed,
  }));
  const tokens = decimals.map((count, index) => ({ address: index === 0 ? tokenIn : usdc, decimals: count }));
  return { block: { timestamp: at }, sequencer, tokens, feeds: readings, pools } as unknown as StateReading;
}
const queryOf = (size: QuoteRequest['size'], tokenIn: QuoteRequest['tokenIn'] = weth) =>
  toQuoteQuery({ chain: 'base', tokenIn, tokenOut: usdc, size });
const order = (size: QuoteRequest['size'], scene: Scene = {}) =>
  sizeOrder(queryOf(size, scene.tokenIn), statesWith(scene), base);

test('a size in tokens is in base units, rounded down with a flag', () => {
  expect(order({ tokenIn: '1.5' })).toMatchObject({
    amountIn: 15n * 10n ** 17n,
    requested: 15n * 10n ** 17n,
    cut: false,
    overflow: false,
    surveyed: false,
  });
  expect(order({ tokenIn: '1.23' }, { decimals: [1, 6] })).toMatchObject({ amountIn: 12n, cut: true });
});

test('a size of 256 bits is the largest, a larger one overflows and keeps what was requested', () => {
  const most = 2n ** 256n - 1n;
  expect(order({ tokenIn: `${most}` }, { decimals: [0, 6] })).toMatchObject({ amountIn: most, overflow: false });
  expect(order({ tokenIn: `${most + 1n}` }, { decimals: [0, 6] })).toMatchObject({
    amountIn: 0n,
    requested: most + 1n,
    overflow: true,
  });
});

test.each([
  ['tokenIn', [undefined, 6]],
  ['tokenOut', [18, undefined]],
  ['both', []],
])('nothing is sized if %s has no decimals', (_, decimals) => {
  for (const size of [{ tokenIn: '1' }, { usd: '1' }])
    expect(order(size, { decimals })).toEqual({
      amountIn: 0n,
      requested: 0n,
      cut: false,
      overflow: false,
      surveyed: false,
      feedRefused: false,
    });
});

test('USD of a stable are its units', () => {
  const sized = order({ usd: '12.5' }, { tokenIn: usdc, decimals: [6, 18] });
  expect(sized).toMatchObject({
    amountIn: 12_500_000n,
    usdSource: { source: 'stable', symbol: 'USDC' },
    dispute: undefined,
    surveyed: false,
  });
});

test('USD are converted by the feed, rounded down, with the decimals of feed and token', () => {
  const sized = order({ usd: '7.5' }, { feeds: [{ answer: 3_000n * 10n ** 8n }] });
  expect(sized).toMatchObject({ amountIn: 25n * 10n ** 14n, surveyed: false, feedRefused: false, cut: false });
  expect(sized.usdSource).toMatchObject({ source: 'feed', updatedAt: 1_000_000, usdPerToken: 3_000 });
  expect(order({ usd: '1' }, { decimals: [2, 6], feeds: [{ answer: 3n, decimals: 0 }] }).amountIn).toBe(33n);
  expect(order({ usd: '0.5' }, { decimals: [2, 6], feeds: [{ answer: 3n, decimals: 0 }] }).amountIn).toBe(16n);
});

const pools = (usdPerWeth: number) => {
  const [a, b] = [
    { address: weth, usd: usdPerWeth, decimals: 18 },
    { address: usdc, usd: 1, decimals: 6 },
  ];
  return [poolOf(pairState(a, b, 1_000_000, 0, 0), a, b)];
};

test('without a fresh feed, USD are converted by the deepest pool, and the refused feed is reported', () => {
  const sized = order({ usd: '500' }, { feeds: [{ updatedAt: 0n }], pools: pools(2_500) });
  expect(Number(sized.amountIn) / 1e18).toBeCloseTo(0.2, 6);
  expect(sized).toMatchObject({
    surveyed: true,
    feedRefused: true,
    dispute: undefined,
    usdSource: { source: 'pool', against: 'USDC' },
  });
  expect((sized.usdSource as { usdPerToken: number }).usdPerToken).toBeCloseTo(2_500, 3);
  const unlisted = order({ usd: '500' }, { tokenIn: stranger });
  expect(unlisted).toMatchObject({ amountIn: 0n, surveyed: true, feedRefused: false });
  expect(unlisted.usdSource).toBeUndefined();
});

test('USD with a fraction are converted by a pool against an asset with a fresh feed, and not without that feed', () => {
  const [token, asset] = [
    { address: stranger, usd: 4, decimals: 18 },
    { address: weth, usd: 2_000, decimals: 18 },
  ];
  const market = { tokenIn: stranger, pools: [poolOf(pairState(token, asset, 1_000_000, 0, 0), token, asset)] };
  const sized = order({ usd: '10.5' }, { ...market, feeds: [{}] });
  expect(Number(sized.amountIn) / 1e18).toBeCloseTo(2.625, 6);
  expect(sized.usdSource).toMatchObject({ source: 'pool', against: 'WETH' });
  expect(order({ usd: '10.5' }, market).amountIn).toBe(0n);
});

test('a pool that contradicts the feed is reported with both prices', () => {
  const { dispute, amountIn } = order({ usd: '2000' }, { feeds: [{}], pools: pools(2_200) });
  expect(amountIn).toBe(10n ** 18n);
  expect(dispute).toMatchObject({ source: 'feed', usdPerToken: 2_000, isRoundInFuture: false });
  expect(dispute?.poolUsdPerToken).toBeCloseTo(2_200, 3);
  expect(order({ usd: '2000' }, { feeds: [{}], pools: pools(2_010) }).dispute).toBeUndefined();
});

test('a round in the future is not used, and reported', () => {
  const sized = order({ usd: '2000' }, { feeds: [{ updatedAt: at + 1n }], pools: pools(2_000) });
  expect(sized).toMatchObject({ surveyed: true, feedRefused: true, usdSource: { source: 'pool' } });
  expect(sized.dispute).toMatchObject({ source: 'feed', usdPerToken: 2_000, isRoundInFuture: true });
});

test('a size in USD needs the feeds of tokenIn and of the pricing assets, each once; one in tokens needs none', () => {
  expect(feedsOf(queryOf({ tokenIn: '1' }), base)).toEqual([]);
  const assets = base.pricingAssets.flatMap(({ address }) => base.feeds[address]?.address ?? []);
  const feeds = feedsOf(queryOf({ usd: '1' }), base);
  expect(feeds[0]).toBe(row.address);
  expect([...feeds].sort()).toEqual([...new Set([row.address, ...assets])].sort());
  expect(feedsOf(queryOf({ usd: '1' }, stranger), base)).toEqual([...new Set(assets)]);
});

test.each<[string, NonNullable<Scene['feeds']>[number], boolean]>([
  ['a fresh answer', {}, true],
  ['36 decimals', { decimals: 36 }, true],
  ['37 decimals', { decimals: 37 }, false],
  ['an answer of 0', { answer: 0n }, false],
  ['a negative answer', { answer: -1n }, false],
  ['no answer', { read: false }, false],
  ['the age of the heartbeat', { updatedAt: at - BigInt(row.heartbeatSeconds) }, true],
  ['a second more', { updatedAt: at - BigInt(row.heartbeatSeconds) - 1n }, false],
  ['a round of this second', { updatedAt: at }, true],
  ['a round in the future', { updatedAt: at + 1n }, false],
])('a feed with %s is used: %s', (_, feed, expected) => {
  const states = statesWith({ feeds: [feed] });
  expect(freshFeed(weth, states, base) !== undefined).toBe(expected);
  const isFuture = feed.updatedAt !== undefined && feed.updatedAt > at;
  expect(roundInFuture(weth, states, base) !== undefined).toBe(isFuture);
});

test.each([
  ['none', true],
  ['up', true],
  ['down', false],
  ['unread', false],
] as const)('a feed is used while the sequencer is %s: %s', (sequencer, expected) => {
  expect(freshFeed(weth, statesWith({ feeds: [{}], sequencer }), base) !== undefined).toBe(expected);
});

test.each([
  ['an answer of 0', { answer: 0n }],
  ['37 decimals', { decimals: 37 }],
  ['no answer', { read: false }],
])('a round in the future with %s is none', (_, feed) => {
  expect(roundInFuture(weth, statesWith({ feeds: [{ updatedAt: at + 1n, ...feed }] }), base)).toBeUndefined();
});

test('a token without a feed has an unread one; a feed’s answer is in USD', () => {
  expect(feedReadingOf(stranger, statesWith({ feeds: [{}] }), base)).toEqual({
    read: false,
    answer: 0n,
    updatedAt: 0n,
    decimals: 0,
  });
  expect(feedReadingOf(weth, statesWith({ feeds: [{}] }), base)).toMatchObject({
    read: true,
    answer: 2_000n * 10n ** 8n,
  });
  expect([
    freshFeed(stranger, statesWith({ feeds: [{}] }), base),
    roundInFuture(stranger, statesWith({}), base),
  ]).toEqual([undefined, undefined]);
  expect(usdOf({ read: true, answer: 250n, decimals: 2, updatedAt: at })).toBe(2.5);
});
