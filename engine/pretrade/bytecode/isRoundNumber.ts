/**
 * Limit of the number without its trailing zeros. Fewer than 2^72 numbers qualify, too few to find a key for one of
 * them.
 */
const maxWithoutZeros = 2n ** 64n;

/**
 * Whether 40 hex digits are an amount rather than an address: a small number followed by zeros, in decimal or binary.
 * Token amounts with 18 decimals are often as long as addresses.
 */
export function isRoundNumber(digits: string): boolean {
  let rest = BigInt(`0x${digits}`);
  if (rest === 0n || rest / (rest & -rest) < maxWithoutZeros) return true;
  while (rest >= maxWithoutZeros && rest % 10n === 0n) rest /= 10n;
  return rest < maxWithoutZeros;
}
