import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { StableState } from './stable.ts';
import { swapStable } from './stable.ts';

const unit = 10n ** 18n;
const balanced: StableState = {
  kind: 'stable',
  rule: 'camelot',
  reserve0: 1_000_000n * unit,
  reserve1: 1_000_000n * 10n ** 6n,
  unit0: unit,
  unit1: 10n ** 6n,
  feePips: [400, 400],
};
const solidly = (state: StableState): StableState => ({ ...state, rule: 'solidly' });

// No package publishes Camelot's pair. Solidly's is tested against executions (executedSwaps.json) and has the same curve.
test('a Camelot pair pays what a Solidly pair pays, within two units for tokens of 6 or 18 decimals', () => {
  const decimals = fc.constantFrom(6n, 18n);
  const cases = fc.record({
    whole0: fc.bigInt({ min: 1_000n, max: 10_000_000n }),
    ratio: fc.bigInt({ min: 20n, max: 500n }),
    decimals: fc.tuple(decimals, decimals),
    share: fc.bigInt({ min: 1n, max: 1_500_000n }),
    zeroForOne: fc.boolean(),
  });
  let both = 0;
  fc.assert(
    fc.property(cases, ({ whole0, ratio, decimals: [decimals0, decimals1], share, zeroForOne }) => {
      const [unit0, unit1] = [10n ** decimals0, 10n ** decimals1];
      const [reserve0, reserve1] = [whole0 * unit0, (whole0 * unit1 * ratio) / 100n];
      const state: StableState = { ...balanced, reserve0, reserve1, unit0, unit1 };
      const amountIn = ((zeroForOne ? reserve0 : reserve1) * share) / 1_000_000n;
      const [one, other] = [state, solidly(state)].map((each) => swapStable(each, zeroForOne, amountIn)?.amountOut);
      if (one === undefined || other === undefined) return;
      both += 1;
      expect(one - other).toBeLessThanOrEqual(2n);
      expect(other - one).toBeLessThanOrEqual(2n);
    }),
    { numRuns: 300 },
  );
  expect(both).toBeGreaterThan(200);
});

describe('the fee that leaves the pair', () => {
  const amountIn = 10_000n * unit;
  const fee = (amountIn * 400n) / 1_000_000n;
  const kept = (state: StableState) => {
    const after = swapStable(state, true, amountIn)?.state as StableState;
    return after.reserve0 - balanced.reserve0;
  };

  test.each([
    ['Solidly: all of it', solidly(balanced), amountIn - fee],
    [
      'Solidly: all of it, even with a share of the owner',
      { ...solidly(balanced), ownerFeeShare: 40_000 },
      amountIn - fee,
    ],
    ['Camelot: all of it if the share is unread', balanced, amountIn - fee],
    ['Camelot: the share of the owner', { ...balanced, ownerFeeShare: 40_000 }, amountIn - (fee * 2n) / 5n],
    ['Camelot: none without a share', { ...balanced, ownerFeeShare: 0 }, amountIn],
  ])('%s', (_, state, expected) => {
    expect(kept(state)).toBe(expected);
  });
});

test.each([
  [0n, true],
  [1n, false],
])('a Camelot pair refuses a reserve above 2^112 - 1, a Solidly pair accepts it (%s more)', (more, isAccepted) => {
  const amountIn = 10n ** 24n;
  const reserve0 = (1n << 112n) - 1n - amountIn + more;
  const large = { ...balanced, reserve0, reserve1: reserve0, unit0: 10n ** 30n, unit1: 10n ** 30n };
  const free: StableState = { ...large, feePips: [0, 0] };
  expect(swapStable(free, true, amountIn) !== undefined).toBe(isAccepted);
  expect(swapStable(solidly(free), true, amountIn)).toBeDefined();
});

test.each(['camelot', 'solidly'] as const)('%s: a swap that pays less than one unit is refused', (rule) => {
  expect(swapStable({ ...balanced, rule }, true, 10n ** 11n)).toBeUndefined();
  expect(swapStable({ ...balanced, rule }, true, 10n ** 13n)?.amountOut).toBeGreaterThan(0n);
});

test.each(['camelot', 'solidly'] as const)('%s: amounts beyond 256 bits are refused', (rule) => {
  expect(swapStable({ ...balanced, rule }, true, 1n << 200n)).toBeUndefined();
  const beyond = { ...balanced, rule, reserve0: 1n << 200n, reserve1: 1n << 200n } as StableState;
  expect(swapStable(beyond, true, unit)).toBeUndefined();
});

test('rethrows an error that the curve does not raise', () => {
  expect(() => swapStable({ ...balanced, unit0: 0n }, true, unit)).toThrow(RangeError);
});
