import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { maxSqrtPrice, maxTick, minSqrtPrice, minTick, sqrtPriceAtTick, tickAtSqrtPrice } from './tickMaths.ts';

describe('sqrtPriceAtTick', () => {
  // The values that Uniswap publishes with the tests of TickMath.
  test.each<[tick: number, price: bigint]>([
    [minTick, minSqrtPrice],
    [-738_203, 7_409_801_140_451n],
    [-50_000, 6_504_256_538_020_985_011_912_221_507n],
    [-4000, 64_867_181_785_621_769_311_890_333_195n],
    [-50, 79_030_349_367_926_598_376_800_521_322n],
    [0, 1n << 96n],
    [50, 79_426_470_787_362_580_746_886_972_461n],
    [4000, 96_768_528_593_268_422_080_558_758_223n],
    [50_000, 965_075_977_353_221_155_028_623_082_916n],
    [738_203, 847_134_979_253_254_120_489_401_328_389_043_031_315_994_541n],
    [maxTick, maxSqrtPrice],
  ])('returns the published price of tick %i, and the same again', (tick, price) => {
    expect(sqrtPriceAtTick(tick)).toBe(price);
    expect(sqrtPriceAtTick(tick)).toBe(price);
  });

  test.each([-887_273, 887_273, 887_274])('throws for tick %i, which lies outside the range', (tick) => {
    expect(() => sqrtPriceAtTick(tick)).toThrow(`got ${tick}.`);
  });

  test('returns correct prices after more ticks than it remembers', () => {
    for (let tick = 0; tick < 70_000; tick++) sqrtPriceAtTick(tick);
    expect(sqrtPriceAtTick(50)).toBe(79_426_470_787_362_580_746_886_972_461n);
    expect(sqrtPriceAtTick(50_000)).toBe(965_075_977_353_221_155_028_623_082_916n);
  });
});

describe('tickAtSqrtPrice', () => {
  function expectTickAround(tick: number): void {
    const price = sqrtPriceAtTick(tick);
    expect([tickAtSqrtPrice(price - 1n), tickAtSqrtPrice(price), tickAtSqrtPrice(price + 1n)]).toEqual([
      tick - 1,
      tick,
      tick,
    ]);
  }

  test('returns the greatest tick whose price is not above the given one', () => {
    fc.assert(fc.property(fc.integer({ min: minTick + 1, max: maxTick - 1 }), expectTickAround), { numRuns: 2000 });
  });

  test('is exact where neighbouring prices differ by rounding alone, and at the ends of the range', () => {
    for (let tick = 1; tick < 1000; tick++) {
      expectTickAround(minTick + tick);
      expectTickAround(maxTick - tick);
    }
    expect(tickAtSqrtPrice(minSqrtPrice)).toBe(minTick);
    expect(tickAtSqrtPrice(minSqrtPrice + 1n)).toBe(minTick);
    expect(tickAtSqrtPrice(maxSqrtPrice - 1n)).toBe(maxTick - 1);
  });

  test('returns the lower tick for a price between two ticks', () => {
    for (const tick of [-500_000, -1, 0, 1, 500_000]) {
      const [price, next] = [sqrtPriceAtTick(tick), sqrtPriceAtTick(tick + 1)];
      for (const tenths of [1n, 3n, 5n, 7n, 9n]) {
        expect(tickAtSqrtPrice(price + ((next - price) * tenths) / 10n)).toBe(tick);
      }
    }
  });

  test.each([0n, minSqrtPrice - 1n, maxSqrtPrice, maxSqrtPrice + 1n])('throws for the price %s', (price) => {
    expect(() => tickAtSqrtPrice(price)).toThrow(RangeError);
  });
});
