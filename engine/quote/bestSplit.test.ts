import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bestSplit } from './bestSplit.ts';

test('default: two equal pools with falling returns share evenly', () => {
  const pool = [30n, 55n, 75n, 90n];
  expect(bestSplit([pool, pool])).toEqual({ quarters: [2, 2], received: 110n });
});

test('behavior: a way that cannot take a part gets none of it', () => {
  expect(
    bestSplit([
      [30n, 55n, 75n, 90n],
      [0n, 0n, 0n, 0n],
    ]),
  ).toEqual({ quarters: [4, 0], received: 90n });
});

test('behavior: nothing that can take the whole pays nothing', () => {
  expect(bestSplit([[10n, 0n, 0n, 0n]])).toEqual({ quarters: [0], received: 0n });
});

test('behavior: never less than the best single way, and the quarters sum to four', () => {
  const way = fc.tuple(fc.bigInt(1n, 99n), fc.bigInt(1n, 99n), fc.bigInt(1n, 99n), fc.bigInt(1n, 99n));
  fc.assert(
    fc.property(fc.array(way, { minLength: 1, maxLength: 3 }), (ways) => {
      const { quarters, received } = bestSplit(ways);
      const sum = quarters.reduce((total, share) => total + share, 0);
      return sum === 4 && ways.every((each) => received >= each[3]);
    }),
  );
});

test('behavior: what every way of dealing out four quarters shows as the most', () => {
  const way = fc.tuple(fc.nat(99), fc.nat(99), fc.nat(99), fc.nat(99)).map((paid) => paid.map(BigInt));
  fc.assert(
    fc.property(way, way, way, (...ways) => {
      let most = 0n;
      for (let deal = 0; deal < 3 ** 4; deal++) {
        const takers = [1, 3, 9, 27].map((place) => Math.floor(deal / place) % 3);
        const paid = ways.flatMap((way, index) => way[takers.filter((taker) => taker === index).length - 1] ?? []);
        if (paid.includes(0n)) continue;
        const sum = paid.reduce((total, each) => total + each, 0n);
        if (sum > most) most = sum;
      }
      expect(bestSplit(ways).received).toBe(most);
    }),
  );
});
