import { expect, test } from 'vitest';
import { codesIn, fillOf, quoteIn, ruleIn, type Scene, sold } from '../../../tests/support/engine/testScene.ts';
import { deployments } from '../../venues/deployments/deployments.ts';
import { noRoute } from './route.ts';

const unfilled: Scene = { found: { best: undefined, single: undefined, runnerUp: undefined } };
const noRouteIn = (scene: Scene) => quoteIn(scene).flags.find(({ code }) => code === 'NO_ROUTE');
const inUsd = { query: { size: { usd: '5' } } } as const;
const nothing = { amountIn: 0n, requested: 0n };

test.each<[string, Scene]>([
  ['no plan fills', unfilled],
  ['transfers are paused', { found: 'none' }],
])('an answer without a route has no price, not a price of 0, if %s', (_, scene) => {
  const answer = quoteIn(scene);
  expect(answer).toMatchObject({
    ...{ amountIn: sold, amountOut: 0n, executablePrice: 0, depthAtSize: 0, route: noRoute },
    ...{ spotPrice: null, priceImpactBps: null, worstCaseSlippageBps: null, decimals: { in: 18, out: 6 } },
  });
  expect(answer.flags.map(({ code }) => code)).toEqual(['NO_ROUTE', 'CONFIDENCE']);
  expect(ruleIn(scene)).toEqual(['medium', 'no route, and every venue answered']);
});

test.each<[string, Scene, string]>([
  ['the block is old', { oldBlockMs: 5, ageMs: 6 }, 'the latest available block is over ten minutes old'],
  ['a venue is unread', { venue: 'aerodrome', status: 'unread' }, 'a venue could not be read'],
  ['pools may be missing', { logGap: 'truncated' }, "no route, and the factories' logs could not be read"],
])('no route has low confidence if %s', (_, scene, rule) => {
  expect(ruleIn({ ...unfilled, ...scene })).toEqual(['low', rule]);
});

test('NO_ROUTE names the venues that did not answer and those that are not quoted', () => {
  const uncovered = { notCovered: ['curve'], notCoveredUnread: [] };
  const flag = noRouteIn({ ...unfilled, venue: 'aerodrome', status: 'unread', uncovered, logGap: 'pending' });
  expect(flag?.message).toMatch(/aerodrome did not answer.*cannot quote curve.*have not been read yet/);
  const venuesConsidered = quoteIn(unfilled).venuesConsidered;
  expect(flag?.facts).toMatchObject({ notCovered: ['curve'], poolsMayBeMissing: true, venuesConsidered });
});

test('NO_ROUTE asks for a larger size only if the output rounds to zero', () => {
  expect(noRouteIn({ ...unfilled, roundsToZero: true })?.message).toContain('Request a larger size');
  expect(noRouteIn(unfilled)?.message).toContain('Request a smaller size');
});

test('a size above the supply is reported instead of the venues, one equal to it is not', () => {
  const withSupply = (supply: bigint): Scene => ({ ...unfilled, tokens: [{ supply }, {}] });
  expect(noRouteIn(withSupply(sold - 1n))?.message).toContain('above the total supply');
  expect(noRouteIn(withSupply(sold))?.message).toContain('No covered venue');
});

test.each([
  ['tokenIn', [{ decimals: undefined, hasCode: false }, {}], 'has no code', { in: 0, out: 6 }],
  ['tokenOut', [{}, { decimals: undefined }], 'has code but does not answer decimals()', { in: 18, out: 0 }],
] as const)(
  'an address that is no token as %s is reported once, without flags on its size',
  (which, tokens, why, decimals) => {
    const scene: Scene = { ...inUsd, found: 'none', size: { ...nothing, cut: true }, tokens };
    const { flags, ...answer } = quoteIn(scene);
    expect(flags.map(({ code }) => code)).toEqual(['NOT_A_TOKEN', 'NO_ROUTE', 'CONFIDENCE']);
    expect(flags[0]).toMatchObject({ facts: { which }, message: expect.stringContaining(why) });
    expect(flags[1]?.message).toContain('see NOT_A_TOKEN');
    expect(answer).toMatchObject({ decimals, amountIn: 0n });
  },
);

test('two addresses that are no tokens are both reported', () => {
  const tokens = [{ decimals: undefined }, { decimals: undefined }] as const;
  expect(codesIn({ found: 'none', size: nothing, tokens }).slice(0, 3)).toEqual([
    'NOT_A_TOKEN',
    'NOT_A_TOKEN',
    'NO_ROUTE',
  ]);
});

test('a size beyond 256 bits is reported in full', () => {
  const scene: Scene = { found: 'none', size: { ...nothing, requested: 2n ** 300n, overflow: true } };
  expect(quoteIn(scene).amountIn).toBe(2n ** 300n);
  expect(codesIn(scene)).toEqual(['SIZE_TOO_LARGE', 'NO_ROUTE', 'CONFIDENCE']);
  expect(noRouteIn(scene)?.message).toContain('above the largest amount of a pool');
});

test.each<[string, Scene, string]>([
  ['has no USD price', inUsd, 'Without a USD price of tokenIn'],
  [
    'in USD is too small',
    { ...inUsd, size: { ...nothing, usdSource: { source: 'stable', symbol: 'USDC' } } },
    'less than one base unit',
  ],
  ['in tokens is too small', {}, 'less than one base unit'],
])('NO_ROUTE states that a size %s', (_, scene, expected) => {
  expect(noRouteIn({ found: 'none', size: nothing, ...scene })?.message).toContain(expected);
});

test('without a USD price, an unread venue is the reason to request again', () => {
  const priceFlag = (scene: Scene) =>
    quoteIn({ ...inUsd, found: 'none', size: { ...nothing, surveyed: true }, ...scene }).flags.find(
      ({ code }) => code === 'USD_PRICE_SOURCE',
    );
  expect(priceFlag({ venue: 'aerodrome', status: 'unread' })?.message).toContain('not all pools that might price it');
  expect(priceFlag({})?.message).toContain('no reliable USD price');
});

test('a feed of tokenIn that was refused is reported with its own reading', () => {
  const { wrappedNative, feeds } = deployments.base;
  const address = feeds[wrappedNative]?.address;
  const states = { feeds: [{ address, read: true, answer: 5n, updatedAt: 9n, decimals: 8 }] };
  const size = { feedRefused: true, usdSource: { source: 'pool', against: 'USDC', usdPerToken: 2 } } as const;
  const { flags } = quoteIn({
    query: { tokenIn: wrappedNative, size: { usd: '5' } },
    states,
    size,
    found: { best: fillOf(1n) },
  });
  expect(flags[0]).toMatchObject({ code: 'STALE_ORACLE', facts: { updatedAt: 9 } });
});
