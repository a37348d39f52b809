import { describe, expect, test } from 'vitest';
import type { TestToken } from '../../../tests/support/engine/testMarket.ts';
import { concentratedState, pairState, poolOf, testTokens } from '../../../tests/support/engine/testMarket.ts';
import { unitsOf } from '../../../tests/support/engine/testQuery.ts';
import type { OpaqueState } from '../../venues/opaque.ts';
import type { Pool } from '../../venues/poolTypes.ts';
import type { ConcentratedState } from '../../venues/uniswapV3/concentrated.ts';
import { toCurve } from './curve.ts';
import { toNetwork } from './network.ts';
import { opaqueRoutes } from './opaqueRoutes.ts';

const { LT, USDC, WETH, DAI } = testTokens;
const routingTokens = [WETH, USDC, DAI].map(({ address }) => address);

/** A pool with a hook; without balances unless `changes` sets them. */
function opaque(a: TestToken, b: TestToken, usd: number, skewBps: number, changes: Partial<OpaqueState> = {}): Pool {
  const { sqrtPriceX96, liquidity } = concentratedState(a, b, skewBps, 0, 60, [{ usd, range: [0.1, 10] }]);
  return poolOf({ kind: 'opaque', reason: 'hook', sqrtPriceX96, liquidity, ...changes }, a, b);
}
/** A pair; a higher `skewBps` pays more for the token with the lower address. */
const pair = (a: TestToken, b: TestToken, usd: number, skewBps = 0) =>
  poolOf(pairState(a, b, usd, skewBps, 3000), a, b);

/** The routes from LT to USDC as indices into `pools`, and whether one of them leaves the known ticks. */
function find(pools: readonly Pool[], { usd = 1000, paid = 0n, from = LT, to = USDC } = {}) {
  const query = { pools, tokenIn: from.address, tokenOut: to.address, amountIn: unitsOf(usd, from) };
  const network = toNetwork(pools, query.tokenIn, query.tokenOut, routingTokens, Number(query.amountIn));
  const { plans, leavesTicks, samples } = opaqueRoutes(query, network, paid);
  const indexOf = (id: string) => pools.findIndex(({ ref }) => ref.id === id);
  const routesOf = (found: typeof plans) => found.map(({ legs }) => legs.map(({ pool }) => indexOf(pool.id)).join('>'));
  return { plans, leavesTicks, samples, routes: routesOf(plans), sampled: [...new Set(routesOf(samples))] };
}

test('a route sells the whole order to the opaque pool, in either direction', () => {
  const pools = [opaque(LT, USDC, 1e6, 0), pair(LT, USDC, 1e6)];
  for (const from of [LT, USDC]) {
    const to = from === LT ? USDC : LT;
    const { plans, leavesTicks } = find(pools, { from, to });
    const [tokenIn, tokenOut] = [from.address, to.address];
    const legs = [{ pool: pools[0]?.ref, tokenIn, tokenOut, shareBps: 10_000 }];
    expect(plans).toEqual([{ tokenIn, tokenOut, amountIn: unitsOf(1000, from), legs }]);
    expect(leavesTicks).toBe(false);
  }
});

test('ignores opaque pools of tokens that no route passes through', () => {
  const other: TestToken = { ...DAI, address: '0x0000000000000000000000000000000000000099' as TestToken['address'] };
  expect(find([opaque(LT, other, 1e6, 0), opaque(other, USDC, 1e6, 0), pair(LT, USDC, 1e6)]).routes).toEqual([]);
});

test('no route passes through the token sold or the token bought', () => {
  expect(find([opaque(LT, WETH, 1e6, 0), pair(LT, USDC, 1e6)]).routes).toEqual([]);
  expect(find([opaque(WETH, USDC, 1e6, 0), pair(LT, USDC, 1e6)]).routes).toEqual([]);
});

describe('the balance of the token bought bounds the output', () => {
  const sides = [
    { name: 'balance1 of a pool that sells token1', from: LT, to: USDC, bound: 'balance1', other: 'balance0' },
    { name: 'balance0 of a pool that sells token0', from: USDC, to: LT, bound: 'balance0', other: 'balance1' },
  ] as const;

  test.each(sides)('$name: a pool that holds less than the output already found is left out', (side) => {
    const { from, to, bound, other } = side;
    const pools = [opaque(LT, USDC, 1e6, 0, { [bound]: 900n, [other]: 5n })];
    expect(find(pools, { from, to, paid: 900n }).routes).toEqual(['0']);
    expect(find(pools, { from, to, paid: 901n }).routes).toEqual([]);
  });

  test('a pool whose balance was not read may pay any amount', () => {
    expect(find([opaque(LT, USDC, 1e6, 0)], { paid: 10n ** 30n }).routes).toEqual(['0']);
  });

  test('on the way to another token the balance is not compared with the output in the token bought', () => {
    const pools = [opaque(LT, WETH, 1e6, 0, { balance1: unitsOf(2000, WETH) }), pair(WETH, DAI, 1e7)];
    expect(find(pools, { to: DAI, paid: unitsOf(900, DAI) }).routes).toEqual(['0>1']);
  });

  test('a pool that promises more than it holds ranks by what it holds', () => {
    const half = { balance1: unitsOf(500, USDC) };
    const noLiquidity = { ...half, liquidity: undefined };
    const pools = [opaque(LT, USDC, 1e6, 5000, half), opaque(LT, USDC, 1e6, 5000, noLiquidity)];
    expect(find([...pools, opaque(LT, USDC, 1e6, -4000)]).routes[0]).toBe('2');
    expect(find([...pools, opaque(LT, USDC, 1e6, -6000)]).routes[2]).toBe('2');
  });
});

describe('routes come in the order of the output that the pools report', () => {
  test('the higher price first, less the fee', () => {
    const pools = [
      opaque(LT, USDC, 1e6, 0),
      opaque(LT, USDC, 1e6, 100, { feePips: 20_000 }),
      opaque(LT, USDC, 1e6, 100, { feePips: 5000 }),
      opaque(LT, USDC, 1e6, 100),
    ];
    expect(find(pools).routes).toEqual(['3', '2', '0', '1']);
  });

  test('in the other direction the lower price first', () => {
    const pools = [opaque(LT, USDC, 1e6, 0), opaque(LT, USDC, 1e6, 100), opaque(LT, USDC, 1e6, -100)];
    expect(find(pools, { from: USDC, to: LT }).routes).toEqual(['2', '0', '1']);
  });

  test('at one price the deeper pool first; a pool of unknown depth before both, a pool without liquidity never', () => {
    for (const [from, to] of [
      [LT, USDC],
      [USDC, LT],
    ] as const) {
      const pools = [
        opaque(LT, USDC, 1e4, 0),
        opaque(LT, USDC, 1e6, 0),
        opaque(LT, USDC, 1e6, 0, { liquidity: undefined }),
        opaque(LT, USDC, 1e6, 0, { liquidity: 0n }),
      ];
      expect(find(pools, { from, to }).routes).toEqual(['2', '1', '0']);
    }
  });

  test('the depth of a pool is that at its price, not at any other', () => {
    // 1e6 USD of WETH in DAI and 3e5 USD of LT in USDC: their liquidity differs by orders of magnitude.
    const pools = [opaque(LT, USDC, 3e5, 0), pair(LT, DAI, 1e9), opaque(DAI, USDC, 1e6, 0)];
    expect(find(pools, { usd: 100_000 }).routes).toEqual(['1>2', '0']);
    expect(find(pools, { usd: 100_000, from: USDC, to: LT }).routes).toEqual(['2>1', '0']);
  });

  test.each([undefined, 0n])('a pool that reports the price %s can still be executed', (sqrtPriceX96) => {
    expect(find([opaque(LT, USDC, 1e6, 0, { sqrtPriceX96 })]).routes).toEqual(['0']);
    const some = { sqrtPriceX96, balance1: 7n };
    // Its estimate is its balance: 7 units rank below any pool that pays.
    expect(find([opaque(LT, USDC, 1e6, 0, some), opaque(LT, USDC, 1e6, 0)]).routes).toEqual(['1', '0']);
  });

  test('at most eight, the best ones', () => {
    const pools = Array.from({ length: 12 }, (_, index) => opaque(LT, USDC, 1e6, index * 10));
    expect(find(pools).routes).toEqual(['11', '10', '9', '8', '7', '6', '5', '4']);
  });
});

describe('routes of several hops', () => {
  test('an opaque pool may be the first, the middle or the last hop', () => {
    expect(find([opaque(LT, WETH, 1e6, 0), pair(WETH, USDC, 1e7)]).routes).toEqual(['0>1']);
    expect(find([pair(LT, WETH, 1e6), opaque(WETH, USDC, 1e7, 0)]).routes).toEqual(['0>1']);
    expect(find([pair(LT, WETH, 1e6), opaque(WETH, DAI, 1e7, 0), pair(DAI, USDC, 1e7)]).routes).toEqual(['0>1>2']);
  });

  test('each leg sells what the one before it bought', () => {
    const pools = [pair(LT, WETH, 1e6), opaque(WETH, DAI, 1e7, 0), pair(DAI, USDC, 1e7)];
    const whole = 10_000;
    const stops = [LT, WETH, DAI, USDC].map(({ address }) => address);
    expect(find(pools).plans[0]?.legs).toEqual(
      pools.map(({ ref }, at) => ({ pool: ref, tokenIn: stops[at], tokenOut: stops[at + 1], shareBps: whole })),
    );
  });

  test('the hop before an opaque pool is the one that pays most', () => {
    const pools = [pair(LT, WETH, 1e4), pair(LT, WETH, 1e6), pair(LT, WETH, 1e5), opaque(WETH, USDC, 1e7, 0)];
    expect(find(pools).routes).toEqual(['1>3']);
  });

  test('rounding decides between the first hops of a small order', () => {
    const low = concentratedState(USDC, WETH, 0, 500, 10, [{ usd: 1e6, range: [0.5, 2] }]);
    const pools = [pair(USDC, WETH, 1e6), poolOf(low, USDC, WETH), opaque(WETH, LT, 1e7, 0)];
    // A fee of 0.05 % on 10 units rounds up to a whole unit.
    expect(find(pools, { usd: 0.000_01, from: USDC, to: LT }).routes).toEqual(['0>2']);
    expect(find(pools, { usd: 100, from: USDC, to: LT }).routes).toEqual(['1>2']);
  });

  test('of the hops after an opaque pool, the second is tried if it pays at least 99.9 % of the first', () => {
    const within = (skewBps: number) =>
      find([
        opaque(LT, WETH, 1e6, 0),
        pair(WETH, USDC, 1e9),
        pair(WETH, USDC, 1e9, skewBps),
        pair(WETH, USDC, 1e9, 300),
      ]).routes;
    expect(within(9)).toEqual(['0>1', '0>2']);
    expect(within(11)).toEqual(['0>1']);
  });

  test('of three equal hops after an opaque pool, two are tried', () => {
    const last = [0, 0, 0].map(() => pair(WETH, USDC, 1e9));
    expect(find([opaque(LT, WETH, 1e6, 0), ...last]).routes).toHaveLength(2);
  });

  test('the hop before or after an opaque pool may be the best opaque one of its pair', () => {
    const last = [50, 0, 100].map((skewBps) => opaque(WETH, USDC, 1e6, skewBps));
    const pools = [opaque(LT, WETH, 1e6, 0), ...last];
    expect(find(pools).routes).toEqual(['0>2', '0>1', '0>3']);
    expect(find([...pools, pair(WETH, USDC, 1e6, -100)]).routes[0]).toBe('0>4');
  });

  test('of several opaque pools after an opaque one, only the best is tried', () => {
    const last = [50, 0, 100].map((skewBps) => opaque(WETH, USDC, 1e6, skewBps));
    const { routes } = find([opaque(LT, WETH, 1e6, 0), pair(LT, WETH, 1e6), ...last]);
    expect(routes.filter((route) => route.startsWith('0'))).toEqual(['0>3']);
  });

  test('a hop that pays less than one unit ends a route', () => {
    const dust = opaque(WETH, USDC, 1e6, 0, { balance1: 0n, balance0: 0n });
    expect(find([opaque(LT, WETH, 1e6, 0), dust]).routes).toEqual([]);
    expect(find([opaque(LT, WETH, 1e6, 0)]).routes).toEqual([]);
  });
});

describe('pools whose known ticks end before the order', () => {
  const wide = concentratedState(LT, USDC, 0, 3000, 60, [{ usd: 10_000, range: [0.5, 2] }]);
  const narrow: ConcentratedState = { ...wide, ticks: [], knownFrom: wide.tick - 60, knownTo: wide.tick + 60 };
  const order = { usd: 5000 };
  const reached = toCurve(narrow, true)?.reach(Number(unitsOf(order.usd, LT))) ?? 0;

  test('are offered in either direction, and need more ticks', () => {
    const pools = [poolOf(narrow, LT, USDC)];
    expect(find(pools, order)).toMatchObject({ routes: ['0'], leavesTicks: true });
    expect(find(pools, { ...order, from: USDC, to: LT })).toMatchObject({ routes: ['0'], leavesTicks: true });
  });

  test('are left out if the order ends within the known ticks, or if all ticks in its direction are known', () => {
    expect(find([poolOf(narrow, LT, USDC)], { usd: 1 })).toMatchObject({ routes: [], leavesTicks: false });
    const down = { ...narrow, knownFrom: -887_272 };
    const up = { ...narrow, knownTo: 887_272 };
    expect(find([poolOf(down, LT, USDC)], order).routes).toEqual([]);
    expect(find([poolOf(down, LT, USDC)], { ...order, from: USDC, to: LT }).routes).toEqual(['0']);
    expect(find([poolOf(up, LT, USDC)], order).routes).toEqual(['0']);
    expect(find([poolOf(up, LT, USDC)], { ...order, from: USDC, to: LT }).routes).toEqual([]);
  });

  test('are left out if all ticks are known and the pool cannot take the order', () => {
    for (const [from, to] of [
      [LT, USDC],
      [USDC, LT],
    ] as const) {
      expect(find([poolOf(wide, LT, USDC)], { usd: 1e7, from, to }).routes).toEqual([]);
    }
  });

  test('are left out if three times their known output is less than the output already found', () => {
    const pools = [poolOf(narrow, LT, USDC)];
    expect(reached).toBeGreaterThan(1e6);
    expect(find(pools, { ...order, paid: BigInt(Math.floor(reached * 3)) }).routes).toEqual(['0']);
    expect(find(pools, { ...order, paid: BigInt(Math.ceil(reached * 3)) + 1n }).routes).toEqual([]);
  });

  test('take at most two of the routes', () => {
    const pools = [1, 2, 3].map(() => poolOf(narrow, LT, USDC));
    const found = find([...pools, opaque(LT, USDC, 1, 0), opaque(LT, USDC, 1, -10)], order);
    expect(found.routes).toEqual(['0', '1', '3', '4']);
  });

  test('need no more ticks if eight other routes rank before them', () => {
    const better = Array.from({ length: 8 }, () => opaque(LT, USDC, 1e6, 0));
    expect(find([poolOf(narrow, LT, USDC), ...better], order).leavesTicks).toBe(false);
  });
});

describe('samples of opaque pools', () => {
  const order = unitsOf(1000, LT);

  test('sell four parts of the order on the best route of the pool', () => {
    const { samples, plans, sampled } = find([opaque(LT, WETH, 1e6, 0), pair(WETH, USDC, 1e9), pair(WETH, USDC, 1e8)]);
    expect(sampled).toEqual(['0>1']);
    expect(samples.map(({ amountIn }) => amountIn)).toEqual([order / 16n, order / 4n, order / 2n, order]);
    for (const { legs } of samples) expect(legs).toEqual(plans[0]?.legs);
  });

  test.each([
    [LT, USDC],
    [USDC, LT],
  ] as const)('sell at most twice the reserve that the pool reports', (from, to) => {
    const amount = unitsOf(1000, from);
    const { samples } = find([opaque(LT, USDC, 200, 0), pair(LT, USDC, 1e6)], { from, to });
    // The liquidity of 200 USD between a tenth and ten times the price is that of reserves of about 290 USD.
    expect(samples.map(({ amountIn }) => amountIn)).toEqual([16n, 4n, 2n, 1n].map((part) => amount / 2n / part));
  });

  test('sell at most twice the balance of a pool that reports no price', () => {
    const changes = { sqrtPriceX96: undefined, balance0: unitsOf(60, LT), balance1: unitsOf(60, USDC) };
    const { samples } = find([opaque(LT, USDC, 1e6, 0, changes)]);
    expect(samples.at(-1)?.amountIn).toBe(order / 16n);
  });

  test('include a pool that cannot pay as much as the output already found, but not one that pays under 1/256 of it', () => {
    const pools = [opaque(LT, USDC, 1e6, 0, { balance1: unitsOf(10, USDC) })];
    expect(find(pools, { paid: unitsOf(1000, USDC) })).toMatchObject({ routes: [], sampled: ['0'] });
    expect(find(pools, { paid: unitsOf(2561, USDC) }).sampled).toEqual([]);
  });

  test('exclude pools whose known ticks end before the order', () => {
    const wide = concentratedState(LT, USDC, 0, 3000, 60, [{ usd: 10_000, range: [0.5, 2] }]);
    const narrow: ConcentratedState = { ...wide, ticks: [], knownFrom: wide.tick - 60, knownTo: wide.tick + 60 };
    expect(find([poolOf(narrow, LT, USDC)], { usd: 5000 })).toMatchObject({ routes: ['0'], sampled: [] });
  });

  test('of 200 pools only the eight of the highest estimate are sampled', () => {
    const pools = Array.from({ length: 200 }, (_, index) => opaque(LT, USDC, 1e6, index));
    const { plans, samples, sampled } = find(pools);
    expect(sampled).toEqual(['199', '198', '197', '196', '195', '194', '193', '192']);
    expect([plans.length, samples.length]).toEqual([8, 32]);
  });
});
