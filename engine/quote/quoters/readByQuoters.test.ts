import { type Address, decodeFunctionData, type Hex } from 'viem';
import { expect, test } from 'vitest';
import { quoterNode, type Returned, venueAbi, words } from '../../../tests/support/engine/testQuoters.ts';
import { deployments } from '../../venues/deployments/deployments.ts';
import { toCandidatePools } from '../../venues/families.ts';
import { toQuoteQuery } from '../query/toQuoteQuery.ts';
import type { QuoteRequest } from '../quoteTypes.ts';
import { readByQuoters } from './readByQuoters.ts';

const { base } = deployments;
const candidatePools = toCandidatePools(base.venues);
const [weth, usdc, quoter] = [base.wrappedNative, base.usdc, base.quoterV2];
const factoryOf = (name: string) => candidatePools.find(({ venue }) => venue === name)?.factory;
const [pairFactory, poolFactory] = [factoryOf('uniswap-v2'), factoryOf('uniswap-v3')];
const pair = '0x00000000000000000000000000000000000000c1';
const pools: Record<number, Address> = {
  500: '0x00000000000000000000000000000000000000c5',
  3000: '0x00000000000000000000000000000000000000c6',
};
/** 3,000 USDC for one WETH, which is token0. */
const sqrtPrice = BigInt(Math.floor(Math.sqrt(3e-9) * 2 ** 96));

interface Chain {
  /** What the quoter pays for a sale of WETH in a pool of this fee; by default 3,000 USDC less the fee. */
  quote?: (amountIn: bigint, fee: number, limit: bigint) => Returned;
  /** Replaces the result of a read of this contract, by address and function. */
  replaced?: Record<string, Returned>;
  query?: Partial<QuoteRequest>;
  /** Timestamp of the block. */
  time?: bigint;
}

const linear = (amountIn: bigint, fee: number, limit: bigint): Returned => {
  // Up to the limit, the pools pay 1,000 and 2,000 USDC.
  if (limit > 0n) return words(fee === 500 ? 1_000_000_000n : 2_000_000_000n, limit, 0n, 0n);
  return words((amountIn * 3n * BigInt(1_000_000 - fee)) / 10n ** 15n, sqrtPrice - 1n, 0n, 0n);
};

/** A chain with a pair of 100 WETH and 299,000 USDC, and pools of 0.05 % and 0.3 %. By default, 1 WETH is sold. */
async function marketOn({ quote = linear, replaced = {}, query, time = 16n }: Chain = {}) {
  const answer = ({ to, data }: { to: Address; data: Hex }): Returned => {
    const call = decodeFunctionData({ abi: venueAbi, data });
    const known = replaced[`${to} ${call.functionName}`];
    if (known !== undefined) return known;
    switch (call.functionName) {
      case 'factory':
        return words(poolFactory as Hex);
      case 'decimals':
        return words(to === usdc ? 6n : 18n);
      case 'getPair':
        return words(to === pairFactory ? pair : 0n);
      case 'getPool':
        return words(to === poolFactory ? (pools[call.args[2]] ?? 0n) : 0n);
      case 'getReserves':
        return words(100n * 10n ** 18n, 299_000n * 10n ** 6n, 0n);
      case 'slot0':
        return words(sqrtPrice, 0n, 0n, 0n, 0n, 0n, 1n);
      case 'quoteExactInputSingle':
        return quote(call.args[0].amountIn, call.args[0].fee, call.args[0].sqrtPriceLimitX96);
      default:
        return 'unread';
    }
  };
  const { node, seen, calls } = quoterNode({ answer, time });
  const asked = toQuoteQuery({ chain: 'base', tokenIn: weth, tokenOut: usdc, size: { tokenIn: '1' }, ...query });
  const market = await readByQuoters({ deployment: base, candidatePools }, asked, node);
  /** Status of the venue's pool, of the fee if it has several. */
  const statusOf = (name: string, fee?: number) =>
    market.states.pairs[0]?.statuses[
      candidatePools.findIndex((each) => each.venue === name && each.fee === (fee ?? each.fee))
    ];
  return { ...market, statusOf, node, seen, calls };
}

test('the pool that pays most is the answer, the second one confirms it, and three requests share one block', async () => {
  const { found, size, states, calls, node } = await marketOn();
  expect(size.amountIn).toBe(10n ** 18n);
  expect(found?.best).toMatchObject({ amountOut: 2_998_500_000n, secondAmountOut: 2_998_500_000n, isUnpaid: true });
  expect(found?.best?.legs[0]?.pool).toMatchObject({ id: pools[500], token0: weth, token1: usdc });
  expect(found?.runnerUp?.legs[0]?.pool.id).toBe(pools[3000]);
  expect(found?.depth).toBe(8n * 10n ** 18n);
  expect(found?.mid).toBeCloseTo(3e-9, 14);
  expect(states).toMatchObject({ block: { number: 16n, timestamp: 16n, baseFee: 0n }, pools: [], unread: [] });
  expect(states.tokens).toEqual([
    { address: weth, hasCode: true, decimals: 18, supply: 0n },
    { address: usdc, hasCode: true, decimals: 6, supply: 0n },
  ]);
  expect(calls.map(({ params }) => params[1])).toEqual(['latest', '0x10', '0x10']);
  expect(node.block?.number).toBe(16n);
});

test('pools that filled, that do not exist and that were not read have their own statuses', async () => {
  const { statusOf } = await marketOn();
  expect([statusOf('uniswap-v2'), statusOf('uniswap-v3', 500), statusOf('uniswap-v3', 3000)]).toEqual([
    ...['filled', 'filled', 'filled'],
  ]);
  expect([statusOf('uniswap-v3', 100), statusOf('sushiswap-v2')]).toEqual(['no-pool', 'no-pool']);
  // The quoter reads pools of Uniswap's factory only.
  expect([statusOf('sushiswap-v3'), statusOf('aerodrome'), statusOf('uniswap-v4')]).toEqual([
    ...['unread', 'unread', 'unread'],
  ]);
});

test('the quoter is asked for the size in all pools before larger sizes, and for one percent of the price last', async () => {
  const { seen } = await marketOn();
  const quotesOf = (reads: (typeof seen)[number] | undefined) =>
    (reads ?? []).flatMap(({ to, data }) => {
      const call = decodeFunctionData({ abi: venueAbi, data });
      return call.functionName === 'quoteExactInputSingle' ? [{ to, ...call.args[0] }] : [];
    });
  expect(quotesOf(seen[1]).map(({ amountIn, fee }) => [amountIn / 10n ** 18n, fee])).toEqual([
    ...[1n, 2n, 4n, 8n].flatMap((amount) => [500, 3000].map((fee) => [amount, fee])),
  ]);
  expect(quotesOf(seen[1]).every(({ to, sqrtPriceLimitX96 }) => to === quoter && sqrtPriceLimitX96 === 0n)).toBe(true);
  const limits = quotesOf(seen[2]);
  expect(limits.map(({ fee }) => fee)).toEqual([500, 3000]);
  for (const { amountIn, sqrtPriceLimitX96 } of limits) {
    expect((Number(sqrtPriceLimitX96) / Number(sqrtPrice)) ** 2).toBeCloseTo(0.99, 5);
    expect(amountIn).toBeGreaterThan(10n ** 30n);
    // QuoterV2 reverts for amounts from 2^255.
    expect(amountIn).toBeLessThan(2n ** 255n);
  }
});

test('a sale of token1 uses the reserves and the price in the other direction', async () => {
  const { found } = await marketOn({
    query: { tokenIn: usdc, tokenOut: weth, size: { tokenIn: '299' } },
    quote: () => 'reverted',
  });
  // 299 less 0.3 % into 299,000, for 100 WETH.
  expect(Number(found?.best?.amountOut) / 1e18).toBeCloseTo((298.103 * 100) / (299_000 + 298.103), 9);
  expect(found?.best?.legs[0]?.pool).toMatchObject({ id: pair, token0: weth, token1: usdc });
  expect((found?.mid ?? 0) / 1e12).toBeCloseTo(100 / 299_000, 9);
});

test('a price limit of a sale of token1 is above the price', async () => {
  const limits: bigint[] = [];
  await marketOn({
    query: { tokenIn: usdc, tokenOut: weth },
    quote: (amount, fee, limit) => {
      if (limit > 0n) limits.push(limit);
      return linear(amount, fee, limit);
    },
  });
  for (const limit of limits) expect((Number(limit) / Number(sqrtPrice)) ** 2).toBeCloseTo(1 / 0.99, 5);
  expect(limits).toHaveLength(2);
});

test('without a concentrated pool, two requests suffice', async () => {
  const none = Object.fromEntries([[`${poolFactory} getPool`, words(0n)]]);
  const { calls, found } = await marketOn({ replaced: none });
  expect(calls).toHaveLength(2);
  expect(found?.best?.legs[0]?.pool.id).toBe(pair);
  expect(found?.mid).toBeCloseTo(2.99e-9, 14);
});

test('without any pool there is no route, after one request', async () => {
  const none = { [`${poolFactory} getPool`]: words(0n), [`${pairFactory} getPair`]: words(0n) };
  const { calls, found } = await marketOn({ replaced: none });
  expect([calls.length, found?.best, found?.depth, found?.failed]).toEqual([1, undefined, 0n, []]);
});

test.each<[string, Returned, string]>([
  ['returns nothing', '0x', 'no-factory'],
  ['reverts', 'reverted', 'unread'],
  ['ran out of gas', 'unread', 'unread'],
])('a factory that %s leaves its pool with a status of its own', async (_, returned, status) => {
  const { statusOf, found } = await marketOn({ replaced: { [`${pairFactory} getPair`]: returned } });
  expect(statusOf('uniswap-v2')).toBe(status);
  expect(found?.best?.legs[0]?.pool.id).toBe(pools[500]);
});

test.each<[string, Returned]>([
  ['has another factory', words(0xdeadn)],
  ['does not return its factory', 'unread'],
])('a quoter that %s is not asked', async (_, returned) => {
  const { statusOf, found, calls } = await marketOn({ replaced: { [`${quoter} factory`]: returned } });
  expect(statusOf('uniswap-v3', 500)).toBe('unread');
  expect(found?.best?.legs[0]?.pool.id).toBe(pair);
  expect(calls).toHaveLength(2);
});

test('a pair whose reserves were not read is unread, not empty', async () => {
  const { statusOf, found } = await marketOn({ replaced: { [`${pair} getReserves`]: 'unread' } });
  expect(statusOf('uniswap-v2')).toBe('unread');
  expect(found?.failed).toEqual([]);
});

test('a pair that returns one reserve only is unread', async () => {
  const { statusOf } = await marketOn({ replaced: { [`${pair} getReserves`]: words(5n) } });
  expect(statusOf('uniswap-v2')).toBe('unread');
});

test('a pool in which the quoter reverts has failed; one without liquidity near the price has no mid', async () => {
  const { statusOf, found } = await marketOn({
    replaced: { [`${pairFactory} getPair`]: words(0n) },
    quote: (amount, fee, limit) => (fee === 500 || limit > 0n ? 'reverted' : linear(amount, fee, limit)),
  });
  expect(statusOf('uniswap-v3', 500)).toBe('rejected');
  expect(found?.failed).toMatchObject([{ ref: { id: pools[500] }, status: 'reverted' }]);
  expect(found?.best?.legs[0]?.pool.id).toBe(pools[3000]);
  expect(found?.mid).toBeUndefined();
});

test('the mid is that of the pool that pays more within one percent', async () => {
  const { found } = await marketOn({
    replaced: { [`${pools[500]} slot0`]: words((sqrtPrice * 1_001n) / 1_000n) },
  });
  expect(found?.mid).toBeCloseTo(3e-9, 13);
});

test.each<[string, Returned, object]>([
  ['255', words(255n), { decimals: 255, hasCode: true }],
  ['256', words(256n), { decimals: undefined, hasCode: false }],
  ['nothing', '0x', { decimals: undefined, hasCode: false }],
  ['an error', 'reverted', { decimals: undefined, hasCode: true }],
])('a token that returns %s for its decimals', async (_, returned, expected) => {
  const { states, found } = await marketOn({ replaced: { [`${weth} decimals`]: returned } });
  expect(states.tokens[0]).toMatchObject(expected);
  // With 255 decimals, one token exceeds the largest amount.
  expect(found).toBeUndefined();
});

test('without an amount to quote, no pool is read and none is reported as missing', async () => {
  const { found, calls, statusOf } = await marketOn({ replaced: { [`${usdc} decimals`]: '0x' } });
  expect([found, calls.length, statusOf('uniswap-v2')]).toEqual([undefined, 1, 'unread']);
});

test('only the quoter, the tokens, the feeds and factories whose pools can be quoted are asked in the first request', async () => {
  const { seen } = await marketOn();
  const covered = candidatePools.filter(({ family, venue }) => family === 'uniswap-v2' || venue === 'uniswap-v3');
  const zero = `0x${'0'.repeat(40)}`;
  expect(seen[0]?.map(({ to }) => to)).toEqual([
    ...[quoter, weth, usdc, zero, zero, base.sequencerFeed],
    ...covered.map(({ factory }) => factory),
  ]);
});

test('pools whose price range was not read have no mid, and leave that of the others', async () => {
  const unreadAt = (fees: readonly number[]) => (amount: bigint, fee: number, limit: bigint) =>
    limit > 0n && fees.includes(fee) ? 'unread' : linear(amount, fee, limit);
  const replaced = { [`${pairFactory} getPair`]: words(0n), [`${pools[500]} slot0`]: words(sqrtPrice * 2n) };
  const midWith = async (...fees: number[]) => (await marketOn({ replaced, quote: unreadAt(fees) })).found?.mid;
  expect(await midWith(3000)).toBeCloseTo(1.2e-8, 13);
  expect(await midWith(500)).toBeCloseTo(3e-9, 13);
  expect(await midWith(500, 3000)).toBeUndefined();
});

test('if the gas of a request does not suffice for larger sizes, the depth is a lower bound', async () => {
  const quote = (amount: bigint, fee: number, limit: bigint) =>
    limit === 0n && amount > 10n ** 18n ? 'unread' : linear(amount, fee, limit);
  const { found } = await marketOn({ replaced: { [`${pairFactory} getPair`]: words(0n) }, quote });
  expect(found).toMatchObject({ depth: 10n ** 18n, isDepthLowerBound: true });
  expect((await marketOn()).found?.isDepthLowerBound).toBe(false);
});

test('a size in USD is converted by the feed of tokenIn', async () => {
  const feed = base.feeds[weth]?.address;
  const replaced = {
    [`${feed} latestRoundData`]: words(1n, 4_000n * 10n ** 8n, 10_000n, 10_000n, 1n),
    [`${feed} decimals`]: words(8n),
    [`${base.sequencerFeed} latestRoundData`]: words(1n, 0n, 1n, 1n, 1n),
  };
  const { states, size, found } = await marketOn({ replaced, time: 10_000n, query: { size: { usd: '2000' } } });
  const answer = { read: true, answer: 4_000n * 10n ** 8n, updatedAt: 10_000n, decimals: 8 };
  expect(states).toMatchObject({
    feeds: [{ address: feed, ...answer }],
    sequencer: 'up',
    block: { timestamp: 10_000n },
  });
  expect(size.amountIn).toBe(5n * 10n ** 17n);
  expect(found?.best?.amountOut).toBe(1_499_250_000n);
});
