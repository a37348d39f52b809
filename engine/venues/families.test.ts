import { getAddress } from 'viem';
import { expect, test } from 'vitest';
import type { CandidatePool } from './candidatePool.ts';
import { deployments } from './deployments/deployments.ts';
import { bandMidOf, families, familyNames, familyOfKind, toCandidatePools } from './families.ts';
import { kinds } from './kinds.ts';
import { stableMid } from './solidly/family.ts';
import { pairMid } from './uniswapV2/family.ts';
import { rangeMid } from './uniswapV3/family.ts';

test('each kind of candidate pool belongs to one family', () => {
  for (const kind of Object.values(kinds)) {
    expect(families[familyOfKind(kind)].kinds).toContain(kind);
    expect(familyNames.filter((name) => families[name].kinds.includes(kind))).toHaveLength(1);
  }
});

test('throws for a kind of no family', () => {
  expect(() => familyOfKind(99)).toThrow('No family has candidate pools of kind 99.');
});

const { venues } = deployments.base;

test('default: an extra shape has a candidate pool for the wrapped token and one for the native currency', () => {
  const hooks = '0x00000000000000000000000000000000000000C4';
  const added = toCandidatePools(venues, [{ fee: 500, tickSpacing: 10, hooks }]).filter(
    (candidatePool) => candidatePool.hooks === hooks.toLowerCase(),
  );
  expect(added.map(({ kind }) => kind)).toEqual([kinds.v4, kinds.v4Native]);
});

// Otherwise one pool counts as two independent routes.
test('behavior: adds a known shape or venue only once, in either letter case', () => {
  const usual = toCandidatePools(venues);
  expect(toCandidatePools(venues, [{ fee: 3000, tickSpacing: 60 }])).toEqual(usual);
  const checksummed = venues.map((row) =>
    row.family === 'algebra' ? { ...row, factory: getAddress(row.factory) } : row,
  );
  expect(toCandidatePools([...venues, ...checksummed])).toHaveLength(usual.length);
});

import fc from 'fast-check';

const reading = { bandOut: 0n };

test('default: the depth of x·y=k is the output until the price falls by 1 %', () => {
  const [x, y] = [1_000_000n, 4_000_000n];
  const mid = pairMid({ ...reading, price: x, reserveOut: y });
  expect(mid?.mid).toBe(4);
  const left = Number(y) - (mid?.depth ?? 0);
  const price = left / ((Number(x) * Number(y)) / left);
  expect(price / 4).toBeCloseTo(0.99, 12);
});

test('default: a square-root price is token1 per token0', () => {
  const price = 2n ** 96n * 2n;
  expect(rangeMid({ ...reading, price, reserveOut: 0n, bandOut: 7n }, to(true))?.mid).toBe(4);
  expect(rangeMid({ ...reading, price, reserveOut: 0n, bandOut: 7n }, to(false))?.mid).toBe(0.25);
});

test('behavior: an empty side or an empty band has no mid', () => {
  expect(pairMid({ ...reading, price: 0n, reserveOut: 1n })).toBeUndefined();
  expect(pairMid({ ...reading, price: 1n, reserveOut: 0n })).toBeUndefined();
  expect(rangeMid({ ...reading, price: 0n, reserveOut: 0n, bandOut: 1n }, to(true))).toBeUndefined();
  expect(stableMid({ ...reading, price: 0n, reserveOut: 1n }, to(true))).toBeUndefined();
  expect(rangeMid({ ...reading, price: 2n ** 96n, reserveOut: 0n }, to(true))).toBeUndefined();
  expect(stableMid({ ...reading, price: 1n, reserveOut: 0n }, to(true))).toBeUndefined();
});

test('behavior: the stable curve has mid 1 at equal reserves, and small swaps approach its mid', () => {
  expect(stable(1e6, 1e6)?.mid).toBeCloseTo(1, 12);
  fc.assert(
    fc.property(
      fc.double({ min: 1e5, max: 1e7, noNaN: true }),
      fc.double({ min: 0.5, max: 2, noNaN: true }),
      (x, r) => {
        const y = x * r;
        const dx = x * 1e-4;
        const price = (y - solveY(x + dx, x, y)) / dx;
        const mid = stable(x, y)?.mid ?? 0;
        return price <= mid * 1.000001 && price >= mid * 0.995;
      },
    ),
  );
});

test('the depth of a stable pool is the output until the price falls by 1 %, in base units', () => {
  const whole = 10 ** 6;
  const { mid = 0, depth = 0 } = stable(whole, 2 * whole) ?? {};
  const y = 2 * whole - depth / 10 ** 6;
  // The curve is symmetric, so the same bisection finds x.
  const x = solveY(y, 2 * whole, whole, 4 * whole);
  const price = (3 * x ** 2 * y + y ** 3) / (x ** 3 + 3 * x * y ** 2);
  expect(price / mid).toBeCloseTo(0.99, 6);
});

const to = (zeroForOne: boolean) => ({ zeroForOne, decimalsIn: 6, decimalsOut: 6 });
const stable = (x: number, y: number) =>
  stableMid({ ...reading, price: BigInt(Math.round(x * 1e6)), reserveOut: BigInt(Math.round(y * 1e6)) }, to(true));

/** y on the curve x³y + xy³ = k through (x0, y0), by bisection up to `highest`. */
function solveY(x: number, x0: number, y0: number, highest = y0): number {
  const k = x0 ** 3 * y0 + x0 * y0 ** 3;
  let [low, high] = [0, highest];
  for (let step = 0; step < 200; step++) {
    const y = (low + high) / 2;
    if (x ** 3 * y + x * y ** 3 < k) low = y;
    else high = y;
  }
  return low;
}

test('behavior: the mids of both directions are reciprocal', () => {
  const reserve = fc.bigInt(10n ** 6n, 10n ** 30n);
  fc.assert(
    fc.property(reserve, reserve, fc.bigInt(2n ** 40n, 2n ** 150n), (a, b, root) => {
      const [there, back] = [
        pairMid({ ...reading, price: a, reserveOut: b }),
        pairMid({ ...reading, price: b, reserveOut: a }),
      ];
      expect((there?.mid ?? 0) * (back?.mid ?? 0)).toBeCloseTo(1, 12);
      const pool = { ...reading, price: root, reserveOut: 0n, bandOut: 1n };
      expect((rangeMid(pool, to(true))?.mid ?? 0) * (rangeMid(pool, to(false))?.mid ?? 0)).toBeCloseTo(1, 12);
    }),
  );
});

test('behavior: the mid of a stable pool in whole tokens does not depend on decimals', () => {
  const whole = fc.bigInt(1_000n, 10n ** 9n);
  const decimals = fc.integer({ min: 6, max: 24 });
  fc.assert(
    fc.property(whole, whole, decimals, decimals, (x, y, decimalsIn, decimalsOut) => {
      const at = (inDecimals: number, outDecimals: number) => {
        const reserves = { price: x * 10n ** BigInt(inDecimals), reserveOut: y * 10n ** BigInt(outDecimals) };
        const direction = { zeroForOne: true, decimalsIn: inDecimals, decimalsOut: outDecimals };
        return (stableMid({ ...reading, ...reserves }, direction)?.mid ?? 0) * 10 ** (inDecimals - outDecimals);
      };
      expect(at(decimalsIn, decimalsOut) / at(6, 6)).toBeCloseTo(1, 10);
    }),
  );
});

const direction = { zeroForOne: true, decimalsIn: 6, decimalsOut: 6 };
const even = { price: 1_000_000n, reserveOut: 4_000_000n, bandOut: 7n };

test.each([
  [{ family: 'uniswap-v2', kind: kinds.v2 }, 4],
  [{ family: 'solidly', kind: kinds.solidly, fee: 0 }, 4],
  [{ family: 'solidly', kind: kinds.solidly, fee: 1 }, (3 * 4 + 4 ** 3) / (1 + 3 * 4 ** 2)],
  [{ family: 'solidly', kind: kinds.selfPricedPair, fee: 0 }, undefined],
])('reads the reserves of %j as its curve', (candidatePool, mid) => {
  const found = bandMidOf(candidatePool as CandidatePool, even, direction)?.mid;
  if (mid === undefined) expect(found).toBeUndefined();
  else expect(found).toBeCloseTo(mid, 12);
});

test.each(['uniswap-v3', 'uniswap-v4', 'algebra'])('reads the square-root price of %s', (family) => {
  expect(bandMidOf({ family } as CandidatePool, { ...even, price: 2n ** 97n }, direction)?.mid).toBe(4);
});

test.each([
  ['an infinite mid', 2n ** 96n, 10n ** 400n],
  ['a mid of zero', 10n ** 400n, 1n],
  ['an empty pool', 0n, 1n],
])('has no mid for %s', (_, price, reserveOut) => {
  expect(
    bandMidOf({ family: 'uniswap-v2' } as CandidatePool, { ...even, price, reserveOut }, direction),
  ).toBeUndefined();
});

test('has no mid if the decimals exceed the range of a double', () => {
  const stable = { family: 'solidly', kind: kinds.solidly, fee: 1 } as CandidatePool;
  expect(bandMidOf(stable, even, { ...direction, decimalsOut: 400 })).toBeUndefined();
});
