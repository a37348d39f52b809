import { describe, expect, test } from 'vitest';
import { type Sample, toSampledCurve } from './sampledCurve.ts';

const sizes = [1 / 16, 1 / 4, 1 / 2, 1].map((part) => part * 1e24);
const samplesOf = (pay: (amountIn: number) => number, amounts = sizes): Sample[] =>
  amounts.map((amountIn) => ({ amountIn, amountOut: pay(amountIn) }));

/** A pair with reserves of 5e24 and 1e13, and a fee of 0.3 %. */
const pair = (amountIn: number) => (1e13 * amountIn * 0.997) / (5e24 + amountIn * 0.997);
/** From the amount `end` on, at the same price, a third of the liquidity. */
const end = 3e23;
const [restIn, restOut] = [(5e24 + end * 0.997) / 3, (1e13 - pair(end)) / 3];
const ranges = (amountIn: number) => {
  const rest = Math.max(0, amountIn - end) * 0.997;
  return pair(Math.min(amountIn, end)) + (restOut * rest) / (restIn + rest);
};

describe.each([
  ['a pair', pair, 5e-4],
  ['two ranges of liquidity', ranges, 1e-2],
])('samples of %s', (_, pay, tolerance) => {
  const curve = toSampledCurve(samplesOf(pay));
  const amounts = Array.from({ length: 400 }, (_, at) => ((at + 1) / 400) * 1e24);

  test('the curve passes through the samples, and is close to the pool between them', () => {
    for (const amountIn of sizes) expect((curve?.pay(amountIn) ?? 0) / pay(amountIn)).toBeCloseTo(1, 9);
    for (const amountIn of amounts) {
      expect(Math.abs((curve?.pay(amountIn) ?? 0) / pay(amountIn) - 1)).toBeLessThan(tolerance);
    }
  });

  test('the curve is monotone and concave, and its slope is that of the next unit', () => {
    let before = Number.POSITIVE_INFINITY;
    for (const amountIn of [0, ...amounts.slice(0, -1)]) {
      const slope = curve?.slope(amountIn) ?? 0;
      expect(slope).toBeGreaterThan(0);
      expect(slope).toBeLessThanOrEqual(before * (1 + 1e-9));
      expect(curve?.pay(amountIn + 1e18)).toBeCloseTo((curve?.pay(amountIn) ?? 0) + slope * 1e18, -2);
      before = slope;
    }
  });

  test('a larger amount than the last sample pays no more', () => {
    for (const amountIn of [1.01e24, 1e30]) {
      expect(curve?.pay(amountIn)).toBe(curve?.pay(1e24));
      expect(curve?.reach(amountIn)).toBe(curve?.pay(1e24));
      expect(curve?.slope(amountIn)).toBe(0);
    }
    expect(curve?.slope(1e24)).toBe(0);
    expect(curve?.crossed(5e23)).toBe(0);
  });
});

test('the order of the samples does not matter, and of equal amounts the higher output counts', () => {
  const samples = samplesOf(pair);
  const expected = toSampledCurve(samples);
  const other = toSampledCurve([{ amountIn: 1e24 / 4, amountOut: 1 }, ...samples.toReversed()]);
  for (const amountIn of [1e20, 1e23, 3e23, 9e23]) expect(other?.pay(amountIn)).toBe(expected?.pay(amountIn));
});

test('one sample gives one price up to its amount', () => {
  const curve = toSampledCurve([{ amountIn: 1000, amountOut: 2000 }]);
  expect([curve?.pay(500), curve?.pay(1000), curve?.pay(2000)]).toEqual([1000, 2000, 2000]);
});

test('an amount of 0 pays 0', () => {
  expect(toSampledCurve(samplesOf(pair))?.pay(0)).toBe(0);
});

describe('there is no curve', () => {
  test.each<[string, Sample[]]>([
    ['without samples', []],
    ['if the pool pays nothing', samplesOf(() => 0)],
    ['if a larger amount pays less', samplesOf((amountIn) => (amountIn === 1e24 ? pair(5e23) * 0.99 : pair(amountIn)))],
    ['if one size pays much more than its neighbours', samplesOf((each) => (each === 2.5e23 ? 3 : 1) * pair(each))],
    [
      'if one size pays less than the line between its neighbours',
      samplesOf((each) => (each === 2.5e23 ? 0.9 : 1) * pair(each)),
    ],
    ['if the price rises with the amount', samplesOf((amountIn) => amountIn ** 1.1)],
  ])('%s', (_, samples) => {
    expect(toSampledCurve(samples)).toBeUndefined();
  });
});

test('outputs of a few units may be rounded', () => {
  expect(toSampledCurve(samplesOf((amountIn) => Math.floor(pair(amountIn) / 1e10)))).toBeDefined();
});
