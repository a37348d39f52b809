import { expect, test } from 'vitest';
import type { MarketRead } from '../../quote/market/prepareMarket.ts';
import type { PlanExecution } from '../../quote/plan/executionTypes.ts';
import { deployments } from '../../venues/deployments/deployments.ts';
import type { Pool, PoolState } from '../../venues/poolTypes.ts';
import type { BaseReading, ExitReading } from '../exit/exitTypes.ts';
import { feedDoubts, usdPricesOf } from './usdPrices.ts';

const { base } = deployments;
const weth = base.wrappedNative;
const stable = base.pricingAssets.find(({ usdStable }) => usdStable)?.address ?? '0x';
const unlisted = '0x1212121212121212121212121212121212121212' as const;
const heartbeat = BigInt(base.feeds[weth]?.heartbeatSeconds ?? 0);

/** A pair of the stable and WETH, and the execution of a sale of the stable there. */
interface Executed {
  stables?: bigint;
  weths?: bigint;
  /** What the execution sold and bought; by default at the price of the pair. */
  sold?: bigint;
  bought?: bigint;
  /** The order, and the share of it that this leg sells. */
  amountIn?: bigint;
  shareBps?: number;
  kind?: PoolState['kind'];
  status?: 'filled' | 'reverted' | 'not-requested';
}

/** The market of the quote, in which a stable of 18 decimals buys WETH for 1,000 USD. */
function marketOf(executed: readonly Executed[], decimals: number | null = 18): MarketRead {
  const isFirst = stable < weth;
  const each = executed.map(({ stables = 1_000_000n, weths = 1_000n, kind = 'pair', ...rest }, index) => {
    const reserves = { reserve0: isFirst ? stables : weths, reserve1: isFirst ? weths : stables };
    const [token0, token1] = isFirst ? [stable, weth] : [weth, stable];
    const scales = { scale0: 10n ** 18n, scale1: 10n ** 18n };
    const pool = {
      ref: { id: `0x${index}`, token0, token1 },
      state: { kind, ...reserves, ...scales, feePips: [0, 0] },
    };
    const { sold = 1_000n, bought = (sold * weths) / stables, status = 'filled' } = rest;
    const { shareBps = 10_000, amountIn = 10_000n } = rest;
    const plan = { tokenIn: stable, amountIn, legs: [{ pool: pool.ref, tokenIn: stable, tokenOut: weth, shareBps }] };
    const run = { status, legs: [{ arrived: sold, nominal: bought }] };
    return { pool: pool as unknown as Pool, execution: { plan, run } as unknown as PlanExecution, status };
  });
  const states = {
    tokens: [{ address: stable, decimals: decimals ?? undefined }],
    pools: each.map(({ pool }) => pool),
  };
  const done = each.flatMap(({ execution, status }) => (status === 'not-requested' ? [] : execution));
  return { read: { states }, done } as unknown as MarketRead;
}

/** A WETH feed at `feedUsd`, and a pool in which a stable of 18 decimals buys WETH for 1,000 USD. */
function read(feedUsd: bigint, { age = 0n } = {}) {
  const feed = { token: weth, tokenDecimals: 18, read: true, answer: feedUsd, decimals: 0, updatedAt: 1_000n };
  const exit = { bases: [feed], sequencer: 'up', timestamp: 1_000n + age } as unknown as ExitReading;
  const market = marketOf([{}]);
  const price = usdPricesOf(exit, base, market).get(weth);
  const usd = price && price.usdPerUnit * 1e18;
  return { source: price?.source, usd, doubts: feedDoubts(exit, base, market) };
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

const unread = { bases: [{ token: weth, tokenDecimals: 18, read: false }], sequencer: 'up', timestamp: 0n };
const usdIn = (executed: readonly Executed[]) => {
  const price = usdPricesOf(unread as unknown as ExitReading, base, marketOf(executed)).get(weth);
  return price && price.usdPerUnit * 1e18;
};

test('ignores a mid that a filled order contradicts, even in the deepest pool', () => {
  const deeper = { stables: 20_000_000n, weths: 10_000n };
  expect(usdIn([deeper, { sold: 10_000n, bought: 5n }])).toBeCloseTo(2_000);
  expect(usdIn([deeper, { sold: 10_000n, bought: 9n }])).toBeCloseTo(1_000);
});

test.each([
  ['a leg of a split', { shareBps: 582 }],
  ['a sample of a part', { amountIn: 582n }],
])('a small pool that pays %s a fifth more does not hide the deepest pool', (_, part) => {
  const small = { stables: 40_000n, weths: 48n, sold: 582_000n, bought: 687n, ...part };
  expect(usdIn([{ stables: 20_000_000n, weths: 20_000n, sold: 9_418_000n, bought: 9_418n }, small])).toBeCloseTo(1_000);
});

test.each(['reverted', 'not-requested'] as const)('ignores a pool whose execution is %s', (status) => {
  const deeper = { stables: 20_000_000n, weths: 10_000n, status };
  expect(usdIn([deeper, {}])).toBeCloseTo(1_000);
  expect(usdIn([deeper])).toBeUndefined();
});

const weth18 = { token: weth, tokenDecimals: 18, read: true, answer: 1_000n, decimals: 0, updatedAt: 1_000n };
/** The price of the first base asset, from a feed or, if `pools` is given, from a pool. */
function priced(base0: Partial<BaseReading>, { sequencer = 'up', market = undefined as MarketRead | undefined } = {}) {
  const exit = { bases: [{ ...weth18, ...base0 }], sequencer, timestamp: 1_000n } as unknown as ExitReading;
  const prices = usdPricesOf(exit, base, market);
  return { price: [...prices.values()][0], keys: [...prices.keys()], doubts: feedDoubts(exit, base, market) };
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

test('reads the pool of the stable and the asset', () => {
  const { price, keys } = priced({ read: false }, { market: marketOf([{}]) });
  expect(price).toMatchObject({ usdPerUnit: 1e-15, source: 'pool' });
  expect(keys).toEqual([weth]);
});

test.each([
  ['no quote', undefined, {}],
  ['no pool of the asset', marketOf([{}]), { token: unlisted }],
  ['no pool at all', marketOf([]), {}],
  ['a stable without decimals', marketOf([{}], null), {}],
  ['an asset without decimals', marketOf([{}]), { tokenDecimals: undefined }],
  ['no pool with a mid', marketOf([{ kind: 'opaque' }]), {}],
])('has no price from pools with %s', (_, market, change) => {
  expect(priced({ read: false, ...change }, { market }).price).toBeUndefined();
});

test.each([
  [1_250n, 'feed'],
  [1_251n, undefined],
  [801n, 'feed'],
  [799n, undefined],
])('a feed of %s USD beside pools of 1,000 gives the source %s', (answer, source) => {
  expect(priced({ answer }, { market: marketOf([{}]) }).price?.source).toBe(source);
});

test('names the asset of a contradicted feed by its symbol', () => {
  const { doubts } = priced({ answer: 2_000n }, { market: marketOf([{}]) });
  expect(doubts).toEqual(['The price feed of WETH reports 2.00 times the price in its pools; neither is used.']);
});

test('reports no contradiction for a feed without pools, or pools without a feed', () => {
  expect(priced({}).doubts).toEqual([]);
  expect(priced({ read: false }, { market: marketOf([{}]) }).doubts).toEqual([]);
  expect(priced({ token: stable, answer: 9_999n }, { market: marketOf([{}]) }).doubts).toEqual([]);
});
