import { expect, test } from 'vitest';
import type { LensReading, PoolReading } from '../../quote/lensReading.ts';
import { base } from '../../venues/deployments/base.ts';
import { toSlots } from '../../venues/toSlots.ts';
import type { ExitReading } from '../exit/exitTypes.ts';
import { feedDoubts, usdPricesOf } from './usdPrices.ts';

const slots = toSlots(base.venues);
const slot = slots.findIndex(({ venue }) => venue === 'uniswap-v2');
const weth = base.wrappedNative;
const stable = base.pricingAssets.find(({ usdStable }) => usdStable)?.address ?? '0x';
const heartbeat = BigInt(base.feeds[weth.toLowerCase()]?.heartbeatSeconds ?? 0);

/** A WETH feed at `feedUsd`, and a pool in which a stable of 18 decimals buys WETH for 1,000 USD. */
function read(feedUsd: bigint, { age = 0n } = {}) {
  const feed = { token: weth, tokenDecimals: 18, read: true, answer: feedUsd, decimals: 0, updatedAt: 1_000n };
  const exit = { bases: [feed], sequencer: 'up', timestamp: 1_000n + age } as unknown as ExitReading;
  const pool = { pair: 0, slot, bandStatus: 'filled', price: 1_000_000n, reserveOut: 1_000n } as PoolReading;
  const reading = {
    tokenIn: { hasCode: true, decimals: 18 },
    pairs: [{ tokenIn: stable, tokenOut: weth, amountIn: 1n, statuses: [] }],
    pools: new Map([[0, pool]]),
  } as unknown as LensReading;
  const quoted = { reading, slots };
  const price = usdPricesOf(exit, base, quoted).get(weth.toLowerCase());
  const usd = price && price.usdPerUnit * 1e18;
  return { source: price?.source, usd, doubts: feedDoubts(exit, base, quoted) };
}

test.each([801n, 1_000n, 1_249n])('takes a feed of %s USD beside pools of 1,000', (feedUsd) => {
  const { source, usd, doubts } = read(feedUsd);
  expect([source, doubts]).toEqual(['feed', []]);
  expect(usd).toBeCloseTo(Number(feedUsd), 6);
});

test.each([799n, 1_251n])('takes neither a feed of %s USD nor pools of 1,000, and names the ratio', (feedUsd) => {
  const { source, doubts } = read(feedUsd);
  expect(source).toBeUndefined();
  expect(doubts).toEqual([expect.stringContaining((Number(feedUsd) / 1_000).toPrecision(3))]);
});

test('takes the pools when the feed is older than its heartbeat', () => {
  expect(read(5_000n, { age: heartbeat }).source).toBeUndefined();
  expect(read(5_000n, { age: heartbeat + 1n })).toMatchObject({ source: 'pool', usd: expect.closeTo(1_000) });
});

test('takes no mid that a filled order refutes, however deep its pool is', () => {
  const feed = { token: weth, tokenDecimals: 18, read: false };
  const exit = { bases: [feed], sequencer: 'up', timestamp: 0n } as unknown as ExitReading;
  const pool = (reserveOut: bigint, price: bigint, rest: Partial<PoolReading> = {}) =>
    ({ pair: 0, slot, bandStatus: 'filled', status: 'outbid', price, reserveOut, ...rest }) as PoolReading;
  const usdOf = (pools: readonly PoolReading[]) => {
    const reading = {
      tokenIn: { hasCode: true, decimals: 18 },
      pairs: [{ tokenIn: stable, tokenOut: weth, amountIn: 1n, statuses: [] }],
      pools: new Map(pools.map((each, index) => [index, each])),
    } as unknown as LensReading;
    const price = usdPricesOf(exit, base, { reading, slots }).get(weth.toLowerCase());
    return price && price.usdPerUnit * 1e18;
  };
  const dear = pool(10_000n, 20_000_000n);
  const fair = pool(1_000n, 1_000_000n, { status: 'filled', arrived: 10_000n, nominal: 5n });
  expect(usdOf([dear, fair])).toBeCloseTo(2_000);
  expect(usdOf([dear, { ...fair, nominal: 9n }])).toBeCloseTo(1_000);
});
