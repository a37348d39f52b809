import { expect, test } from 'vitest';
import type { LensReading, PoolReading } from '../../quote/lensReading.ts';
import { deployments } from '../../venues/deployments/deployments.ts';
import { kinds } from '../../venues/kinds.ts';
import { toCandidatePools } from '../../venues/toCandidatePools.ts';
import type { BaseReading, ExitReading } from '../exit/exitTypes.ts';
import { feedDoubts, usdPricesOf } from './usdPrices.ts';

const { base } = deployments;
const candidatePools = toCandidatePools(base.venues);
const candidatePool = candidatePools.findIndex(({ venue }) => venue === 'uniswap-v2');
const weth = base.wrappedNative;
const stable = base.pricingAssets.find(({ usdStable }) => usdStable)?.address ?? '0x';
const unlisted = '0x1212121212121212121212121212121212121212' as const;
const heartbeat = BigInt(base.feeds[weth]?.heartbeatSeconds ?? 0);

/** A WETH feed at `feedUsd`, and a pool in which a stable of 18 decimals buys WETH for 1,000 USD. */
function read(feedUsd: bigint, { age = 0n } = {}) {
  const feed = { token: weth, tokenDecimals: 18, read: true, answer: feedUsd, decimals: 0, updatedAt: 1_000n };
  const exit = { bases: [feed], sequencer: 'up', timestamp: 1_000n + age } as unknown as ExitReading;
  const pool = { pair: 0, candidatePool, bandStatus: 'filled', price: 1_000_000n, reserveOut: 1_000n } as PoolReading;
  const reading = {
    tokenIn: { hasCode: true, decimals: 18 },
    pairs: [{ tokenIn: stable, tokenOut: weth, amountIn: 1n, statuses: [] }],
    pools: new Map([[0, pool]]),
  } as unknown as LensReading;
  const quoted = { reading, candidatePools };
  const price = usdPricesOf(exit, base, quoted).get(weth);
  const usd = price && price.usdPerUnit * 1e18;
  return { source: price?.source, usd, doubts: feedDoubts(exit, base, quoted) };
}

test.each([801n, 1_000n, 1_249n])('uses a feed of %s USD if the pools are at 1,000 USD', (feedUsd) => {
  const { source, usd, doubts } = read(feedUsd);
  expect([source, doubts]).toEqual(['feed', []]);
  expect(usd).toBeCloseTo(Number(feedUsd), 6);
});

test.each([799n, 1_251n])('uses neither a feed of %s USD nor pools at 1,000 USD, and reports the ratio', (feedUsd) => {
  const { source, doubts } = read(feedUsd);
  expect(source).toBeUndefined();
  expect(doubts).toEqual([expect.stringContaining((Number(feedUsd) / 1_000).toPrecision(3))]);
});

test('uses the price in pools if the feed is older than its heartbeat', () => {
  expect(read(5_000n, { age: heartbeat }).source).toBeUndefined();
  expect(read(5_000n, { age: heartbeat + 1n })).toMatchObject({ source: 'pool', usd: expect.closeTo(1_000) });
});

test('ignores a mid that a filled order contradicts, even in the deepest pool', () => {
  const feed = { token: weth, tokenDecimals: 18, read: false };
  const exit = { bases: [feed], sequencer: 'up', timestamp: 0n } as unknown as ExitReading;
  const pool = (reserveOut: bigint, price: bigint, rest: Partial<PoolReading> = {}) =>
    ({ pair: 0, candidatePool, bandStatus: 'filled', status: 'outbid', price, reserveOut, ...rest }) as PoolReading;
  const usdOf = (pools: readonly PoolReading[]) => {
    const reading = {
      tokenIn: { hasCode: true, decimals: 18 },
      pairs: [{ tokenIn: stable, tokenOut: weth, amountIn: 1n, statuses: [] }],
      pools: new Map(pools.map((each, index) => [index, each])),
    } as unknown as LensReading;
    const price = usdPricesOf(exit, base, { reading, candidatePools }).get(weth);
    return price && price.usdPerUnit * 1e18;
  };
  const deeper = pool(10_000n, 20_000_000n);
  const paying = pool(1_000n, 1_000_000n, { status: 'filled', arrived: 10_000n, nominal: 5n });
  expect(usdOf([deeper, paying])).toBeCloseTo(2_000);
  expect(usdOf([deeper, { ...paying, nominal: 9n }])).toBeCloseTo(1_000);
});

const weth18 = { token: weth, tokenDecimals: 18, read: true, answer: 1_000n, decimals: 0, updatedAt: 1_000n };
/** The price of the first base asset, from a feed or, if `pools` is given, from a pool. */
function priced(base0: Partial<BaseReading>, { sequencer = 'up', pools = undefined as object | undefined } = {}) {
  const exit = { bases: [{ ...weth18, ...base0 }], sequencer, timestamp: 1_000n } as unknown as ExitReading;
  const quoted = pools && { reading: pools as LensReading, candidatePools };
  const prices = usdPricesOf(exit, base, quoted);
  return { price: [...prices.values()][0], keys: [...prices.keys()], doubts: feedDoubts(exit, base, quoted) };
}

test.each([
  ['up', true],
  ['none', true],
  ['down', false],
  ['unread', false],
])('with the sequencer %s, a feed is used: %s', (sequencer, trusted) => {
  expect(priced({}, { sequencer }).price).toEqual(trusted ? { usdPerUnit: 1e-15, source: 'feed' } : undefined);
});

test.each([
  ['that could not be read', { read: false }],
  ['that returns zero', { answer: 0n }],
  ['of an asset without decimals', { tokenDecimals: undefined }],
  ['of an asset without a feed on this chain', { token: unlisted }],
])('ignores a feed %s, and has no entry for the asset', (_, change) => {
  expect(priced(change)).toEqual({ price: undefined, keys: [], doubts: [] });
});

test('counts a USD stable 1:1 by its decimals, whatever its feed and pools report', () => {
  expect(priced({ token: stable, tokenDecimals: 6, answer: 5n }).price).toEqual({ usdPerUnit: 1e-6, source: 'stable' });
  expect(priced({ token: stable, tokenDecimals: undefined }).price).toBeUndefined();
});

const poolsOf = (change: object = {}, pools = 1_000n) => ({
  tokenIn: { hasCode: true, decimals: 18 },
  pairs: [
    { tokenIn: stable, tokenOut: `0x${'34'.repeat(20)}`, amountIn: 1n, statuses: [] },
    { tokenIn: `0x${'34'.repeat(20)}`, tokenOut: weth, amountIn: 1n, statuses: [] },
    { tokenIn: stable, tokenOut: weth, amountIn: 1n, statuses: [] },
  ],
  pools: new Map([[0, { pair: 2, candidatePool, bandStatus: 'filled', price: 1_000n * pools, reserveOut: 1_000n }]]),
  ...change,
});

test('reads the pool of the stable and the asset', () => {
  const { price, keys } = priced({ read: false }, { pools: poolsOf() });
  expect(price).toMatchObject({ usdPerUnit: 1e-15, source: 'pool' });
  expect(keys).toEqual([weth]);
});

test.each([
  ['no quote', undefined, {}],
  ['no pair of the asset', poolsOf(), { token: unlisted }],
  ['no pair at all', poolsOf({ pairs: [] }), {}],
  ['a stable without decimals', poolsOf({ tokenIn: { hasCode: true } }), {}],
  ['an asset without decimals', poolsOf(), { tokenDecimals: undefined }],
  ['no pool with a mid', poolsOf({ pools: new Map() }), {}],
])('has no price from pools with %s', (_, pools, change) => {
  expect(priced({ read: false, ...change }, { pools }).price).toBeUndefined();
});

test.each([
  [1_250n, 'feed'],
  [1_251n, undefined],
  [801n, 'feed'],
  [799n, undefined],
])('a feed of %s USD beside pools of 1,000 gives the source %s', (answer, source) => {
  expect(priced({ answer }, { pools: poolsOf() }).price?.source).toBe(source);
});

test('names the asset of a contradicted feed by its symbol', () => {
  const { doubts } = priced({ answer: 2_000n }, { pools: poolsOf() });
  expect(doubts).toEqual(['The price feed of WETH reports 2.00 times the price in its pools; neither is used.']);
});

test('reports no contradiction for a feed without pools, or pools without a feed', () => {
  expect(priced({}).doubts).toEqual([]);
  expect(priced({ read: false }, { pools: poolsOf() }).doubts).toEqual([]);
  expect(priced({ token: stable, answer: 9_999n }, { pools: poolsOf() }).doubts).toEqual([]);
});

test('reads stable pairs in the decimals of each token', () => {
  const curve = candidatePools.findIndex(({ kind, fee }) => kind === kinds.solidly && fee === 1);
  const reserves = { price: 10n ** 24n, reserveOut: 10n ** 12n };
  const pools = new Map([[0, { pair: 2, candidatePool: curve, bandStatus: 'filled', ...reserves }]]);
  const { price } = priced({ read: false, tokenDecimals: 6 }, { pools: poolsOf({ pools }) });
  // One million tokens on each side, so the price is 1.
  expect(price?.usdPerUnit).toBeCloseTo(1e-6, 12);
});
