/** `npm run prove:suite` sets it. `npm test` runs a fixed share of the tests that take long. */
export const isFullSize = process.env.PROVE_SIZE === 'full';

/**
 * The entries to test: all of them at full size, otherwise one of `every`.
 *
 * @param offset which ones; a row of tests that counts it up covers every entry
 */
export function shareOf<T>(entries: readonly T[], every: number, offset = 0): T[] {
  return entries.filter((_, index) => isFullSize || (index + offset) % every === 0);
}
