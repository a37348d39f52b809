import fc from 'fast-check';
import type { Address, Hex } from 'viem';
import { expect, test } from 'vitest';
import { createWordReader, LensAnswerError } from '../../engine/chain/wordReader.ts';
import { toLowerAddress } from '../../engine/lowerAddress.ts';
import { sanitizeText } from '../../engine/pretrade/context/sanitizeText.ts';
import { decodeExit } from '../../engine/pretrade/exit/decodeExit.ts';
import { decideVerdict } from '../../engine/pretrade/verdict.ts';
import { assertAnswer } from '../../engine/quote/assertAnswer.ts';
import { decodeReading, layoutVersion } from '../../engine/quote/decodeReading.ts';
import { createQueryEncoder, sizeModes } from '../../engine/quote/encodeQuery.ts';
import { ratio } from '../../engine/quote/ratio.ts';
import type { CandidatePool } from '../../engine/venues/candidatePool.ts';
import { deployments } from '../../engine/venues/deployments/deployments.ts';
import { encodeChainConfig } from '../../engine/venues/encodeChainConfig.ts';
import { toCandidatePools } from '../../engine/venues/toCandidatePools.ts';
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
const version = BigInt(layoutVersion);
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

test('error: decodes any output of the quote lens or throws LensAnswerError', () => {
  fc.assert(
    fc.property(fc.oneof(answer([version]), answer([]), hexOf(640)), (words) => {
      const reading = decoded(() => decodeReading(words, candidatePools));
      if (!reading) return;
      for (const { statuses } of reading.pairs) expect(statuses.length).toBeLessThanOrEqual(candidatePools.length);
    }),
  );
});

/** Lens output for a market with one pool, with some words replaced. */
const query = { tokenIn: at(1), tokenOut: at(2), mode: sizeModes.units, mantissa: 100n, scale: 0 };
const oneRoute = [
  [version, 15n, 7n, 1_700_000_000n, 1n, 18n, 18n, 100n, 1n, 4n, 180n, 150n, 10n ** 24n],
  [1n, 1n, 2n, 100n, 0n], // the pair, without statuses
  [1n, 0n, 0x404n, 9n, 100n, 100n, 99n, 100n, 5n, 5n, 5n, 5n, 500n, 0n], // its pool
  [1n, 1n, 0n, 0n, 99n, 90_000n], // the route
  [50_000n],
].flat();
const oddWords = fc.array(fc.tuple(fc.nat(oneRoute.length - 1), wordValue), { maxLength: 3 });

test('error: accepts consistent output of the quote lens, and throws LensAnswerError for any other', () => {
  fc.assert(
    fc.property(oddWords, (odd) => {
      const words = [...oneRoute];
      for (const [index, value] of odd) words[index] = value;
      const reading = decoded(() => {
        const reading = decodeReading(`0x${words.map(word).join('')}`, candidatePools);
        assertAnswer(reading, query, candidatePools);
        return reading;
      });
      if (odd.length === 0) expect(reading).toBeDefined();
      if (!reading) return;
      // Pool indexes and divisors of an accepted answer must be valid.
      for (const { pools, received } of reading.routes)
        expect(received > 0n && pools.every((index) => reading.pools.has(index))).toBe(true);
      for (const { pair, candidatePool } of reading.pools.values())
        expect(reading.pairs[pair] && candidatePools[candidatePool]).toBeTruthy();
    }),
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

test('behavior: encodes a request to whole words, and caps a mantissa at the largest word', () => {
  const encode = createQueryEncoder('0x1234');
  fc.assert(
    fc.property(
      address,
      address,
      uint256,
      fc.bigInt({ min: 0n, max: 10n ** 90n }),
      (tokenIn, tokenOut, salt, mantissa) => {
        const encoded = encode(
          { tokenIn: toLowerAddress(tokenIn), tokenOut: toLowerAddress(tokenOut), mode: 0, mantissa, scale: 3 },
          salt,
        );
        expect((encoded.length - 10) % 64).toBe(0);
        const largest = 2n ** 256n - 1n;
        expect(BigInt(`0x${encoded.slice(10 + 3 * 64, 10 + 4 * 64)}`)).toBe(mantissa > largest ? largest : mantissa);
      },
    ),
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
