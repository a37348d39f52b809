import { getAddress } from 'viem';
import { expect, test } from 'vitest';
import {
  blockTime,
  codesIn,
  fillOf,
  quoteIn,
  ruleIn,
  type Scene,
  sold,
  stranger,
  usdc,
} from '../../../tests/support/engine/testScene.ts';
import type { OrderSize } from '../query/sizeOrder.ts';
import { createExecutorMemory, executorRelease } from '../transaction/executorState.ts';
import { measurePrices } from './quote.ts';

const now = () => 0;
const best = fillOf(1_990_000_000n);
const flagIn = (scene: Scene, code: string) => quoteIn(scene).flags.find((flag) => flag.code === code);

test('an answer contains the executed amounts, prices in whole tokens, the block and its validity', () => {
  const {
    route,
    priceImpactBps,
    worstCaseSlippageBps,
    flags: _,
    ...answer
  } = quoteIn({
    found: { best: { ...best, secondAmountOut: 1_900_000_000n } },
  });
  expect(answer).toEqual({
    ...{ chain: 'base', tokenIn: getAddress(stranger), tokenOut: getAddress(usdc), decimals: { in: 18, out: 6 } },
    ...{ amountIn: sold, amountOut: 1_990_000_000n, executablePrice: 1.99, spotPrice: 2, depthAtSize: 5_000 },
    ...{ confidence: 'high', blockNumber: 77n, venuesConsidered: answer.venuesConsidered },
    ...{ ts: Number(blockTime) * 1_000, validUntil: Number(blockTime) * 1_000 + 4_000 },
  });
  expect(answer.venuesConsidered).toBeGreaterThan(5);
  expect([priceImpactBps, worstCaseSlippageBps]).toEqual([expect.closeTo(50, 6), expect.closeTo(500, 6)]);
  expect(route).toMatchObject({ dex: 'uniswap-v2', path: [getAddress(stranger), getAddress(usdc)] });
});

test('an order that two routes confirm has only a flag for its gas', () => {
  expect(quoteIn().flags).toMatchObject([
    { code: 'ROUTE_GAS', facts: { gas: 100_000, gasUsd: null, valueInUsd: null, valueOutUsd: 1_990 } },
  ]);
});

test.each([
  [600_000, 600_000, false],
  [600_000, 600_001, true],
  [undefined, 9_000_000, false],
])('with a limit of %s ms, a block of %s ms is old: %s', (oldBlockMs, ageMs, isOld) => {
  const scene: Scene = { ageMs, ...(oldBlockMs !== undefined && { oldBlockMs }) };
  expect(codesIn(scene)[0] === 'OLD_BLOCK').toBe(isOld);
  expect(ruleIn(scene)).toEqual(
    isOld ? ['low', 'the latest available block is over ten minutes old'] : ['high', undefined],
  );
});

test('a venue that could not be read lowers the confidence and is named', () => {
  const scene: Scene = { venue: 'aerodrome', status: 'unread' };
  expect(flagIn(scene, 'VENUE_UNREAD')?.facts).toEqual({ venues: ['aerodrome'] });
  expect(flagIn(scene, 'CONFIDENCE')).toEqual({
    code: 'CONFIDENCE',
    severity: 'info',
    message: 'The confidence is low, because a venue could not be read.',
    facts: { rule: 'a venue could not be read' },
  });
});

test('a pool that rejected the swap is reported beside the route', () => {
  const failed = best.plan.legs.map(({ pool: ref, tokenIn, tokenOut }) => {
    return { ref, tokenIn, tokenOut, status: 'reverted', reason: '0x00000000' } as const;
  });
  expect(codesIn({ found: { failed } })).toEqual(['POOL_REJECTED', 'ROUTE_GAS']);
});

test.each<[string, Scene, string, string | undefined]>([
  ['there is no mid', { found: { mid: undefined } }, 'low', 'there is no reliable mid'],
  ['the impact is 10.1 %', { found: { mid: 1.99e-12 / 0.899 } }, 'low', 'the price impact is over 10 %'],
  [
    'the logs were not read',
    { logGap: 'unread' },
    'medium',
    "the factories' logs could not be read, so pools may be missing",
  ],
  [
    'the logs were not read yet',
    { logGap: 'pending' },
    'medium',
    "the factories' logs could not be read, so pools may be missing",
  ],
  ['the search of pools was truncated', { logGap: 'truncated' }, 'high', undefined],
  [
    'pools that are not quoted hold a fifth',
    { notCovered: { largest: [], count: 1, share: 0.2, unread: [] } },
    'medium',
    "pools that cannot be quoted hold more than a tenth of what the plan's pools hold",
  ],
  [
    'it is unknown what a venue holds that is not quoted',
    { notCovered: { largest: [], count: 0, share: 0, unread: ['curve'] } },
    'medium',
    'it could not be read how much pools hold that cannot be quoted',
  ],
  ['small pools are not quoted', { notCovered: { largest: [], count: 1, share: 0.05, unread: [] } }, 'high', undefined],
  [
    'the second route pays 3 % less',
    { found: { runnerUp: fillOf(1_930_000_000n, 'b') } },
    'medium',
    'the two best independent routes differ by over 2 %',
  ],
  ['no second route confirms a small impact', { found: { runnerUp: undefined } }, 'high', undefined],
])('the confidence is lowered if %s', (_, scene, confidence, rule) => {
  expect(ruleIn(scene)).toEqual([confidence, rule]);
});

test('pools that are not quoted are reported', () => {
  const notCovered = { largest: [], count: 0, share: 0, unread: ['curve'] };
  expect(flagIn({ notCovered }, 'NOT_COVERED')?.facts).toEqual({ pools: [], count: 0, unread: ['curve'] });
});

test('a second route that pays less than half of the best confirms nothing', () => {
  expect(codesIn({ found: { runnerUp: fillOf(994_999_999n, 'b') } })).toEqual(['SINGLE_POOL', 'ROUTE_GAS']);
  expect(codesIn({ found: { runnerUp: fillOf(995_000_000n, 'b') } })).not.toContain('SINGLE_POOL');
});

test.each([
  [1_000.1, 'low'],
  [1_000, 'high'],
  [null, 'high'],
])(
  'a USD price that differs by %s bps from that of the deepest pool gives %s confidence',
  (differenceBps, confidence) => {
    const dispute = {
      source: 'feed',
      usdPerToken: 2,
      poolUsdPerToken: 1,
      differenceBps,
      isRoundInFuture: false,
    } as const;
    expect(quoteIn({ size: { dispute } }).confidence).toBe(confidence);
  },
);

test('a sale that could not be paid has an unknown tax and low confidence, unless a pricing asset is sold', () => {
  const scene: Scene = { found: { best: { ...best, isUnpaid: true } } };
  expect(ruleIn(scene)).toEqual(['low', 'a transfer tax could not be measured']);
  expect(flagIn(scene, 'TRANSFER_TAX')?.facts).toEqual({ token: getAddress(stranger), side: 'sell', taxBps: null });
  expect(codesIn({ ...scene, query: { tokenIn: usdc } })).toEqual(['ROUTE_GAS']);
});

test('a tax that was measured in the route is reported', () => {
  const legs = best.legs.map((leg) => ({ ...leg, arrived: (leg.amountIn * 9n) / 10n }));
  expect(flagIn({ found: { best: { ...best, legs } } }, 'TRANSFER_TAX')?.facts).toMatchObject({ taxBps: 1_000 });
});

test('the output in the next block is compared with that of the answer', () => {
  const at = (amountOut: bigint) => flagIn({ nextBlock: { status: 'read', amountOut } }, 'FEE_CHANGES')?.facts;
  expect(at(1_990_000_000n)).toBeUndefined();
  expect(at(995_000_000n)).toEqual({ amountOut: '1990000000', nextAmountOut: '995000000', changeBps: -5_000 });
});

test('a plan that the executor ran names its address; one that a token refuses it has a flag', () => {
  const executor = createExecutorMemory(now);
  const byExecutor: Scene = { executor, found: { best: { ...best, byExecutor: true } } };
  expect(flagIn({ executor }, 'ROUTE_GAS')?.facts).not.toHaveProperty('executor');
  expect(flagIn(byExecutor, 'ROUTE_GAS')?.facts).toMatchObject({ executor: executorRelease.address });
  executor.rememberRefusal(usdc, stranger);
  expect(codesIn({ executor })).toEqual(['ROUTE_GAS']);
  executor.rememberRefusal(stranger, usdc);
  expect(codesIn({ executor })).toEqual(['ROUTER_DEPENDENT', 'ROUTE_GAS']);
  expect(codesIn(byExecutor)).toEqual(['ROUTE_GAS']);
});

test('a split states its gain over the best single route, which the second route confirms', () => {
  const single = fillOf(1_900_000_000n, 'c');
  const scene: Scene = { found: { best, single, runnerUp: fillOf(1_890_000_000n, 'b') } };
  expect(flagIn(scene, 'SPLIT_ROUTE')).toMatchObject({
    message: 'The split route returns 4.73 % more than the best single route.',
    facts: { gainBps: 473, single: { amountOut: '1900000000', pools: [getAddress(`0x${'c'.padStart(40, '0')}`)] } },
  });
  expect(quoteIn(scene).confidence).toBe('high');
  // Without a single route, the split itself is compared.
  expect(codesIn({ found: { single: undefined } })).toEqual(['ROUTE_GAS']);
  expect(quoteIn({ found: { single: undefined, runnerUp: fillOf(1_900_000_000n, 'b') } }).confidence).toBe('medium');
});

test('a size with more decimals than tokenIn is reported as rounded down', () => {
  expect(flagIn({ size: { cut: true }, tokens: [{ decimals: 8 }, {}] }, 'SIZE_TRUNCATED')?.facts).toEqual({
    decimals: 8,
  });
});

test('the source of the USD price is reported for a size in USD only', () => {
  const size = { usdSource: { source: 'stable', symbol: 'USDC' } } as const;
  expect(flagIn({ size, query: { size: { usd: '5' } } }, 'USD_PRICE_SOURCE')?.facts).toEqual(size.usdSource);
  expect(codesIn({ size })).not.toContain('USD_PRICE_SOURCE');
});

const decimals = { in: 2, out: 0 };
const size = { amountIn: 1_000n } as OrderSize;
/** 10 tokens for 19, at a mid of 2. */
const pricesOf = (secondAmountOut: bigint | undefined, mid: number | undefined = 0.02) =>
  measurePrices(size, { mid, depth: 3_000n }, { amountOut: 19n, secondAmountOut } as never, decimals);

test('prices are in whole tokens, and losses in basis points of the mid', () => {
  const { priceImpactBps, worstCaseSlippageBps, ...prices } = pricesOf(18n);
  expect(prices).toEqual({ executablePrice: 1.9, spotPrice: 2, depthAtSize: 30 });
  expect(priceImpactBps).toBeCloseTo(500, 9);
  expect(worstCaseSlippageBps).toBeCloseTo(1_000, 9);
});

test.each([undefined, 0n])('a second order that pays %s loses everything', (second) => {
  expect(pricesOf(second).worstCaseSlippageBps).toBe(10_000);
});

test.each([undefined, 0, Number.POSITIVE_INFINITY])('a mid of %s is no price', (mid) => {
  const prices = measurePrices(size, { mid, depth: 0n }, { amountOut: 19n } as never, decimals);
  expect(prices).toMatchObject({ spotPrice: null, priceImpactBps: null, worstCaseSlippageBps: null });
});
