import { getAddress, type Hex, zeroAddress } from 'viem';
import { expect, test } from 'vitest';
import type { CandidatePool } from '../../venues/candidatePool.ts';
import { deployments } from '../../venues/deployments/deployments.ts';
import { toCandidatePools } from '../../venues/families.ts';
import { kinds } from '../../venues/kinds.ts';
import type { Pool, PoolState } from '../../venues/poolTypes.ts';
import type { Leg } from '../quoteTypes.ts';
import type { FilledLeg, FilledPlan } from '../search/planTypes.ts';
import { noRoute, splitRouteFlag, toRoute } from './route.ts';

const { base } = deployments;
const candidatePools = toCandidatePools(base.venues);
const [sold, middle, bought] = [
  '0x00000000000000000000000000000000000000dd',
  base.wrappedNative,
  '0x00000000000000000000000000000000000000bb',
] as const;
const ids = ['0x00000000000000000000000000000000000000c4', `0x${'0c'.repeat(32)}`] as const;
const kindOf = (family: string, kind?: number) =>
  candidatePools.find((each) => each.family === family && each.kind === (kind ?? each.kind)) as CandidatePool;

/** The first pool is an Aerodrome pair, the second one a v4 pool of the native coin. */
const [pair, native] = [kindOf('solidly'), kindOf('uniswap-v4', kinds.v4Native)];
function legOf(candidatePool: CandidatePool, id: Hex, tokens: readonly [FilledLeg['tokenIn'], FilledLeg['tokenIn']]) {
  const [token0, token1] = tokens[0] < tokens[1] ? tokens : [tokens[1], tokens[0]];
  const pool = { candidatePool, id, token0, token1 };
  return { pool, tokenIn: tokens[0], tokenOut: tokens[1], shareBps: 10_000, amountIn: 10n, amountOut: 20n };
}
const legs = [legOf(pair, ids[0], [sold, middle]), legOf(native, ids[1], [middle, bought])] as const;

function routeOf(filled: readonly FilledLeg[], pools: readonly Pool[] = []) {
  const plan = { tokenIn: sold, tokenOut: bought, amountIn: 10n, legs: filled };
  return toRoute({ plan, legs: filled, amountOut: 20n, gas: 0n } satisfies FilledPlan, { pools: [...pools] }, middle);
}

test('a route over two venues lists its tokens from first to last, and the pools in the order of the legs', () => {
  const { legs: found, ...route } = routeOf(legs);
  expect(route).toEqual({
    dex: 'mixed',
    path: [sold, middle, bought].map((each) => getAddress(each)),
    pools: [getAddress(ids[0]), ids[1]],
  });
  expect(found[0]).toEqual({
    ...{ dex: 'solidly', venue: 'aerodrome', pool: getAddress(ids[0]), feePips: pair.fee },
    ...{ tokenIn: getAddress(sold), tokenOut: getAddress(middle) },
    ...{ amountIn: 10n, amountOut: 20n, shareBps: 10_000 },
  });
});

test('the pool key of a pool of the native coin has currency 0x0 instead of the wrapped token', () => {
  const { poolKey, pool } = routeOf(legs).legs[1] ?? {};
  expect(pool).toBe(ids[1]);
  expect(poolKey).toEqual({
    ...{ currency0: zeroAddress, currency1: getAddress(bought) },
    ...{ fee: native.fee, tickSpacing: native.tickSpacing, hooks: getAddress(native.hooks) },
  });
});

test('a split over two pools of one family lists each token once and names the family', () => {
  const half = { ...legs[0], tokenOut: bought, shareBps: 4_000 };
  const route = routeOf([half, { ...half, pool: { ...half.pool, id: '0x00000000000000000000000000000000000000c5' } }]);
  expect(route).toMatchObject({ dex: 'solidly', path: [getAddress(sold), getAddress(bought)] });
  expect(route.legs.map(({ shareBps }) => shareBps)).toEqual([4_000, 4_000]);
  expect(route.pools).toHaveLength(2);
});

test('a plan without legs has no route', () => {
  expect(routeOf([])).toEqual(noRoute);
});

const pairState: PoolState = {
  ...{ kind: 'pair', rule: 'solidly', reserve0: 1n, reserve1: 1n, feePips: [300, 700] },
};
const opaque: PoolState = { kind: 'opaque', reason: 'plugin' };
/** The state of the first leg's pool. It sells token1 if `isReversed`. */
const feeWith = (state: PoolState, isReversed = false) => {
  const tokens = isReversed ? ([sold, bought] as const) : ([bought, sold] as const);
  const leg = legOf({ ...pair, fee: 55 }, ids[0], tokens);
  const other = { ref: { ...leg.pool, id: ids[1] }, state: { ...pairState, feePips: [1, 2] } as PoolState };
  return routeOf([leg], [other, { ref: leg.pool, state }]).legs[0]?.feePips;
};

test('the fee of a leg is that of its direction', () => {
  expect(feeWith(pairState)).toBe(300);
  expect(feeWith(pairState, true)).toBe(700);
});

test('the fee of a pool without maths is what it reports, otherwise that of its candidate pool', () => {
  expect(feeWith({ ...opaque, feePips: 99 })).toBe(99);
  expect(feeWith({ ...opaque, feePips: 0 })).toBe(0);
  expect(feeWith(opaque)).toBe(55);
});

const leg: Leg = {
  dex: 'uniswap-v3',
  venue: 'uniswap-v3',
  pool: '0xd0b53D9277642d899DF5C87A3966A349A798F224',
  tokenIn: '0x4200000000000000000000000000000000000006',
  tokenOut: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  feePips: 500,
  amountIn: 10n ** 20n,
  amountOut: 299_000_000_000n,
  shareBps: 10_000,
};
const route = { dex: leg.dex, path: [leg.tokenIn, leg.tokenOut], pools: [leg.pool], legs: [leg] };

test('default: states the gain and the best single route with its amountOut, as JSON', () => {
  const flag = splitRouteFlag(37, { amountOut: leg.amountOut, route });
  expect(flag).toMatchObject({ code: 'SPLIT_ROUTE', severity: 'info', message: expect.stringContaining('0.37 %') });
  const facts = { gainBps: 37, single: { amountOut: '299000000000', pools: [leg.pool] } };
  expect(JSON.parse(JSON.stringify(flag.facts))).toMatchObject(facts);
  expect(flag.facts.single.legs[0]).toMatchObject({ amountIn: '100000000000000000000', amountOut: '299000000000' });
});
