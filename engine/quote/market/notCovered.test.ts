import { expect, test } from 'vitest';
import { poolOf, testTokens } from '../../../tests/support/engine/testMarket.ts';
import { testNode } from '../../../tests/support/engine/testNode.ts';
import type { Node } from '../../chain/node.ts';
import { toLowerAddress } from '../../lowerAddress.ts';
import type { StateReading } from '../../pools/decodeStates.ts';
import { kinds } from '../../venues/kinds.ts';
import { depthWithinOnePercent } from '../../venues/models.ts';
import type { Pool, PoolRef } from '../../venues/poolTypes.ts';
import type { FilledPlan } from '../search/planTypes.ts';
import {
  findNotCovered,
  fromVenueReplies,
  notCoveredFlags,
  type OtherHoldings,
  readOtherPools,
  toVenueCalls,
  unreadHoldings,
} from './notCovered.ts';

const { LT, USDC, AERO } = testTokens;
const routingAssets = [USDC, AERO].map(({ address, decimals }) => ({ symbol: 'ANY', address, decimals }));
const venue = toLowerAddress(`0x${'f1'.repeat(20)}`);
const unit = 10n ** 18n;

/** 30,000 LT and 60,000 USDC: one LT costs 2 USDC. */
const used = poolOf(
  { kind: 'pair', rule: 'uniswap-v2', reserve0: 30_000n * unit, reserve1: 60_000_000_000n, feePips: [3_000, 3_000] },
  LT,
  USDC,
);
/** A pool of the pair that the plan does not use. */
const idle: Pool = { ...used, ref: { ...used.ref, id: '0x99' } };
const states = {
  pools: [used, idle],
  tokens: [LT, USDC].map(({ address, decimals }) => ({ address, decimals })),
} as unknown as StateReading;

/** Sells or buys a small amount of LT at 2 USDC. */
function planOf(isSale: boolean): FilledPlan {
  const [tokenIn, tokenOut] = isSale ? [LT.address, USDC.address] : [USDC.address, LT.address];
  const [amountIn, amountOut] = isSale ? [unit, 2_000_000n] : [2_000_000n, unit];
  const legs = [{ pool: used.ref, tokenIn, tokenOut, shareBps: 10_000, amountIn, amountOut }];
  return { plan: { tokenIn, tokenOut, amountIn, legs }, legs, amountOut, gas: 0n };
}
const [sale, purchase] = [planOf(true), planOf(false)];

type Holding = OtherHoldings['holdings'][number];
const atVenue = (amount: bigint, more: Partial<Holding> = {}): Holding => ({
  venue: 'other',
  token: LT.address,
  holder: venue,
  amount,
  blockNumber: 7n,
  ...more,
});
const find = (holdings: readonly Holding[], filled = sale, unread: readonly string[] = []) =>
  findNotCovered({ holdings, unread }, filled, states, { routingAssets });

test('a venue counts from 1 % of what the pools of the plan hold', () => {
  expect(find([atVenue(300n * unit)])).toMatchObject({ count: 1, share: 0.01 });
  expect(find([atVenue(300n * unit - 10n ** 6n)])).toMatchObject({ count: 0, share: 0 });
});

test('the share is the sum of all holdings that count, and the five largest are listed', () => {
  const found = find([1, 2, 3, 4, 5, 6, 0.1].map((percent) => atVenue(BigInt(percent * 300) * unit)));
  expect(found.count).toBe(6);
  expect(found.share).toBeCloseTo(0.21, 12);
  expect(found.largest.map(({ holding }) => holding.amount / unit)).toEqual([1800n, 1500n, 1200n, 900n, 600n]);
});

test('a token without decimals, and a token that the pools of the plan do not hold, do not count', () => {
  expect(find([atVenue(unit ** 2n, { token: AERO.address })]).count).toBe(0);
  const priced = { ...states, tokens: [...states.tokens, { address: AERO.address, decimals: 18 }] } as StateReading;
  const holdings = [atVenue(unit ** 2n, { token: AERO.address })];
  expect(findNotCovered({ holdings, unread: [] }, sale, priced, { routingAssets }).count).toBe(0);
});

const hookedRef = (id: `0x${string}`, more: Partial<PoolRef> = {}): PoolRef => ({ ...used.ref, id, ...more });
/** What the pool of the plan pays of each token until its price falls by 1 %. */
const [deepLt, deepUsdc] = [depthWithinOnePercent(used.state, false), depthWithinOnePercent(used.state, true)];

/** A hooked pool with these parts of what the pool of the plan pays, at `price` times 2 USDC for one LT. */
const hooked = (ownPart: number, counterPart: number, price = 1, pool = hookedRef('0x01')): Holding =>
  atVenue((deepLt * BigInt(ownPart * 1e6)) / 1_000_000n, {
    venue: 'uniswap-v4',
    pool,
    counter: {
      token: USDC.address,
      amount: (deepUsdc * BigInt(counterPart * 1e6)) / 1_000_000n,
      price: (price * 2_000_000) / 1e18,
    },
  });

test.each([
  { name: 'at the price of the market', holding: hooked(0.02, 0.005), share: 0.02 },
  { name: 'that holds more of the other token', holding: hooked(0.005, 0.03), share: 0.03 },
  { name: 'with cheap tokens, for a sale', holding: hooked(0.5, 0, 0.1), share: 0.05 },
  { name: 'with cheap tokens, for a purchase', holding: hooked(0.5, 0, 0.1), share: 0.5, filled: purchase },
  { name: 'that pays more than the market, for a sale', holding: hooked(0, 0.5, 10), share: 0.5 },
  {
    name: 'that pays more than the market, for a purchase',
    holding: hooked(0, 0.5, 10),
    share: 0.05,
    filled: purchase,
  },
])('a hooked pool $name counts $share of what the plan pays within 1 %', ({ holding, share, filled }) => {
  expect(find([holding], filled ?? sale).share).toBeCloseTo(share, 5);
});

test('a hooked pool counts from 1 % of what the plan pays within 1 %', () => {
  expect(find([hooked(0.0101, 0)]).count).toBe(1);
  expect(find([hooked(0.0099, 0)]).count).toBe(0);
});

test('a hooked pool counts once, and only if routes may use both of its tokens', () => {
  expect(find([hooked(0.02, 0), hooked(0.02, 0)]).count).toBe(1);
  const unlisted = hookedRef('0x02', { token1: toLowerAddress(`0x${'e1'.repeat(20)}`) });
  expect(find([hooked(0.02, 0, 1, unlisted)]).count).toBe(0);
});

test('no flag without holdings, otherwise the facts of the largest ones and what is unread', () => {
  expect(notCoveredFlags(find([]))).toEqual([]);
  const [flag, ...more] = notCoveredFlags(find([atVenue(600n * unit), hooked(0.03, 0)], sale, ['curve']));
  expect(more).toEqual([]);
  expect(flag).toMatchObject({ code: 'NOT_COVERED', severity: 'warn' });
  expect(flag?.facts).toMatchObject({
    count: 2,
    unread: ['curve'],
    pools: [
      { venue: 'uniswap-v4', pool: '0x01', holds: `${(deepLt * 30_000n) / 1_000_000n}`, blockNumber: '7' },
      { venue: 'other', holds: `${600n * unit}`, blockNumber: '7' },
    ],
  });
  expect(flag?.message).toContain('holds 600 of');
  expect(flag?.message).toContain('Could not read what curve holds');
});

const uncovered = [
  { name: 'vault', kind: 'singleton', address: venue },
  { name: 'other vault', kind: 'singleton', address: toLowerAddress(`0x${'f2'.repeat(20)}`) },
  { name: 'factory', kind: 'factory', address: toLowerAddress(`0x${'f3'.repeat(20)}`) },
] as never;

const word = (value: bigint | number) => value.toString(16).padStart(64, '0');
/** An answer of the balance lens: for each holding a status (2 = read) and an amount. */
const balances = (...read: readonly (readonly [number, bigint])[]) =>
  `0x${word(32)}${word(read.length)}${read.map(([status, amount]) => word(status) + word(amount)).join('')}`;

test('the balances of singletons are holdings, and an unread one is named', () => {
  expect(toVenueCalls({ uncovered }, LT.address)).toHaveLength(1);
  const read = (result: unknown) => fromVenueReplies({ uncovered }, LT.address, [{ result }], 7n);
  expect(read(balances([2, 5n], [0, 0n]))).toEqual({
    holdings: [{ venue: 'vault', token: LT.address, amount: 5n, holder: venue, blockNumber: 7n }],
    unread: ['other vault'],
  });
  expect(read(balances([2, 0n], [2, 1n])).holdings.map((holding) => holding.venue)).toEqual(['other vault']);
  expect(fromVenueReplies({ uncovered }, LT.address, [undefined], 7n)).toEqual({
    holdings: [],
    unread: ['vault', 'other vault'],
  });
  expect(unreadHoldings({ uncovered })).toEqual({
    holdings: [],
    unread: ['vault', 'other vault', 'factory', 'uniswap-v4 pools with an unlisted hook'],
  });
});

/** A pool of Uniswap v4's manager, with a tick spacing of 50. */
const singletonRef = (id: `0x${string}`): PoolRef =>
  hookedRef(id, { candidatePool: { ...used.ref.candidatePool, kind: kinds.v4, factory: venue, tickSpacing: 50 } });
const manager = (...words: readonly bigint[]) => `0x${word(32)}${word(words.length)}${words.map(word).join('')}`;

test('hooked pools count what they pay up to the next multiple of their spacing, pools of factories their balance', async () => {
  const [pool, empty] = [singletonRef('0x01'), singletonRef('0x02')];
  const owned = { venue: 'factory', pool: toLowerAddress(`0x${'d1'.repeat(20)}`) };
  // At tick 10: token0 is paid up to tick 50, token1 down to tick 0.
  const slot0 = BigInt(Math.floor(1.0001 ** 5 * 2 ** 96)) | (10n << 160n);
  const send: Node['send'] = async (calls) =>
    calls.map(({ params }) => ({
      result: (params[0] as { to: string }).to === venue ? manager(slot0, unit, slot0, 0n) : balances([2, 9n]),
    }));
  const node = testNode({ chain: 'base', send });
  const read = await readOtherPools([pool, empty], [owned], LT.address, 7n, node);
  expect(read.unread).toEqual([]);
  expect(read.holdings).toMatchObject([
    { venue: 'test', token: LT.address, holder: venue, pool, counter: { token: USDC.address } },
    { venue: 'factory', token: LT.address, holder: owned.pool, contract: owned.pool, amount: 9n, blockNumber: 7n },
  ]);
  const [first] = read.holdings;
  expect(Number(first?.amount) / 1e18).toBeCloseTo(1.0001 ** -5 - 1.0001 ** -25, 8);
  expect(Number(first?.counter?.amount) / 1e18).toBeCloseTo(1.0001 ** 5 - 1, 8);
  expect(first?.counter?.price).toBeCloseTo(1.0001 ** 10, 8);
  const one: Node['send'] = (calls) => Promise.resolve(calls.map(() => ({ result: manager(slot0, unit) })));
  const bought = await readOtherPools([pool], [], USDC.address, 7n, testNode({ chain: 'base', send: one }));
  expect(bought.holdings[0]?.counter?.price).toBeCloseTo(1.0001 ** -10, 8);
});

test('pools whose sizes cannot be read are named as unread', async () => {
  const failing = testNode({ chain: 'base', send: (calls) => Promise.resolve(calls.map(() => ({ result: '0x' }))) });
  const owned = { venue: 'factory', pool: venue };
  expect(await readOtherPools([singletonRef('0x01')], [owned], LT.address, 7n, failing)).toEqual({
    holdings: [],
    unread: ['uniswap-v4 pools with an unlisted hook', 'factory'],
  });
  expect(await readOtherPools([], [], LT.address, 7n, failing)).toEqual({ holdings: [], unread: [] });
});
