import fc from 'fast-check';

/** The numbers of a run: `npm run fuzz` sets them, the tests of every day always take the same. */
export const fuzzSeed = Number(process.env.FUZZ_SEED ?? 20_261_121);
const times = Number(process.env.FUZZ_TIMES ?? 1);

/**
 * Seeds what is generated in this file and says with what, so that a finding can be had again.
 *
 * @param numRuns of each property on an ordinary day; the long run multiplies it
 */
export function beginFuzz(numRuns = 300): { numRuns: number } {
  fc.configureGlobal({ seed: fuzzSeed, numRuns: numRuns * times });
  console.info(`fuzz seed ${fuzzSeed}, ${numRuns * times} runs a property (FUZZ_SEED, FUZZ_TIMES)`);
  return { numRuns: numRuns * times };
}
