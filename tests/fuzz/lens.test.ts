import fc from 'fast-check';
import type { Address, Hex } from 'viem';
import { expect, test } from 'vitest';
import { createWordReader, LensAnswerError } from '../../engine/chain/wordReader.ts';
import { toLowerAddress } from '../../engine/lowerAddress.ts';
import { sanitizeText } from '../../engine/pretrade/context/sentence.ts';
import { decodeExit } from '../../engine/pretrade/exit/decodeExit.ts';
import { decideVerdict } from '../../engine/pretrade/verdict.ts';
import { ratio } from '../../engine/quote/answer/ratio.ts';
import { decodeUnpaid } from '../../engine/quote/plan/executeUnpaid.ts';
import type { PlanLeg } from '../../engine/quote/search/planTypes.ts';
import type { CandidatePool } from '../../engine/venues/candidatePool.ts';
import { deployments } from '../../engine/venues/deployments/deployments.ts';
import { encodeChainConfig } from '../../engine/venues/encodeChainConfig.ts';
import { toCandidatePools } from '../../engine/venues/families.ts';
import type { PoolRef } from '../../engine/venues/poolTypes.ts';
import { address, hexOf, hostileText, uint256 } from './arbitraries.ts';
import { beginFuzz } from './beginFuzz.ts';

beginFuzz();

const word = (value: bigint) => value.toString(16).padStart(64, '0');
/** Mostly small numbers, which resemble counts, statuses and indexes. */
const wordValue = fc.oneof(
  { weight: 6, arbitrary: fc.bigInt({ min: 0n, max: 9n }) },
  { weight: 1, arbitrary: uint256 },
  { weight: 1, arbitrary: fc.constantFrom(2n ** 32n - 1n, 2n ** 32n, 2n ** 53n, 2n ** 256n - 1n) },
);

test('behavior: reads words in order, and throws LensAnswerError at the end of the data', () => {
  fc.assert(
    fc.property(fc.array(uint256, { maxLength: 20 }), fc.nat(63), (values, rest) => {
      const reader = createWordReader(`0x${values.map(word).join('')}${'f'.repeat(rest)}`);
      expect(values.map(() => reader.big())).toEqual(values);
      expect(() => reader.big()).toThrow(LensAnswerError);
    }),
  );
});

const candidatePools = toCandidatePools(deployments.base.venues);
const at = (number: number) => toLowerAddress(`0x${number.toString(16).padStart(40, '0')}`);

/** Output with a valid head and arbitrary words after it. */
const answer = (head: readonly bigint[]): fc.Arbitrary<Hex> =>
  fc.tuple(fc.array(wordValue, { minLength: 12, maxLength: 160 }), fc.nat(70)).map(
    ([values, cut]): Hex =>
      `0x${[...head, ...values]
        .map(word)
        .join('')
        .slice(0, -cut || undefined)}`,
  );

/** Returns the reading, or undefined for a LensAnswerError; rethrows anything else. */
function decoded<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch (error) {
    if (!(error instanceof LensAnswerError)) throw error;
    return undefined;
  }
}

/** Two routes without a payment: one leg executed twice, and two legs. */
const ref = (id: number, token0: number, token1: number): PoolRef => {
  const [candidatePool] = candidatePools;
  if (!candidatePool) throw new TypeError('Base has no candidate pool.');
  return { candidatePool, id: at(id), token0: at(token0), token1: at(token1) };
};
const leg = (pool: PoolRef) => ({ pool, tokenIn: pool.token0, tokenOut: pool.token1, shareBps: 10_000 });
const planOf = (legs: readonly PlanLeg[]) => ({ tokenIn: at(1), tokenOut: at(2), amountIn: 100n, legs });
const unpaid = [
  { plan: planOf([leg(ref(9, 1, 2))]), again: true },
  { plan: planOf([leg(ref(8, 1, 3)), leg(ref(7, 3, 2))]) },
];
const filled = (sold: bigint, received: bigint) => [4n, sold, received, received, 0n, received, received, 0n, 90_000n];
const unpaidWords = [
  [1n, 4n, 7n, 1_700_000_000n, 1n],
  ...[filled(100n, 99n), filled(200n, 196n), filled(100n, 98n), filled(100n, 97n)],
].flat();
const oddWords = fc.array(fc.tuple(fc.nat(unpaidWords.length - 1), wordValue), { maxLength: 3 });

test('error: accepts consistent output of the unpaid lens, and throws LensAnswerError for any other', () => {
  fc.assert(
    fc.property(oddWords, (odd) => {
      const words = [...unpaidWords];
      for (const [index, value] of odd) words[index] = value;
      const executions = decoded(() => decodeUnpaid(`0x${words.map(word).join('')}`, unpaid));
      if (odd.length === 0) expect(executions?.map(({ run }) => run.status)).toEqual(['filled', 'filled']);
      for (const { plan, run } of executions ?? []) {
        expect(run.legs.length).toBe(plan.legs.length);
        if (run.status === 'filled') expect([run.legs[0]?.amountIn, run.received > 0n]).toEqual([100n, true]);
      }
    }),
  );
});

test('error: decodes any output of the unpaid lens or throws LensAnswerError', () => {
  fc.assert(
    fc.property(
      fc.oneof(answer([1n, 4n]), answer([]), hexOf(640)),
      (words) => void decoded(() => decodeUnpaid(words, unpaid)),
    ),
  );
});

test('error: decodes any output of the exit lens or throws LensAnswerError', () => {
  fc.assert(fc.property(fc.oneof(answer([]), hexOf(6_400)), (words) => void decoded(() => decodeExit(words))));
});

test('behavior: encodes a chain configuration to whole bytes with the number of bases; distinct ones differ', () => {
  const { base } = deployments;
  const row = fc.record({
    kind: fc.nat(3),
    factory: address,
    fee: fc.nat(2 ** 24 - 1),
    tickSpacing: fc.integer({ min: -(2 ** 23), max: 2 ** 23 - 1 }),
    hooks: fc.constant('0x0000000000000000000000000000000000000000' as const),
  });
  const rows = fc.array(row, { maxLength: 80 });
  const encode = (tokens: readonly Address[], picked: readonly object[]) =>
    encodeChainConfig(
      { ...base, pricingAssets: tokens.map((at) => ({ ...base.pricingAssets[0], address: at })) } as typeof base,
      picked as CandidatePool[],
    );
  fc.assert(
    fc.property(fc.array(address, { maxLength: 12 }), rows, rows, (tokens, one, other) => {
      const encoded = encode(tokens, one);
      expect(encoded).toMatch(/^0x([0-9a-f]{2})+$/i);
      expect(Number.parseInt(encoded.slice(84, 86), 16)).toBe(tokens.length);
      const same = JSON.stringify(one).toLowerCase() === JSON.stringify(other).toLowerCase();
      // v2 pools have no fee field, so rows that differ in the fee only may encode equally.
      if (!same && one.length !== other.length) expect(encode(tokens, other)).not.toBe(encoded);
    }),
  );
});

test('behavior: returns a ratio within one double step of the exact one, and 0 only for 0', () => {
  const positive = uint256.map((value) => value || 1n);
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 200n }), positive, (numerator, denominator) => {
      const actual = ratio(numerator, denominator);
      expect(Number.isFinite(actual)).toBe(true);
      expect(actual >= 0).toBe(true);
      expect(actual === 0).toBe(numerator === 0n);
      // Compare as fractions: actual = m / 2^e exactly.
      const [scaled, bits] = exactly(actual);
      const difference = numerator * 2n ** bits - scaled * denominator;
      const slack = (numerator * 2n ** bits) / 2n ** 52n;
      expect(difference <= slack && -difference <= slack).toBe(true);
    }),
  );
});

/** A double as integer / 2^bits. */
function exactly(value: number): [bigint, bigint] {
  let bits = 0n;
  let scaled = value;
  while (!Number.isInteger(scaled)) {
    scaled *= 2;
    bits += 1n;
  }
  return [BigInt(scaled), bits];
}

test('behavior: returns avoid exactly when a trigger is proven, and never from inconclusive facts', () => {
  const facts = fc.record({
    conclusive: fc.boolean(),
    poolsFound: fc.option(fc.nat(50)),
    exitLiquidityAtMostUsd: fc.option(fc.double({ min: 0, noNaN: true })),
    sizeUsd: fc.double({ min: Number.MIN_VALUE, noNaN: true }),
    gate: fc.constantFrom('closed', 'open', 'none', 'unknown'),
  });
  fc.assert(
    fc.property(facts, (seen) => {
      const { verdict, triggers } = decideVerdict(seen);
      expect(verdict).toBe(triggers.length > 0 ? 'avoid' : 'clear');
      expect(triggers.includes('TRADING_DISABLED')).toBe(seen.gate === 'closed');
      if (!seen.conclusive) expect(triggers.filter((trigger) => trigger !== 'TRADING_DISABLED')).toEqual([]);
      if (seen.exitLiquidityAtMostUsd === null || (seen.exitLiquidityAtMostUsd ?? 0) >= seen.sizeUsd)
        expect(triggers).not.toContain('EXIT_LIQUIDITY_DRAINED');
      // More exit liquidity never adds a trigger.
      const richer = decideVerdict({ ...seen, exitLiquidityAtMostUsd: (seen.exitLiquidityAtMostUsd ?? 0) * 2 });
      if (seen.exitLiquidityAtMostUsd !== null) expect(triggers).toEqual(expect.arrayContaining(richer.triggers));
    }),
  );
});

test('behavior: sanitized text is one line, within the limit, idempotent and without control characters', () => {
  fc.assert(
    fc.property(hostileText, fc.integer({ min: 1, max: 64 }), (text, most) => {
      const sanitized = sanitizeText(text, most);
      expect(sanitized).not.toMatch(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\u2028\u2029]/u);
      expect(sanitized).not.toMatch(/\p{M}{3}/u);
      expect([...sanitized].length).toBeLessThanOrEqual(most);
      expect(sanitizeText(sanitized, most)).toBe(sanitized);
    }),
  );
});
