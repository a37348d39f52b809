/** There are fewer than 2^72 such numbers, so no key can be found whose address is one of them. */
const mostDigits = 2n ** 64n;

/**
 * Whether 40 hex digits are an amount rather than an address: a small number followed by zeros, in decimal or binary.
 * Token amounts with 18 decimals are often as long as addresses.
 */
export function isRoundNumber(digits: string): boolean {
  let decimal = BigInt(`0x${digits}`);
  if (decimal === 0n || decimal / (decimal & -decimal) < mostDigits) return true;
  while (decimal >= mostDigits && decimal % 10n === 0n) decimal /= 10n;
  return decimal < mostDigits;
}
