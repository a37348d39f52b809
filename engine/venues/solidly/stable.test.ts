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

test('a sale of token1 raises its reserve by the input less the fee, and lowers the other by the output', () => {
  const amountIn = 10_000n * 10n ** 6n;
  const result = swapStable(solidly(balanced), false, amountIn);
  expect(result?.state).toMatchObject({
    reserve0: balanced.reserve0 - (result?.amountOut ?? 0n),
    reserve1: balanced.reserve1 + amountIn - (amountIn * 400n) / 1_000_000n,
  });
});

/** xy · (x² + y²) for tokens of 18 decimals, as Solidly's pairs round it. */
const invariant = (x: bigint, y: bigint) => (((x * y) / unit) * ((x * x) / unit + (y * y) / unit)) / unit;

function poolOf18Decimals(rule: StableState['rule'], reserve0: bigint, reserve1: bigint): StableState {
  return { ...balanced, rule, reserve0, reserve1, unit1: unit, feePips: [0, 0] };
}

/** What a pair pays if it keeps the smallest reserve that does not lower the invariant; found by bisection. */
function most(reserve0: bigint, reserve1: bigint, amountIn: bigint): bigint {
  const k = invariant(reserve0, reserve1);
  let [low, high] = [0n, reserve1];
  while (low < high) {
    const middle = (low + high) / 2n;
    if (invariant(reserve0 + amountIn, middle) >= k) high = middle;
    else low = middle + 1n;
  }
  return reserve1 - low;
}

describe('pools of about one token, where the rounding of the iteration matters', () => {
  test('a Solidly pair keeps the smallest reserve that does not lower the invariant', () => {
    const reserve = fc.bigInt({ min: 5n * 10n ** 17n, max: 10n ** 20n });
    const cases = fc.record({ reserve0: reserve, reserve1: reserve, share: fc.bigInt({ min: 1n, max: 10n ** 6n }) });
    let paid = 0;
    fc.assert(
      fc.property(cases, ({ reserve0, reserve1, share }) => {
        const amountIn = (reserve0 * share) / 10n ** 6n;
        const amountOut = swapStable(poolOf18Decimals('solidly', reserve0, reserve1), true, amountIn)?.amountOut;
        // An iteration that does not converge reverts.
        if (amountOut === undefined) return;
        paid += 1;
        const [x, left] = [reserve0 + amountIn, reserve1 - amountOut];
        const k = invariant(reserve0, reserve1);
        expect(invariant(x, left)).toBeGreaterThanOrEqual(k);
        // Some reserves in a row can round to the same invariant: then the pair may keep any of them.
        if (invariant(x, left) !== k) expect(amountOut).toBe(most(reserve0, reserve1, amountIn));
      }),
      { numRuns: 1000, seed: 1 },
    );
    expect(paid).toBeGreaterThan(950);
  });

  test.each([
    { path: 'a step past the curve', pool: [685643139230580736n, 570581700689993024n], amountIn: 43881160910757n },
    { path: 'one unit up', pool: [5996327961420484608n, 2144338214558430464n], amountIn: 56155611358702838n },
    { path: 'two units up', pool: [436018672566160640n, 532696097938984064n], amountIn: 595941165271304473n },
    { path: 'one unit down', pool: [363069635519171200n, 8275936717549848576n], amountIn: 2904557084153n },
  ] as const)('a Solidly pair keeps that reserve after $path', ({ pool: [reserve0, reserve1], amountIn }) => {
    const { amountOut } = swapStable(poolOf18Decimals('solidly', reserve0, reserve1), true, amountIn) ?? {};
    expect(amountOut).toBe(most(reserve0, reserve1, amountIn));
  });

  test.each([
    { path: 'a step past the curve', pool: [665718782329873152n, 778469141132000256n], amountIn: 880891741435752422n },
    {
      path: '255 steps without convergence',
      pool: [614725894031460224n, 351663170467029632n],
      amountIn: 5532533046283n,
    },
  ] as const)('a Camelot pair keeps that reserve after $path', ({ pool: [reserve0, reserve1], amountIn }) => {
    const { amountOut } = swapStable(poolOf18Decimals('camelot', reserve0, reserve1), true, amountIn) ?? {};
    expect(amountOut).toBe(most(reserve0, reserve1, amountIn));
  });

  test('a Solidly pair whose iteration does not converge reverts', () => {
    const pool = poolOf18Decimals('solidly', 468955797227455488n, 741363131480280192n);
    expect(swapStable(pool, true, 868975092262475n)).toBeUndefined();
  });

  test('a Camelot pair reverts if its iteration ends below the curve; a Solidly pair ends on it', () => {
    const [reserve0, reserve1, amountIn] = [331098615175535263744n, 30809737088139030528n, 4987338440389087677n];
    expect(swapStable(poolOf18Decimals('camelot', reserve0, reserve1), true, amountIn)).toBeUndefined();
    const solid = swapStable(poolOf18Decimals('solidly', reserve0, reserve1), true, amountIn);
    expect(solid?.amountOut).toBe(most(reserve0, reserve1, amountIn));
  });

  test.each(['camelot', 'solidly'] as const)('%s: reserves whose slope rounds to 0 revert', (rule) => {
    expect(swapStable(poolOf18Decimals(rule, 10n ** 8n, 10n ** 8n), true, 10n ** 6n)).toBeUndefined();
  });
});
