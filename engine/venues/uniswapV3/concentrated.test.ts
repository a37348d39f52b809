import { describe, expect, test } from 'vitest';
import { type ConcentratedState, swapConcentrated, swapToPrice } from './concentrated.ts';
import { maxSqrtPrice, minSqrtPrice, sqrtPriceAtTick } from './tickMaths.ts';

const q96 = 1n << 96n;
const unit = 10n ** 18n;
/** A pool at price 1 with 10^18 from tick -600 to 600 and as much again from -120 to 120; no fee. */
const base: ConcentratedState = {
  kind: 'concentrated',
  rule: 'uniswap-v3',
  sqrtPriceX96: q96,
  tick: 0,
  liquidity: 2n * unit,
  tickSpacing: 60,
  feePips: [0, 0],
  ticks: [
    { index: -600, liquidityNet: unit },
    { index: -120, liquidityNet: unit },
    { index: 120, liquidityNet: -unit },
    { index: 600, liquidityNet: -unit },
  ],
  knownFrom: -887_272,
  knownTo: 887_272,
};
/** One range over all prices; 2^96 makes amounts and prices exact. */
const whole: ConcentratedState = { ...base, liquidity: q96, ticks: [] };

const up = (numerator: bigint, denominator: bigint) => (numerator + denominator - 1n) / denominator;
const isClose = (found: bigint, expected: bigint) => found >= expected - 4n && found <= expected + 4n;

describe('swapToPrice', () => {
  /** Amount of token1 between two ticks of the upper half; by symmetry that of token0 in the lower half. */
  const between = (from: number, to: number, liquidity: bigint) =>
    (liquidity * (sqrtPriceAtTick(to) - sqrtPriceAtTick(from))) / q96;
  /** The other token. */
  const paidBetween = (from: number, to: number, liquidity: bigint) =>
    (liquidity * q96) / sqrtPriceAtTick(from) - (liquidity * q96) / sqrtPriceAtTick(to);

  test.each([
    {
      name: 'inside the first range',
      tick: 77,
      input: between(0, 77, 2n * unit),
      output: paidBetween(0, 77, 2n * unit),
    },
    {
      name: 'at an initialised tick',
      tick: 120,
      input: between(0, 120, 2n * unit),
      output: paidBetween(0, 120, 2n * unit),
    },
    {
      name: 'inside the next range',
      tick: 250,
      input: between(0, 120, 2n * unit) + between(120, 250, unit),
      output: paidBetween(0, 120, 2n * unit) + paidBetween(120, 250, unit),
    },
    {
      name: 'beyond all liquidity',
      tick: 5000,
      input: between(0, 120, 2n * unit) + between(120, 600, unit),
      output: paidBetween(0, 120, 2n * unit) + paidBetween(120, 600, unit),
    },
  ])('sums the ranges up to a price $name, in both directions', ({ tick, input, output }) => {
    for (const zeroForOne of [true, false]) {
      const found = swapToPrice(base, zeroForOne, sqrtPriceAtTick(zeroForOne ? -tick : tick));
      expect(isClose(found.amountIn, input), `${found.amountIn}, expected ${input}`).toBe(true);
      expect(isClose(found.amountOut, output), `${found.amountOut}, expected ${output}`).toBe(true);
    }
  });

  test('ends at the last known tick', () => {
    const known = { ...base, ticks: base.ticks.slice(1, 3), knownFrom: -300, knownTo: 300 };
    for (const zeroForOne of [true, false]) {
      const side = zeroForOne ? -1 : 1;
      for (const tick of [250, 299, 300])
        expect(swapToPrice(known, zeroForOne, sqrtPriceAtTick(side * tick))).toEqual(
          swapToPrice({ ...base }, zeroForOne, sqrtPriceAtTick(side * tick)),
        );
      expect(swapToPrice(known, zeroForOne, sqrtPriceAtTick(side * 301))).toEqual(
        swapToPrice(base, zeroForOne, sqrtPriceAtTick(side * 300)),
      );
    }
  });

  test('takes nothing to a price that the pool has already passed, and ends at the lowest and the highest price', () => {
    const nothing = { amountIn: 0n, amountOut: 0n };
    for (const limit of [q96, q96 + 1n, sqrtPriceAtTick(300)]) expect(swapToPrice(base, true, limit)).toEqual(nothing);
    for (const limit of [q96, q96 - 1n, sqrtPriceAtTick(-300)])
      expect(swapToPrice(base, false, limit)).toEqual(nothing);
    expect(swapToPrice(whole, true, 0n)).toEqual(swapToPrice({ ...whole }, true, minSqrtPrice + 1n));
    expect(swapToPrice(whole, false, maxSqrtPrice * 2n)).toEqual(swapToPrice({ ...whole }, false, maxSqrtPrice - 1n));
  });

  test('takes nothing at a fee of 100 %', () => {
    const greedy: ConcentratedState = { ...base, feePips: [1_000_000, 1_000_000] };
    expect(swapToPrice(greedy, true, 1n)).toEqual({ amountIn: 0n, amountOut: 0n });
  });
});

describe('the range of prices', () => {
  // The pools require MIN + 1 < price when token0 is sold, price < MAX - 1 when token1 is sold, and a price within both.
  test.each([
    { zeroForOne: true, price: minSqrtPrice + 2n, tick: -887_272, moves: true },
    { zeroForOne: true, price: minSqrtPrice + 1n, tick: -887_272, moves: false },
    { zeroForOne: true, price: maxSqrtPrice - 1n, tick: 887_271, moves: true },
    { zeroForOne: true, price: maxSqrtPrice, tick: 887_272, moves: false },
    { zeroForOne: false, price: maxSqrtPrice - 2n, tick: 887_271, moves: true },
    { zeroForOne: false, price: maxSqrtPrice - 1n, tick: 887_271, moves: false },
    { zeroForOne: false, price: minSqrtPrice, tick: -887_272, moves: true },
    { zeroForOne: false, price: minSqrtPrice - 1n, tick: -887_273, moves: false },
  ])('a sale of token0 ($zeroForOne) at the price $price moves it: $moves', ({ zeroForOne, price, tick, moves }) => {
    const state = { ...whole, sqrtPriceX96: price, tick };
    const limit = zeroForOne ? minSqrtPrice + 1n : maxSqrtPrice - 1n;
    expect(swapToPrice(state, zeroForOne, limit).amountIn > 0n).toBe(moves);
    expect(swapConcentrated(state, zeroForOne, 1n) !== undefined).toBe(moves);
  });

  test.each([
    { zeroForOne: true, sqrtPriceX96: minSqrtPrice + 1n, tick: -887_272 },
    { zeroForOne: false, sqrtPriceX96: maxSqrtPrice - 1n, tick: 887_271 },
  ])(
    'a swap that uses up all liquidity ends at $tick, and takes no unit more',
    ({ zeroForOne, sqrtPriceX96, tick }) => {
      const state = { ...whole };
      const { amountIn, amountOut } = swapToPrice(state, zeroForOne, sqrtPriceX96);
      const swapped = swapConcentrated(state, zeroForOne, amountIn);
      expect(swapped?.amountOut).toBe(amountOut);
      expect(swapped?.state).toMatchObject({ sqrtPriceX96, tick, liquidity: q96 });
      expect(swapConcentrated(state, zeroForOne, amountIn + 1n)).toBeUndefined();
    },
  );
});

describe('the end of the known ticks', () => {
  test('a swap may end at the price of the last known tick, not beyond it', () => {
    const state = { ...whole, knownFrom: -300, knownTo: 300 };
    const [lowest, highest] = [sqrtPriceAtTick(-300), sqrtPriceAtTick(300)];
    // Selling a of token1 raises the price by a; selling a of token0 lowers it to 2^192 / (2^96 + a), rounded up.
    const upwards = swapConcentrated(state, false, highest - q96);
    expect(upwards?.state).toMatchObject({ sqrtPriceX96: highest, tick: 300 });
    expect(swapConcentrated(state, false, highest - q96 + 1n)).toBeUndefined();
    const most = up(1n << 192n, lowest - 1n) - 1n - q96;
    expect(swapConcentrated(state, true, most)?.state).toMatchObject({ sqrtPriceX96: lowest, tick: -300 });
    expect(swapConcentrated(state, true, most + 1n)).toBeUndefined();
  });

  test.each([
    { zeroForOne: true, index: -600, tick: -601 },
    { zeroForOne: false, index: 600, tick: 600 },
  ])('a swap to $index crosses that tick if it is the last known one', ({ zeroForOne, index, tick }) => {
    const state = { ...base, knownFrom: -600, knownTo: 600 };
    const sqrtPriceX96 = sqrtPriceAtTick(index);
    const { amountIn } = swapToPrice(state, zeroForOne, sqrtPriceX96);
    const swapped = swapConcentrated(state, zeroForOne, amountIn);
    expect(swapped).toMatchObject({ ticksCrossed: 2, state: { sqrtPriceX96, tick, liquidity: 0n } });
    expect(swapConcentrated(state, zeroForOne, amountIn + 1n)).toBeUndefined();
  });
});

test('a price exactly at an initialised tick crosses it downwards only', () => {
  // 10^18 at all prices and as much again from tick 0 to 600.
  const ticks = [
    { index: 0, liquidityNet: unit },
    { index: 600, liquidityNet: -unit },
  ];
  const state = { ...base, ticks };
  const small = 10n ** 12n;
  expect(swapConcentrated(state, true, small)).toMatchObject({
    amountOut: swapConcentrated({ ...whole, liquidity: unit }, true, small)?.amountOut,
    ticksCrossed: 1,
    state: { liquidity: unit },
  });
  expect(swapConcentrated(state, false, small)).toMatchObject({ ticksCrossed: 0, state: { liquidity: 2n * unit } });
});

test('a state whose ticks remove more liquidity than there is returns undefined', () => {
  const inconsistent = { ...base, ticks: [{ index: 120, liquidityNet: -3n * unit }] };
  expect(swapConcentrated(inconsistent, false, 10n ** 12n)).toBeUndefined();
  expect(swapConcentrated(inconsistent, false, 10n ** 18n)).toBeUndefined();
});

describe('amounts are signed integers', () => {
  const deep = { ...whole, liquidity: 1n << 126n };
  const most128 = (1n << 127n) - 1n;

  test('Uniswap v4 takes up to 2^127 - 1, Uniswap v3 more', () => {
    const [v3, v4] = [deep, { ...deep, rule: 'uniswap-v4' as const }];
    expect(swapConcentrated(v4, true, most128)).toBeDefined();
    expect(swapConcentrated(v4, true, most128 + 1n)).toBeUndefined();
    expect(swapConcentrated(v3, true, most128 + 1n)).toBeDefined();
  });

  test('Uniswap v4 pays up to 2^127 - 1, Uniswap v3 more', () => {
    const dear = { ...deep, sqrtPriceX96: sqrtPriceAtTick(400_000), tick: 400_000 };
    expect(swapConcentrated({ ...dear, rule: 'uniswap-v4' }, true, 1n << 120n)).toBeUndefined();
    expect(swapConcentrated(dear, true, 1n << 120n)?.amountOut).toBeGreaterThan(most128);
  });
});

test('only Algebra Integral rounds once over the edges of bitmap words', () => {
  // Words are 256 spacings wide; with a spacing of 1 this swap passes several of them.
  const state = { ...whole, tickSpacing: 1, liquidity: unit };
  const sizes = Array.from({ length: 20 }, (_, at) => 10n ** 17n + BigInt(at) * 7_777n);
  const atOnce = sizes.map((size) => {
    const price = up(unit * q96 * q96, unit * q96 + size * q96);
    return (unit * (q96 - price)) / q96;
  });
  const paid = (rule: ConcentratedState['rule']) => {
    const pool = { ...state, rule };
    return sizes.map((size) => swapConcentrated(pool, true, size)?.amountOut);
  };
  expect(paid('algebra-integral')).toEqual(atOnce);
  expect(paid('algebra-v1')).not.toEqual(atOnce);
  expect(paid('algebra-v1')).toEqual(paid('uniswap-v3'));
});

test('a further size reuses the steps of the first one', () => {
  let reads = 0;
  const ticks = new Proxy(base.ticks, {
    get(target, key) {
      if (typeof key === 'string' && /^\d+$/.test(key)) reads += 1;
      return Reflect.get(target, key);
    },
  });
  const state = { ...base, ticks };
  const size = swapToPrice(base, true, sqrtPriceAtTick(-300)).amountIn;
  expect(swapConcentrated(state, true, size)?.ticksCrossed).toBe(1);
  const first = reads;
  expect(first).toBeGreaterThan(0);
  expect(swapConcentrated(state, true, size - 1n)?.ticksCrossed).toBe(1);
  expect(reads).toBe(first);
});
