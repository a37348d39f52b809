import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { WeightedState } from './balancerV2/weighted.ts';
import { depthWithinOnePercent, midOf, modelOf, swap } from './models.ts';
import type { StableState } from './solidly/stable.ts';
import type { PairState } from './uniswapV2/pair.ts';
import type { ConcentratedState, Tick } from './uniswapV3/concentrated.ts';
import { amount0Between, amount1Between } from './uniswapV3/swapStep.ts';
import { maxSqrtPrice, minSqrtPrice, sqrtPriceAtTick, tickAtSqrtPrice } from './uniswapV3/tickMaths.ts';

const rules = ['uniswap-v3', 'uniswap-v4', 'algebra-v1', 'algebra-integral'] as const;
const tickSpacing = 10;

/** A pool of some ranges around a price; every tick is known. */
const concentrated = fc
  .record({
    rule: fc.constantFrom(...rules),
    at: fc.integer({ min: -30_000, max: 30_000 }),
    fee: fc.integer({ min: 0, max: 20_000 }),
    ranges: fc.array(
      fc.record({
        lower: fc.integer({ min: -3_000, max: 3_000 }),
        width: fc.integer({ min: 1, max: 2_000 }),
        liquidity: fc.bigInt({ min: 1n, max: 10n ** 24n }),
      }),
      { minLength: 1, maxLength: 8 },
    ),
  })
  .map(({ rule, at, fee, ranges }): ConcentratedState => {
    const nets = new Map<number, bigint>();
    for (const { lower, width, liquidity } of ranges) {
      const [from, to] = [lower * tickSpacing, (lower + width) * tickSpacing];
      nets.set(from, (nets.get(from) ?? 0n) + liquidity);
      nets.set(to, (nets.get(to) ?? 0n) - liquidity);
    }
    const ticks: Tick[] = [...nets].map(([index, liquidityNet]) => ({ index, liquidityNet }));
    ticks.sort((a, b) => a.index - b.index);
    const liquidity = ticks.filter(({ index }) => index <= at).reduce((sum, tick) => sum + tick.liquidityNet, 0n);
    const feePips = [fee, fee] as const;
    const known = { ticks, knownFrom: -887_272, knownTo: 887_272 };
    const sqrtPriceX96 = sqrtPriceAtTick(at);
    return { kind: 'concentrated', rule, sqrtPriceX96, tick: at, liquidity, tickSpacing, feePips, ...known };
  });
const weighted = fc
  .record({
    hasFastPowers: fc.boolean(),
    balances: fc.tuple(
      fc.bigInt({ min: 10n ** 12n, max: 10n ** 26n }),
      fc.bigInt({ min: 10n ** 12n, max: 10n ** 26n }),
    ),
    percent: fc.integer({ min: 1, max: 99 }),
    fee: fc.integer({ min: 1, max: 10_000 }),
  })
  .map(({ hasFastPowers, balances: [balance0, balance1], percent, fee }): WeightedState => {
    const [weight0, weight1] = [BigInt(percent) * 10n ** 16n, BigInt(100 - percent) * 10n ** 16n];
    const rest = { scale0: 1n, scale1: 1n, swapFee: BigInt(fee) * 10n ** 12n, feePips: [fee, fee] as const };
    return { kind: 'weighted', hasFastPowers, balance0, balance1, weight0, weight1, ...rest };
  });
const size = fc.bigInt({ min: 1n, max: 10n ** 27n });

/** The swap loop of the published pools, without a cache, for one size. */
function publishedLoop(state: ConcentratedState, zeroForOne: boolean, amountIn: bigint) {
  const fee = BigInt(state.feePips[zeroForOne ? 0 : 1]);
  const limit = zeroForOne ? minSqrtPrice + 1n : maxSqrtPrice - 1n;
  let { sqrtPriceX96: price, tick, liquidity } = state;
  let [left, out] = [amountIn, 0n];
  while (left > 0n && price !== limit) {
    const next = nextTickOf(state, zeroForOne, tick);
    const nextPrice = sqrtPriceAtTick(next);
    const target = zeroForOne ? (nextPrice < limit ? limit : nextPrice) : nextPrice > limit ? limit : nextPrice;
    const start = price;
    const net = (left * (1_000_000n - fee)) / 1_000_000n;
    const needed = zeroForOne
      ? amount0Between(target, price, liquidity, true)
      : amount1Between(price, target, liquidity, true);
    if (net >= needed) {
      price = target;
      left -= needed + (needed * fee + 999_999n - fee) / (1_000_000n - fee);
    } else {
      price = zeroForOne
        ? up((liquidity << 96n) * price, (liquidity << 96n) + net * price)
        : price + (net << 96n) / liquidity;
      left = 0n;
    }
    out += zeroForOne ? amount1Between(price, start, liquidity, false) : amount0Between(start, price, liquidity, false);
    if (price === nextPrice) {
      const crossed = state.ticks.find(({ index }) => index === next)?.liquidityNet ?? 0n;
      liquidity += zeroForOne ? -crossed : crossed;
      tick = zeroForOne ? next - 1 : next;
    } else if (price !== start) tick = tickAtSqrtPrice(price);
  }
  return left > 0n ? undefined : { out, price, tick, liquidity };
}

const up = (numerator: bigint, denominator: bigint) => (numerator + denominator - 1n) / denominator;

function nextTickOf({ rule, ticks }: ConcentratedState, zeroForOne: boolean, tick: number): number {
  const compressed = Math.floor(tick / tickSpacing);
  const edge = zeroForOne ? (compressed >> 8) * 256 : ((compressed + 1) >> 8) * 256 + 255;
  const ahead = zeroForOne
    ? (ticks.findLast(({ index }) => index <= tick)?.index ?? -887_272)
    : (ticks.find(({ index }) => index > tick)?.index ?? 887_272);
  if (rule === 'algebra-integral') return ahead;
  return zeroForOne ? Math.max(ahead, edge * tickSpacing, -887_272) : Math.min(ahead, edge * tickSpacing, 887_272);
}

describe('concentrated pools', () => {
  test('cached steps return the output of the published loop for every size', () => {
    fc.assert(
      fc.property(concentrated, fc.boolean(), fc.array(size, { minLength: 1, maxLength: 6 }), (state, down, sizes) => {
        for (const amountIn of sizes) {
          const found = swap(state, down, amountIn);
          const expected = publishedLoop(state, down, amountIn);
          expect(found?.amountOut).toBe(expected?.out);
          if (!found || !expected) continue;
          const { sqrtPriceX96, tick, liquidity } = found.state as ConcentratedState;
          expect({ sqrtPriceX96, tick, liquidity }).toEqual({
            sqrtPriceX96: expected.price,
            tick: expected.tick,
            liquidity: expected.liquidity,
          });
        }
      }),
      { numRuns: 400 },
    );
  });

  test('a swap beyond the known ticks returns undefined, any other the output of the whole pool', () => {
    fc.assert(
      fc.property(
        concentrated,
        fc.boolean(),
        size,
        fc.nat(3_000),
        fc.nat(3_000),
        (state, down, amountIn, below, above) => {
          const [knownFrom, knownTo] = [state.tick - below, state.tick + above];
          const ticks = state.ticks.filter(({ index }) => index >= knownFrom && index <= knownTo);
          const part = swap({ ...state, ticks, knownFrom, knownTo }, down, amountIn);
          const all = swap(state, down, amountIn);
          if (part) expect(part.amountOut).toBe(all?.amountOut);
          else if (all) {
            const { sqrtPriceX96 } = all.state as ConcentratedState;
            expect(down ? sqrtPriceX96 < sqrtPriceAtTick(knownFrom) : sqrtPriceX96 > sqrtPriceAtTick(knownTo)).toBe(
              true,
            );
          }
        },
      ),
    );
  });

  test('no liquidity, a price outside the limits, a fee of 100 %, zero and negative sizes return undefined', () => {
    const ticks: Tick[] = [];
    const base: ConcentratedState = {
      kind: 'concentrated',
      rule: 'uniswap-v4',
      sqrtPriceX96: 1n << 96n,
      tick: 0,
      liquidity: 10n ** 18n,
      tickSpacing: 60,
      feePips: [3000, 1_000_000],
      ticks,
      knownFrom: -887_272,
      knownTo: 887_272,
    };
    expect(swap(base, true, 1000n)?.amountOut).toBe(996n);
    expect(swap(base, false, 1000n)).toBeUndefined();
    expect(swap(base, true, 0n)).toBeUndefined();
    expect(swap(base, true, -5n)).toBeUndefined();
    expect(swap({ ...base, liquidity: 0n }, true, 1000n)).toBeUndefined();
    expect(swap({ ...base, sqrtPriceX96: minSqrtPrice, tick: -887_272 }, true, 1000n)).toBeUndefined();
    expect(swap({ ...base, sqrtPriceX96: 0n }, true, 1000n)).toBeUndefined();
  });
});

const reserve = fc.bigInt({ min: 10n ** 6n, max: 10n ** 26n });
const fees = fc.tuple(fc.integer({ min: 0, max: 20_000 }), fc.integer({ min: 0, max: 20_000 }));
const pair = fc.record<PairState>({
  kind: fc.constant('pair'),
  rule: fc.constantFrom('uniswap-v2', 'camelot', 'solidly'),
  reserve0: reserve,
  reserve1: reserve,
  feePips: fees,
});
const stable = fc
  .record({
    rule: fc.constantFrom('solidly', 'camelot'),
    dollars: fc.integer({ min: 1_000, max: 10_000_000 }),
    ratio: fc.integer({ min: 20, max: 500 }),
    decimals: fc.tuple(fc.constantFrom(6, 18), fc.constantFrom(6, 18)),
    feePips: fees,
  })
  .map(({ rule, dollars, ratio, decimals, feePips }): StableState => {
    const [unit0, unit1] = decimals.map((count) => 10n ** BigInt(count)) as [bigint, bigint];
    const [reserve0, reserve1] = [BigInt(dollars) * unit0, (BigInt(dollars) * unit1 * BigInt(ratio)) / 100n];
    return { kind: 'stable', rule: rule as StableState['rule'], reserve0, reserve1, unit0, unit1, feePips };
  });

describe('pairs', () => {
  test('a swap never lowers the product of the reserves and never pays zero', () => {
    fc.assert(
      fc.property(pair, fc.boolean(), size, (state, zeroForOne, amountIn) => {
        const result = swap(state, zeroForOne, amountIn);
        if (!result) return;
        const after = result.state as PairState;
        expect(after.reserve0 * after.reserve1 >= state.reserve0 * state.reserve1).toBe(true);
        expect(result.amountOut).toBeGreaterThan(0n);
      }),
    );
  });

  test('a swap that raises a reserve beyond 112 bits returns undefined, except in Solidly pairs', () => {
    const state: PairState = {
      kind: 'pair',
      rule: 'uniswap-v2',
      reserve0: 1n << 111n,
      reserve1: 1n << 90n,
      feePips: [0, 0],
    };
    expect(swap(state, true, (1n << 111n) - 1n)).toBeDefined();
    expect(swap(state, true, 1n << 111n)).toBeUndefined();
    expect(swap({ ...state, rule: 'solidly' }, true, 1n << 111n)).toBeDefined();
  });

  test('a stable pair pays at most the mid price, and a lower price for a larger amount', () => {
    fc.assert(
      fc.property(stable, fc.boolean(), fc.integer({ min: 1, max: 100_000 }), (state, zeroForOne, share) => {
        const reserveIn = zeroForOne ? state.reserve0 : state.reserve1;
        const amountIn = (reserveIn * BigInt(share)) / 100_000n;
        const [one, twice] = [swap(state, zeroForOne, amountIn), swap(state, zeroForOne, amountIn * 2n)];
        if (!one) return;
        const mid = midOf(state, zeroForOne)?.mid ?? 0;
        expect(Number(one.amountOut)).toBeLessThanOrEqual(Number(amountIn) * mid * (1 + 1e-9) + 2);
        if (twice) expect(twice.amountOut <= one.amountOut * 2n + 2n).toBe(true);
      }),
    );
  });
});

describe('prices', () => {
  test('the depth is the output until the price of the next unit has fallen by 1 %', () => {
    fc.assert(
      fc.property(fc.oneof(pair, stable, weighted), fc.boolean(), (state, zeroForOne) => {
        const curve = modelOf(state).curve(state, zeroForOne);
        if (!curve) return;
        let [low, high] = [0, 2 ** 112];
        for (let step = 0; step < 200; step++) {
          const middle = (low + high) / 2;
          if (curve.slope(middle) >= curve.slope(0) * 0.99) low = middle;
          else high = middle;
        }
        const paid = swap(state, zeroForOne, BigInt(Math.floor(low)))?.amountOut;
        const depth = depthWithinOnePercent(state, zeroForOne);
        if (paid === undefined || depth < 10n ** 6n) return;
        expect(Math.abs(Number(paid) / Number(depth) - 1)).toBeLessThan(0.01);
      }),
    );
  });
});
