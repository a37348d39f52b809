import { describe, expect, test } from 'vitest';
import type { ConcentratedState, Tick } from './concentrated.ts';
import { concentratedModel } from './concentratedModel.ts';
import { sqrtPriceAtTick } from './tickMaths.ts';

const unit = 10n ** 18n;
/** A pool of 0.3 % at price 1, with `ticks` and the liquidity of those at or below the price. */
function stateOf(ticks: readonly Tick[], changes: Partial<ConcentratedState> = {}): ConcentratedState {
  const liquidity = ticks.reduce((sum, { index, liquidityNet }) => (index <= 0 ? sum + liquidityNet : sum), 0n);
  const price = { sqrtPriceX96: sqrtPriceAtTick(0), tick: 0, liquidity };
  const known = { ticks, knownFrom: -887_272, knownTo: 887_272 };
  return {
    kind: 'concentrated',
    rule: 'uniswap-v3',
    ...price,
    tickSpacing: 60,
    feePips: [3000, 3000],
    ...known,
    ...changes,
  };
}
/** Positions as liquidity between two ticks. */
function positions(...list: readonly (readonly [lower: number, upper: number, liquidity: bigint])[]): Tick[] {
  const nets = new Map<number, bigint>();
  for (const [lower, upper, liquidity] of list) {
    nets.set(lower, (nets.get(lower) ?? 0n) + liquidity);
    nets.set(upper, (nets.get(upper) ?? 0n) - liquidity);
  }
  return [...nets].map(([index, liquidityNet]) => ({ index, liquidityNet })).sort((a, b) => a.index - b.index);
}

/** The largest amount that the pool takes. */
function capacity(state: ConcentratedState, zeroForOne: boolean): bigint {
  let [low, high] = [0n, 1n << 100n];
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (concentratedModel.swap(state, zeroForOne, middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** Compares the curve with exact swaps of parts of all that the pool takes. */
function expectExact(state: ConcentratedState): void {
  for (const zeroForOne of [true, false]) {
    const curve = concentratedModel.curve(state, zeroForOne);
    const most = capacity(state, zeroForOne);
    for (const part of [1n, 50n, 200n, 333n, 500n, 750n, 900n, 998n]) {
      const amountIn = (most * part) / 1000n;
      const exact = concentratedModel.swap(state, zeroForOne, amountIn);
      expect((curve?.pay(Number(amountIn)) ?? 0) / Number(exact?.amountOut), `${zeroForOne} ${part}`).toBeCloseTo(1, 8);
      expect(curve?.crossed(Number(amountIn))).toBe(exact?.ticksCrossed);
    }
  }
}

describe('the curve equals the exact swap', () => {
  test('over ranges of different liquidity', () => {
    expectExact(stateOf(positions([-600, 600, unit], [-120, 180, 3n * unit], [-300, 60, 2n * unit])));
  });

  test('over a gap without liquidity', () => {
    expectExact(stateOf(positions([-60, 60, unit], [300, 600, 2n * unit], [-900, -420, 2n * unit])));
  });

  test('from a price in a gap', () => {
    expectExact(stateOf(positions([300, 600, unit], [-900, -420, unit])));
  });

  test('from a price at an initialised tick, which only a fall of the price crosses', () => {
    expectExact(stateOf(positions([0, 600, unit], [-600, 600, unit], [-600, 0, 5n * unit])));
  });

  test('over a gap where doubles sum to less than zero', () => {
    const [a, b] = [921_330_455_251_402_424_810n, 265_324_460_317_689_402_971n];
    expect(Number(a + b) - Number(a) - Number(b)).toBeLessThan(0);
    expectExact(stateOf(positions([-60, 60, a], [-120, 120, b], [300, 600, unit], [-600, -300, unit])));
  });
});

describe('at the last known tick', () => {
  const whole = positions([-6000, 6000, unit]);
  const known = stateOf([], { liquidity: unit, knownFrom: -300, knownTo: 300 });

  test.each([true, false])('the curve ends up to a thousandth before the pool does (zeroForOne: %s)', (zeroForOne) => {
    const curve = concentratedModel.curve(known, zeroForOne);
    const most = capacity(known, zeroForOne);
    const paid = Number(concentratedModel.swap(known, zeroForOne, most)?.amountOut);
    expect(curve?.pay(Number(most) * 0.9985)).toBeGreaterThan(0);
    expect(curve?.pay(Number(most))).toBe(Number.NEGATIVE_INFINITY);
    expect(curve?.reach(Number(most) * 100)).toBeLessThan(paid);
    expect(curve?.reach(Number(most) * 100)).toBeGreaterThan(paid * 0.998);
  });

  test('the depth ends there, too', () => {
    const near = stateOf([], { liquidity: unit, knownFrom: -60, knownTo: 60 });
    for (const zeroForOne of [true, false]) {
      const most = Number(concentratedModel.swap(near, zeroForOne, capacity(near, zeroForOne))?.amountOut);
      expect(Number(concentratedModel.depth(near, zeroForOne)) / most).toBeCloseTo(1, 8);
      const deeper = concentratedModel.depth(stateOf(whole), zeroForOne);
      expect(deeper).toBeGreaterThan(concentratedModel.depth(near, zeroForOne));
    }
  });
});

test('the depth is the output until the price has fallen by 1 %', () => {
  // 10^18 · (1 − √0.99), the same in both directions at price 1.
  const state = stateOf(positions([-6000, 6000, unit]));
  for (const zeroForOne of [true, false]) {
    expect(Number(concentratedModel.depth(state, zeroForOne)) / 5_012_562_893_380_045).toBeCloseTo(1, 8);
  }
});

test('a tick that removes more liquidity than there is ends the curve', () => {
  const state = stateOf(
    [
      { index: 60, liquidityNet: -2n * unit },
      { index: 120, liquidityNet: 5n * unit },
    ],
    {
      liquidity: unit,
    },
  );
  const curve = concentratedModel.curve(state, false);
  const end = stateOf([], { liquidity: unit, knownTo: 60 });
  expect(curve?.reach(1e30)).toBeCloseTo(concentratedModel.curve(end, false)?.reach(1e30) ?? 0, -15);
  expect(curve?.pay(1e17)).toBe(Number.NEGATIVE_INFINITY);
});

test.each([
  [
    'negative liquidity',
    {
      liquidity: -1n,
      ticks: [
        { index: 60, liquidityNet: unit },
        { index: 120, liquidityNet: -unit },
      ],
    },
  ],
  ['no price', { sqrtPriceX96: 0n }],
])('a pool with %s has no slope', (_, changes) => {
  const state = stateOf(positions([-600, 600, unit]), changes);
  for (const zeroForOne of [true, false]) {
    expect(concentratedModel.curve(state, zeroForOne)?.slope(0) || 0).toBe(0);
  }
});

test('price is that of the next unit without the fee, in both directions', () => {
  const state = stateOf([], { sqrtPriceX96: sqrtPriceAtTick(6931), tick: 6931, liquidity: unit });
  expect(concentratedModel.price(state, true)).toBeCloseTo(1.0001 ** 6931, 10);
  expect(concentratedModel.price(state, false)).toBeCloseTo(1.0001 ** -6931, 10);
});
