import fc from 'fast-check';

/** `npm run fuzz` sets the seed; `npm test` uses a constant one. */
export const fuzzSeed = Number(process.env.FUZZ_SEED ?? 20_261_121);
const times = Number(process.env.FUZZ_TIMES ?? 1);

/**
 * Seeds fast-check for this file and logs the seed, so that a failure can be reproduced.
 *
 * @param numRuns runs of each property; FUZZ_TIMES multiplies them
 */
export function beginFuzz(numRuns = 300): { numRuns: number } {
  fc.configureGlobal({ seed: fuzzSeed, numRuns: numRuns * times });
  console.info(`fuzz seed ${fuzzSeed}, ${numRuns * times} runs per property (FUZZ_SEED, FUZZ_TIMES)`);
  return { numRuns: numRuns * times };
}
