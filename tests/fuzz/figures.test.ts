import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contradictHolders } from '../../engine/pretrade/axes/contradictHolders.ts';
import { guessHead } from '../../engine/pretrade/guessHead.ts';
import { bestSplit } from '../../engine/quote/bestSplit.ts';
import { disagreementBps } from '../../engine/quote/confidence.ts';
import { deployments } from '../../engine/venues/deployments/deployments.ts';
import { midOf } from '../../engine/venues/midOf.ts';
import { toSlots } from '../../engine/venues/toSlots.ts';
import { address, uint256 } from './arbitraries.ts';
import { beginFuzz } from './beginFuzz.ts';

beginFuzz(1_000);

const slots = Object.values(deployments).flatMap(({ venues }) => toSlots(venues));
const reserve = fc.oneof(uint256, fc.bigInt({ min: 0n, max: 9n }), fc.bigInt({ min: 0n, max: 2n ** 112n - 1n }));

test('behavior: a mid is a positive number with a depth, or there is none, whatever reserves and decimals say', () => {
  const reading = fc.record({ price: reserve, reserveOut: reserve, bandIn: reserve, bandOut: reserve });
  const direction = fc.record({ zeroForOne: fc.boolean(), decimalsIn: fc.nat(255), decimalsOut: fc.nat(255) });
  fc.assert(
    fc.property(fc.constantFrom(...slots), reading, direction, (slot, band, way) => {
      const found = midOf(slot, band, way);
      if (!found) return;
      expect(Number.isFinite(found.mid) && found.mid > 0).toBe(true);
      expect(Number.isFinite(found.depth) && found.depth >= 0).toBe(true);
    }),
  );
});

test('behavior: no other share-out of four quarters pays more than the best one', () => {
  const paid = fc.array(fc.array(fc.bigInt({ min: 0n, max: 50n }), { minLength: 4, maxLength: 4 }), { maxLength: 4 });
  fc.assert(
    fc.property(paid, fc.infiniteStream(fc.nat()), (ways, dice) => {
      const best = bestSplit(ways);
      const worth = (quarters: readonly number[]) =>
        quarters.reduce(
          (sum, taken, way) => {
            const own = taken === 0 ? 0n : (ways[way]?.[taken - 1] ?? 0n);
            return taken > 0 && own === 0n ? undefined : sum === undefined ? undefined : sum + own;
          },
          0n as bigint | undefined,
        );
      if (best.received > 0n) {
        expect(best.quarters.reduce((sum, taken) => sum + taken, 0)).toBe(4);
        expect(worth(best.quarters)).toBe(best.received);
      }
      if (ways.length === 0) return;
      const other = ways.map(() => 0);
      for (let quarter = 0; quarter < 4; quarter += 1) {
        const way = (dice.next().value as number) % ways.length;
        other[way] = (other[way] ?? 0) + 1;
      }
      expect(best.received >= (worth(other) ?? 0n)).toBe(true);
    }),
  );
});

test('behavior: how far the second is behind is rounded up, and within what there is', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 2n ** 256n }), fc.bigInt({ min: 0n, max: 10_000n }), (best, part) => {
      const next = (best * part) / 10_000n;
      const bps = disagreementBps(best, next);
      expect(bps >= 0 && bps <= 10_000).toBe(true);
      expect(BigInt(bps) * best >= (best - next) * 10_000n).toBe(true);
    }),
  );
});

test('behavior: a guessed head is never before the one that was seen, whatever the clocks say', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), fc.maxSafeNat(), (seenAt, now) => {
      const seen = { number: 100n, timestamp: 200n, baseFee: 1n, maker: undefined, random: undefined, seenAt };
      const guessed = guessHead(seen, now);
      expect(guessed.number > seen.number && guessed.timestamp > seen.timestamp).toBe(true);
    }),
  );
});

test('behavior: any list of holders is contradicted in words, or is not', () => {
  const holder = fc.record({ address, balance: uint256, named: fc.boolean() });
  const list = fc.record({
    holders: fc.array(fc.record({ address, rawBalanceHint: fc.option(uint256) }), { maxLength: 5 }),
    exactCount: fc.option(fc.nat()),
    approximateCount: fc.option(fc.nat()),
  });
  fc.assert(
    fc.property(list, fc.array(holder, { maxLength: 6 }), uint256, (told, balances, supply) => {
      const why = contradictHolders(told as never, balances, supply);
      expect(why === undefined || (why.length > 10 && !why.includes('NaN'))).toBe(true);
    }),
  );
});
