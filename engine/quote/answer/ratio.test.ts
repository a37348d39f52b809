import fc from 'fast-check';
import { expect, test } from 'vitest';
import { priceOf, ratio } from './ratio.ts';

test('default: returns the ratio of bigints as a double', () => {
  expect(ratio(1n, 4n)).toBe(0.25);
  expect(ratio(10n ** 60n, 3n * 10n ** 60n)).toBeCloseTo(1 / 3, 15);
  expect(priceOf(10n ** 18n, 2_994_011_228n, { in: 18, out: 6 })).toBe(2994.011228);
});

test('behavior: exact to 48 bits for any magnitudes, never NaN or infinite', () => {
  fc.assert(
    fc.property(fc.bigInt(1n, 2n ** 200n), fc.bigInt(1n, 2n ** 200n), (a, b) => {
      const value = ratio(a, b);
      // value · b = a to 52 bits
      const back = (BigInt(Math.round(value * 2 ** Math.max(0, 60 - Math.floor(Math.log2(value))))) * b) as bigint;
      const scaled = a << BigInt(Math.max(0, 60 - Math.floor(Math.log2(value))));
      const error = back > scaled ? back - scaled : scaled - back;
      return error <= scaled >> 48n;
    }),
  );
});

test('returns quotients near the smallest and the largest double', () => {
  expect(ratio(1n, 10n ** 300n) / 1e-300).toBeCloseTo(1, 12);
  expect(ratio(10n ** 300n, 1n) / 1e300).toBeCloseTo(1, 12);
});

test('a zero numerator gives 0', () => {
  expect(ratio(0n, 5n)).toBe(0);
});

test('error: RangeError without a denominator', () => {
  expect(() => ratio(1n, 0n)).toThrow(RangeError);
});

const units = fc.bigInt(1n, 2n ** 120n);
const decimals = fc.nat(30);

test('a token with more decimals gives the same price', () => {
  fc.assert(
    fc.property(units, units, decimals, decimals, decimals, (amountIn, amountOut, decimalsIn, decimalsOut, finer) => {
      const price = priceOf(amountIn, amountOut, { in: decimalsIn, out: decimalsOut });
      const scale = 10n ** BigInt(finer);
      expect(priceOf(amountIn * scale, amountOut, { in: decimalsIn + finer, out: decimalsOut })).toBe(price);
      expect(priceOf(amountIn, amountOut * scale, { in: decimalsIn, out: decimalsOut + finer })).toBe(price);
    }),
  );
});

test('the reverse price is the reciprocal, and a larger output never lowers the price', () => {
  fc.assert(
    fc.property(units, units, units, decimals, decimals, (amountIn, amountOut, extra, decimalsIn, decimalsOut) => {
      const price = priceOf(amountIn, amountOut, { in: decimalsIn, out: decimalsOut });
      const back = priceOf(amountOut, amountIn, { in: decimalsOut, out: decimalsIn });
      expect(Math.abs(price * back - 1)).toBeLessThan(1e-14);
      const better = priceOf(amountIn, amountOut + extra, { in: decimalsIn, out: decimalsOut });
      expect(better).toBeGreaterThanOrEqual(price);
    }),
  );
});
