import { getAddress } from 'viem';
import { expect, test } from 'vitest';
import type { CandidatePool } from '../../venues/candidatePool.ts';
import { deployments } from '../../venues/deployments/deployments.ts';
import { toCandidatePools } from '../../venues/families.ts';
import type { PoolRef } from '../../venues/poolTypes.ts';
import type { LogGap } from '../market/findTokenPools.ts';
import type { Market } from '../market/market.ts';
import type { UncoveredHolders } from '../market/uncoveredVenues.ts';
import type { Fill } from '../plan/executionTypes.ts';
import type { QuoteAnswer } from '../quoteTypes.ts';
import {
  beyondSupplyFlag,
  gasFlags,
  noRouteFlag,
  notATokenFlag,
  oldBlockFlag,
  poolFlags,
  priceFlags,
  saleUnpaidFlag,
  sizeOverflowFlag,
  sizeTruncatedFlag,
  unsizedFlag,
  venueUnreadFlag,
} from './flags.ts';

const { base } = deployments;
const plainAnswer = { amountIn: 3n, spotPrice: 1, priceImpactBps: 5, depthAtSize: 1 } as QuoteAnswer;
const flagsAt = (depth: bigint, isDepthLowerBound = false) => priceFlags(plainAnswer, { depth, isDepthLowerBound }, 1n);
const deep = { depth: 6n, isDepthLowerBound: false };

test('default: THIN_DEPTH if the depth is below twice the size', () => {
  expect(flagsAt(5n)).toMatchObject([
    { code: 'THIN_DEPTH', message: expect.stringContaining('more than 1 %'), facts: { depthAtSize: 1 } },
  ]);
});

test('behavior: no THIN_DEPTH if the depth is exactly twice the size', () => {
  expect(flagsAt(6n)).toEqual([]);
});

test('behavior: THIN_DEPTH states a lower bound if the search ended early', () => {
  expect(flagsAt(5n, true)).toMatchObject([{ code: 'THIN_DEPTH', message: expect.stringContaining('lower bound') }]);
});

test.each([
  [300, undefined],
  [301, 'warn'],
  [1_000, 'warn'],
  [1_001, 'critical'],
] as const)('rates an impact of %s bps as %s', (priceImpactBps, severity) => {
  const flag = priceFlags({ ...plainAnswer, priceImpactBps }, deep, 1n).find(({ code }) => code === 'HIGH_IMPACT');
  expect(flag?.severity).toBe(severity);
});

test('an answer without a mid, or without a second route, has a flag for it', () => {
  const codes = (answer: QuoteAnswer, runnerUp?: bigint) =>
    priceFlags(answer, deep, runnerUp).map(({ code, severity }) => `${code} ${severity}`);
  expect(codes({ ...plainAnswer, spotPrice: null, priceImpactBps: null }, 1n)).toEqual(['NO_MID warn']);
  expect(codes(plainAnswer)).toEqual(['SINGLE_POOL info']);
  expect(codes(plainAnswer, 0n)).toEqual([]);
});

test('HIGH_IMPACT states the impact in percent', () => {
  const [flag] = priceFlags({ ...plainAnswer, priceImpactBps: 1_234 }, deep, 1n);
  expect(flag).toMatchObject({ message: expect.stringContaining('12.34 % worse'), facts: { priceImpactBps: 1_234 } });
});

test.each([
  ['not-a-token', 'not a token'],
  ['no-usd-price', 'Send sizeIn'],
  ['too-large', 'smaller size'],
  ['less-than-a-unit', 'larger size'],
] as const)('NO_ROUTE for %s states what to change', (cause, expected) => {
  expect(unsizedFlag(cause)).toEqual({
    code: 'NO_ROUTE',
    severity: 'warn',
    message: expect.stringContaining(expected),
  });
});

test('NO_ROUTE for a size above the supply states size and supply in tokens', () => {
  const marketOf = (decimals: number | undefined) =>
    ({ size: { amountIn: 2_500n }, states: { tokens: [{ supply: 1_000n, decimals }] } }) as unknown as Market;
  expect(beyondSupplyFlag(marketOf(2))).toEqual({
    code: 'NO_ROUTE',
    severity: 'warn',
    message: 'The size of 25 is above the total supply of tokenIn, 10. Request a smaller size.',
    facts: { amountIn: '2500', totalSupply: '1000' },
  });
  expect(beyondSupplyFlag(marketOf(undefined)).message).toContain('size of 2500 ');
});

const none = { notCovered: [], notCoveredUnread: [] };

test.each([
  [[], none, undefined, 'No covered venue fills this size. Request a smaller size or another pair.'],
  [
    ['a', 'b'],
    none,
    undefined,
    'No venue that answered fills this size; a, b did not answer, so a route may still exist.',
  ],
  [[], { ...none, notCovered: ['curve'] }, undefined, 'cannot quote curve, which holds the token'],
  [[], { ...none, notCovered: ['curve', 'ekubo'] }, undefined, 'cannot quote curve, ekubo, which hold the token'],
  [
    [],
    { ...none, notCoveredUnread: ['maverick', 'curve'] },
    undefined,
    'Could not read whether maverick, curve may trade',
  ],
  [[], none, 'unread', "factories' logs show may be missing: the logs could not be read."],
  [[], none, 'pending', 'missing: the logs have not been read yet.'],
  [[], none, 'truncated', 'missing: the token has more pools than are searched.'],
] as [string[], UncoveredHolders, LogGap | undefined, string][])(
  'NO_ROUTE with unread %j, uncovered %j and log gap %j',
  (unread, uncovered, gap, expected) => {
    const flag = noRouteFlag({ considered: ['x', 'y'], unread } as never, { uncovered, logGap: gap });
    expect(flag).toEqual({
      code: 'NO_ROUTE',
      severity: 'warn',
      message: expect.stringContaining(expected),
      facts: { venuesConsidered: 2, venues: ['x', 'y'], ...uncovered, poolsMayBeMissing: gap !== undefined },
    });
    expect(flag.message.includes('cannot quote')).toBe(uncovered.notCovered.length > 0);
    expect(flag.message.includes('Could not read')).toBe(uncovered.notCoveredUnread.length > 0);
    expect(flag.message).not.toContain('false');
  },
);

test('NO_ROUTE for an output that rounds to zero asks for a larger size', () => {
  const flag = noRouteFlag({ considered: [], unread: [] } as never, { uncovered: none, roundsToZero: true });
  expect(flag.message).toBe(
    'No covered venue fills this size. Its output rounds to zero base units of tokenOut. Request a larger size.',
  );
});

test('NO_ROUTE without a request to uncovered venues has no facts about them', () => {
  const flag = noRouteFlag({ considered: [], unread: [] } as never, {});
  expect(flag.facts).toEqual({ venuesConsidered: 0, venues: [], poolsMayBeMissing: false });
});

test.each([
  ['tokenIn', true, 'tokenIn is not a token: it has code but does not answer decimals() at this block. decimals.in'],
  ['tokenOut', false, 'tokenOut is not a token: it has no code at this block. decimals.out'],
] as const)('NOT_A_TOKEN for %s, with code: %s', (which, hasCode, expected) => {
  const flag = notATokenFlag(which, hasCode);
  expect(flag).toMatchObject({ code: 'NOT_A_TOKEN', severity: 'critical', facts: { which } });
  expect(flag.message).toContain(expected);
});

test('flags of a block, a venue and a size contain the value', () => {
  expect(oldBlockFlag(700)).toMatchObject({
    code: 'OLD_BLOCK',
    severity: 'critical',
    message: expect.stringContaining('700 s old'),
    facts: { ageSeconds: 700 },
  });
  expect(venueUnreadFlag(['a', 'b'])).toMatchObject({
    code: 'VENUE_UNREAD',
    severity: 'warn',
    message: expect.stringContaining('of a, b could'),
    facts: { venues: ['a', 'b'] },
  });
  expect(sizeTruncatedFlag(6)).toMatchObject({
    code: 'SIZE_TRUNCATED',
    severity: 'info',
    message: expect.stringContaining('the 6 decimals'),
    facts: { decimals: 6 },
  });
  expect(sizeOverflowFlag).toMatchObject({ code: 'SIZE_TOO_LARGE', severity: 'warn' });
});

const noValues = { gasUsd: null, valueInUsd: null, valueOutUsd: null };

test('ROUTE_GAS reports the gas of the route, none if it is unknown', () => {
  expect(gasFlags({ gas: 0n }, noValues)).toEqual([]);
  expect(gasFlags({ gas: 9n }, noValues)).toMatchObject([
    { code: 'ROUTE_GAS', severity: 'info', facts: { gas: 9, ...noValues } },
  ]);
});

test('ROUTE_GAS states when its gas is a lower bound', () => {
  expect(gasFlags({ gas: 9n, isWarm: true }, noValues)[0]?.message).toMatch(
    /^The swaps of this route use at least 9 gas,/,
  );
});

test('TRANSFER_TAX has a null taxBps if the sale could not be paid', () => {
  const token = '0x0000000000000000000000000000000000000001';
  expect(saleUnpaidFlag(token)).toMatchObject({ severity: 'warn', facts: { token, side: 'sell', taxBps: null } });
});

const candidatePools = toCandidatePools(base.venues);
const tokenIn = '0x00000000000000000000000000000000000000aa';
const tokenOut = '0x00000000000000000000000000000000000000bb';
const untaxed = { amountIn: 10_000n, arrived: 10_000n, nominal: 10_000n, amountOut: 10_000n };

/** A leg over a pool of the family, with changed amounts or fields of its candidate pool. */
function legOf(family: string, amounts: object = {}, fields: object = {}, id = '0x01'): Fill['legs'][number] {
  const found = candidatePools.find((each) => each.family === family) as CandidatePool;
  const pool = { candidatePool: { ...found, ...fields }, id, token0: tokenIn, token1: tokenOut } as PoolRef;
  return { pool, tokenIn, tokenOut, shareBps: 10_000, ...untaxed, ...amounts };
}
const flagsOf = (...legs: Fill['legs'][number][]) => poolFlags({ legs }, base.wrappedNative);

test('a pool without a tax, of a venue without pool keys, has no flag', () => {
  expect(flagsOf(legOf('uniswap-v2'))).toEqual([]);
});

test.each([
  [{ arrived: 9_750n }, { token: getAddress(tokenIn), side: 'sell', taxBps: 250 }],
  [{ amountOut: 9_000n }, { token: getAddress(tokenOut), side: 'buy', taxBps: 1_000 }],
  // Rounded to the nearest basis point, halves up.
  [
    { amountIn: 20_000n, arrived: 19_999n },
    { token: getAddress(tokenIn), side: 'sell', taxBps: 1 },
  ],
  [
    { amountIn: 30_000n, arrived: 29_998n },
    { token: getAddress(tokenIn), side: 'sell', taxBps: 1 },
  ],
])('TRANSFER_TAX reports the part that the token deducted (%#)', (taxed, facts) => {
  const flag = { code: 'TRANSFER_TAX', severity: 'warn', message: expect.stringContaining(facts.token), facts };
  expect(flagsOf(legOf('uniswap-v2', taxed))).toEqual([flag]);
  // Two legs of a split order report it once.
  expect(flagsOf(legOf('uniswap-v2', taxed), legOf('uniswap-v2', taxed, {}, '0x02'))).toEqual([flag]);
});

test('a loss of one base unit to rounding is no TRANSFER_TAX', () => {
  expect(flagsOf(legOf('uniswap-v2', { amountIn: 20_001n, arrived: 20_000n }))).toEqual([]);
});

test('a v4 leg has its pool key, and a flag for a hook', () => {
  const [key, ...others] = flagsOf(legOf('uniswap-v4'));
  expect(key).toMatchObject({ code: 'V4_POOL_KEY', severity: 'info', facts: { poolId: '0x01' } });
  expect(others).toEqual([]);
  const hooks = '0x00000000000000000000000000000000000000c4';
  expect(flagsOf(legOf('uniswap-v4', {}, { hooks }))[1]).toMatchObject({
    code: 'HOOKED_POOL',
    severity: 'warn',
    facts: { poolId: '0x01', hooks: getAddress(hooks) },
  });
});

test('a pool of a custom deployer has a flag', () => {
  const pool = '0x00000000000000000000000000000000000000c4';
  expect(flagsOf(legOf('algebra', {}, { isCustom: true }, pool))).toMatchObject([
    { code: 'CUSTOM_POOL', severity: 'warn', facts: { pool: '0x00000000000000000000000000000000000000C4' } },
  ]);
});
