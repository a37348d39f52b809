import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createBlockPace } from '../../engine/chain/blockPace.ts';
import { findHolderContradiction } from '../../engine/pretrade/axes/concentration.ts';
import { predictHead } from '../../engine/pretrade/reads/simulationBase.ts';
import { disagreementBps } from '../../engine/quote/answer/confidence.ts';
import { deployments } from '../../engine/venues/deployments/deployments.ts';
import { bandMidOf, toCandidatePools } from '../../engine/venues/families.ts';
import { address, uint256 } from './arbitraries.ts';
import { beginFuzz } from './beginFuzz.ts';

beginFuzz(1_000);

const candidatePools = Object.values(deployments).flatMap(({ venues }) => toCandidatePools(venues));
const reserve = fc.oneof(uint256, fc.bigInt({ min: 0n, max: 9n }), fc.bigInt({ min: 0n, max: 2n ** 112n - 1n }));

test('behavior: returns a positive mid price with a depth, or none, for any reserves and decimals', () => {
  const reading = fc.record({ price: reserve, reserveOut: reserve, bandOut: reserve });
  const direction = fc.record({ zeroForOne: fc.boolean(), decimalsIn: fc.nat(255), decimalsOut: fc.nat(255) });
  fc.assert(
    fc.property(fc.constantFrom(...candidatePools), reading, direction, (candidatePool, band, side) => {
      const found = bandMidOf(candidatePool, band, side);
      if (!found) return;
      expect(Number.isFinite(found.mid) && found.mid > 0).toBe(true);
      expect(Number.isFinite(found.depth) && found.depth >= 0).toBe(true);
    }),
  );
});

test('behavior: rounds the gap to the second route up and keeps it in range', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 2n ** 256n }), fc.bigInt({ min: 0n, max: 10_000n }), (best, part) => {
      const next = (best * part) / 10_000n;
      const bps = disagreementBps(best, next);
      expect(bps >= 0 && bps <= 10_000).toBe(true);
      expect(BigInt(bps) * best >= (best - next) * 10_000n).toBe(true);
    }),
  );
});

test('behavior: predicts a head after the observed one for any clock', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), fc.maxSafeNat(), (seenAt, now) => {
      const seen = { number: 100n, timestamp: 200n, baseFee: 1n, coinbase: undefined, prevRandao: undefined, seenAt };
      const predicted = predictHead(seen, now, createBlockPace());
      expect(predicted.number > seen.number && predicted.timestamp > seen.timestamp).toBe(true);
    }),
  );
});

test('behavior: returns a sentence or undefined when comparing any holder list with balances', () => {
  const holder = fc.record({ address, balance: uint256, listed: fc.boolean() });
  const list = fc.record({
    holders: fc.array(fc.record({ address, rawBalanceHint: fc.option(uint256) }), { maxLength: 5 }),
    exactCount: fc.option(fc.nat()),
    approximateCount: fc.option(fc.nat()),
  });
  fc.assert(
    fc.property(list, fc.array(holder, { maxLength: 6 }), uint256, (listed, balances, supply) => {
      const text = findHolderContradiction(listed as never, balances as never, supply);
      expect(text === undefined || (text.length > 10 && !text.includes('NaN'))).toBe(true);
    }),
  );
});
