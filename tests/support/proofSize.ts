/** True if PROVE_SIZE=full, which `npm run prove:suite` sets. `npm test` runs a fixed share of the slow tests. */
export const isFullSize = process.env.PROVE_SIZE === 'full';

/**
 * Returns all entries at full size, otherwise every n-th entry, with n = `every`.
 *
 * @param offset shifts the selection; the offsets 0 to `every` - 1 together cover all entries
 */
export function shareOf<T>(entries: readonly T[], every: number, offset = 0): T[] {
  return entries.filter((_, index) => isFullSize || (index + offset) % every === 0);
}
