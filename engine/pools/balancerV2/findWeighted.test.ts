import { concatHex, numberToHex } from 'viem';
import { expect, test } from 'vitest';
import type { LowerAddress } from '../../lowerAddress.ts';
import type { CandidatePool } from '../../venues/candidatePool.ts';
import { kinds, noHooks } from '../../venues/kinds.ts';
import { deepestBetween, deepestOf, pairsOf, tokensOf, toWeightedRefs, type WeightedPair } from './findWeighted.ts';
import type { WeightedPool } from './weightedPools.ts';

const addressOf = (number: number) => numberToHex(number, { size: 20 }) as LowerAddress;
const tokens = Array.from({ length: 8 }, (_, index) => addressOf(index + 1));
const [a, b, c] = tokens as [LowerAddress, LowerAddress, LowerAddress];
const percent = 10n ** 16n;
const candidatePool: CandidatePool = {
  ...({ family: 'balancer-v2', venue: 'balancer-v2', kind: kinds.weighted, factory: addressOf(99), fee: 0 } as const),
  ...{ tickSpacing: 0, hooks: noHooks },
};

/** A pool of the first tokens. Weights and fee are percentages. */
const poolOf = (
  pool: number,
  balances: readonly bigint[],
  weights: readonly bigint[] = balances.map(() => 100n / BigInt(balances.length)),
  feePercent = 0.25,
): WeightedPool => ({
  id: concatHex([addressOf(0x1000 + pool), numberToHex(pool, { size: 12 })]),
  candidatePool,
  swapFee: BigInt(feePercent * 1e16),
  tokens: balances.map((balance, at) => ({
    token: tokens[at] as LowerAddress,
    balance,
    weight: (weights[at] ?? 0n) * percent,
  })),
});
const twice = (...plan: [balances: readonly bigint[], weights?: readonly bigint[], feePercent?: number]) =>
  [1, 2].map((pool) => poolOf(pool, ...plan));
const numbersOf = (pairs: readonly WeightedPair[]) => pairs.map(({ id }) => Number(BigInt(id) & 0xffffn));
const all = new Set(tokens);

test('returns a pair for each two tokens of a pool, in ascending order', () => {
  const [pair, ...others] = pairsOf([poolOf(1, [10n, 20n, 30n])]);
  expect(others).toHaveLength(2);
  expect(pair?.held.map(({ token }) => token)).toEqual([a, b]);
  expect(tokensOf(pairsOf([poolOf(1, [10n, 20n, 30n])]))).toEqual([a, b, c]);
});

test('keeps at most two pairs of each token from a hundred pools of eight tokens', () => {
  const even = tokens.map(() => 1_000n);
  const pools = Array.from({ length: 100 }, (_, pool) =>
    poolOf(
      pool,
      even.map((own, at) => own + BigInt((pool * at) % 7)),
    ),
  );
  const kept = deepestBetween(all, pairsOf(pools));
  expect(kept.length).toBeLessThanOrEqual(2 * tokens.length);
  expect(new Set(tokensOf(kept))).toEqual(all);
  const two = new Set([a, b, addressOf(50)]);
  expect(tokensOf(deepestBetween(two, pairsOf(pools)))).toEqual([a, b]);
});

test('keeps a pair if it is one of the two deepest of either token', () => {
  // The depths of a's pairs: 500 with b, 400 with c, 300 with d.
  const pools = [1_000n, 800n, 600n].map((held, at) => {
    const {
      tokens: [own],
      ...pool
    } = poolOf(at, [held]);
    const half = { weight: 50n * percent };
    return {
      ...pool,
      tokens: [
        { ...own, ...half, token: a, balance: held },
        { ...half, token: tokens[at + 1] as LowerAddress, balance: held },
      ],
    };
  });
  // The pair with d is kept: it is d's deepest.
  expect(numbersOf(deepestBetween(all, pairsOf(pools)))).toEqual([0, 1, 2]);
  expect(numbersOf(deepestOf(a, pairsOf(pools), 2))).toEqual([0, 1]);
});

test.each([
  ['many small pools', Array.from({ length: 50 }, (_, pool) => poolOf(pool, [10n, 10n]))],
  ['pools with 99 % of their weight in the first token', twice([9_900n, 100n], [99n, 1n])],
  ['pools with 99 % of their weight in the second token', twice([100n, 9_900n], [1n, 99n])],
  ['pools that sell one token far below the market', twice([5_000n, 50n])],
  ['pools that hold ten times as much and charge 10 %', twice([10_000n, 10_000n], [50n, 50n], 10)],
  ['pools of three tokens that hold more in all', twice([900n, 900n, 900n], [33n, 33n, 34n])],
  ['empty pools', twice([0n, 0n])],
])('the deepest pool of a pair is not displaced by %s', (_, others) => {
  const honest = poolOf(1_000, [1_000n, 1_000n]);
  expect(numbersOf(deepestBetween(new Set([a, b]), pairsOf([...others, honest])))).toContain(1_000);
});

test('excludes empty pools', () => {
  expect(deepestBetween(all, pairsOf([poolOf(1, [0n, 0n])]))).toEqual([]);
});

test("sorts a token's pairs by depth, with high fees last", () => {
  const mostlyOwn = poolOf(1, [9_300n, ...Array.from({ length: 7 }, () => 100n)], [93n, 1n, 1n, 1n, 1n, 1n, 1n, 1n]);
  const honest = poolOf(2, [1_000n, 1_000n]);
  const costly = poolOf(3, [5_000n, 5_000n], [50n, 50n], 10);
  expect(numbersOf(deepestOf(a, pairsOf([mostlyOwn, costly, honest]), 3))).toEqual([2, 1, 1]);
  expect(numbersOf(deepestOf(a, pairsOf([mostlyOwn, costly, honest]), 24))).toHaveLength(9);
  // Among pools with high fees, the deeper one comes first.
  expect(numbersOf(deepestOf(a, pairsOf([poolOf(4, [10n, 10n], [50n, 50n], 5), costly]), 1))).toEqual([3]);
  expect(deepestOf(addressOf(50), pairsOf([honest]), 24)).toEqual([]);
});

test('converts a pair to a pool with weights and scales, unless a token has no usable decimals', () => {
  const pairs = pairsOf([poolOf(1, [10n, 20n, 30n], [20n, 30n, 50n])]);
  const decimals = new Map([
    [a, 18],
    [b, 6],
    [c, 19],
  ]);
  const refs = toWeightedRefs(pairs, decimals);
  const { id: poolId } = poolOf(1, []);
  const weighted = { poolId, weight0: 20n * percent, weight1: 30n * percent, scale0: 1n, scale1: 10n ** 12n };
  expect(refs).toEqual([{ candidatePool, id: concatHex([addressOf(0x1001), a, b]), token0: a, token1: b, weighted }]);
  decimals.delete(a);
  expect(toWeightedRefs(pairs, decimals)).toEqual([]);
});
