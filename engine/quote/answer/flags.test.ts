import { getAddress } from 'viem';
import { expect, test } from 'vitest';
import { deployments } from '../../venues/deployments/deployments.ts';
import { toCandidatePools } from '../../venues/toCandidatePools.ts';
import type { LogGap } from '../market/findTokenPools.ts';
import type { UncoveredHolders } from '../market/uncoveredVenues.ts';
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
import type { LensReading, PoolReading } from './lensReading.ts';
import { noValues } from './usdPrices.ts';

const { base } = deployments;
const plainAnswer = { spotPrice: 1, priceImpactBps: 5, depthAtSize: 1 } as QuoteAnswer;
const flagsAt = (depth: bigint, isDepthLowerBound = false) => {
  const reading = { amountIn: 3n, depth, isDepthLowerBound } as LensReading;
  return priceFlags(plainAnswer, reading, 1n);
};

test('default: THIN_DEPTH if the depth is below twice the size', () => {
  expect(flagsAt(5n)).toMatchObject([{ code: 'THIN_DEPTH', message: expect.stringContaining('more than 1 %') }]);
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
  const reading = { amountIn: 3n, depth: 6n } as LensReading;
  const flag = priceFlags({ ...plainAnswer, priceImpactBps }, reading, 1n).find(({ code }) => code === 'HIGH_IMPACT');
  expect(flag?.severity).toBe(severity);
});

test('an answer without a mid, or without a second route, has a flag for it', () => {
  const reading = { amountIn: 3n, depth: 6n } as LensReading;
  const codes = (answer: QuoteAnswer, runnerUp?: bigint) =>
    priceFlags(answer, reading, runnerUp).map(({ code, severity }) => `${code} ${severity}`);
  expect(codes({ ...plainAnswer, spotPrice: null, priceImpactBps: null }, 1n)).toEqual(['NO_MID warn']);
  expect(codes(plainAnswer)).toEqual(['SINGLE_POOL info']);
  expect(codes(plainAnswer, 0n)).toEqual([]);
});

test('HIGH_IMPACT states the impact in percent', () => {
  const [flag] = priceFlags({ ...plainAnswer, priceImpactBps: 1_234 }, { amountIn: 1n, depth: 2n } as LensReading, 1n);
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
  const reading = { amountIn: 2_500n, supply: 1_000n, tokenIn: { decimals: 2 } } as LensReading;
  expect(beyondSupplyFlag(reading)).toEqual({
    code: 'NO_ROUTE',
    severity: 'warn',
    message: 'The size of 25 is above the total supply of tokenIn, 10. Request a smaller size.',
    facts: { amountIn: '2500', totalSupply: '1000' },
  });
  const without = { ...reading, tokenIn: {} } as LensReading;
  expect(beyondSupplyFlag(without).message).toContain('size of 2500 ');
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
    const flag = noRouteFlag({ considered: ['x', 'y'], unread } as never, uncovered, { logGap: gap });
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
  const flag = noRouteFlag({ considered: [], unread: [] } as never, none, {}, true);
  expect(flag.message).toBe(
    'No covered venue fills this size. Its output rounds to zero base units of tokenOut. Request a larger size.',
  );
});

test('NO_ROUTE without a request to uncovered venues has no facts about them', () => {
  const flag = noRouteFlag({ considered: [], unread: [] } as never, undefined, {});
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
  expect(sizeOverflowFlag()).toMatchObject({ code: 'SIZE_TOO_LARGE', severity: 'warn' });
});

test('ROUTE_GAS reports the gas of the best route, none without it', () => {
  const gas = (...routes: object[]) => gasFlags({ routes } as unknown as LensReading, noValues);
  expect(gas()).toEqual([]);
  expect(gas({ gas: 0 })).toEqual([]);
  expect(gas({ gas: 9 }, { gas: 1 })).toMatchObject([
    { code: 'ROUTE_GAS', severity: 'info', facts: { gas: 9, ...noValues } },
  ]);
});

test('ROUTE_GAS states when its gas is a lower bound', () => {
  const reading = { routes: [{ gas: 9, isLeastGas: true }] } as unknown as LensReading;
  expect(gasFlags(reading, noValues)[0]?.message).toMatch(/^The swaps of this route use at least 9 gas,/);
});

test('TRANSFER_TAX has a null taxBps if the sale could not be paid', () => {
  const token = '0x0000000000000000000000000000000000000001';
  expect(saleUnpaidFlag(token)).toMatchObject({ severity: 'warn', facts: { token, side: 'sell', taxBps: null } });
});

const candidatePools = toCandidatePools(base.venues);
const tokenIn = '0x00000000000000000000000000000000000000aa';
const tokenOut = '0x00000000000000000000000000000000000000bb';
const pairs = [{ tokenIn, tokenOut }];
const untaxed = { used: 10_000n, arrived: 10_000n, nominal: 10_000n, received: 10_000n, pair: 0, pool: '0x01' };
const candidatePoolOf = (family: string) =>
  candidatePools.findIndex((candidatePool) => candidatePool.family === family);
const flagsOf = (pools: object[], own = candidatePools) =>
  poolFlags(pools as PoolReading[], { pairs } as unknown as LensReading, own, base);

test('a pool without a tax, of a venue without pool keys, has no flag', () => {
  expect(flagsOf([{ ...untaxed, candidatePool: candidatePoolOf('uniswap-v2') }])).toEqual([]);
});

test.each([
  [{ arrived: 9_750n }, { token: getAddress(tokenIn), side: 'sell', taxBps: 250 }],
  [{ received: 9_000n }, { token: getAddress(tokenOut), side: 'buy', taxBps: 1_000 }],
  // Rounded to the nearest basis point, halves up.
  [
    { used: 20_000n, arrived: 19_999n },
    { token: getAddress(tokenIn), side: 'sell', taxBps: 1 },
  ],
  [
    { used: 30_000n, arrived: 29_998n },
    { token: getAddress(tokenIn), side: 'sell', taxBps: 1 },
  ],
])('TRANSFER_TAX reports the part that the token deducted (%#)', (taxed, facts) => {
  const pool = { ...untaxed, ...taxed, candidatePool: candidatePoolOf('uniswap-v2') };
  const flag = { code: 'TRANSFER_TAX', severity: 'warn', message: expect.stringContaining(facts.token), facts };
  expect(flagsOf([pool])).toEqual([flag]);
  // Two legs of a split order report it once.
  expect(flagsOf([pool, { ...pool, pool: '0x02' }])).toEqual([flag]);
});

test('a loss of one base unit to rounding is no TRANSFER_TAX', () => {
  const pool = { ...untaxed, used: 20_001n, arrived: 20_000n, candidatePool: candidatePoolOf('uniswap-v2') };
  expect(flagsOf([pool])).toEqual([]);
});

test('a v4 leg has its pool key, and a flag for a hook', () => {
  const candidatePool = candidatePoolOf('uniswap-v4');
  const [key, ...others] = flagsOf([{ ...untaxed, candidatePool }]);
  expect(key).toMatchObject({ code: 'V4_POOL_KEY', severity: 'info', facts: { poolId: '0x01' } });
  expect(others).toEqual([]);
  const hooks = '0x00000000000000000000000000000000000000c4';
  const hooked = candidatePools.map((each) => ({ ...each, hooks }) as (typeof candidatePools)[number]);
  expect(flagsOf([{ ...untaxed, candidatePool }], hooked)[1]).toMatchObject({
    code: 'HOOKED_POOL',
    severity: 'warn',
    facts: { poolId: '0x01', hooks: getAddress(hooks) },
  });
});

test('a pool of a custom deployer has a flag', () => {
  const custom = candidatePools.map((each) => ({ ...each, isCustom: true }));
  const pool = '0x00000000000000000000000000000000000000c4';
  expect(flagsOf([{ ...untaxed, pool, candidatePool: candidatePoolOf('algebra') }], custom)).toMatchObject([
    { code: 'CUSTOM_POOL', severity: 'warn', facts: { pool: '0x00000000000000000000000000000000000000C4' } },
  ]);
});

test('a pool with an unknown candidate pool index or pair has no flag', () => {
  expect(flagsOf([{ ...untaxed, arrived: 1n, candidatePool: 9_999 }])).toEqual([]);
  expect(flagsOf([{ ...untaxed, arrived: 1n, candidatePool: 0, pair: 7 }])).toEqual([]);
});
